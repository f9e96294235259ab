// mbarriers: a phase with bytes in flight completes only when a thread waits for it.
#include "ir/interpreter_executor.hpp"

#include <algorithm>

namespace swirl::ir {

using namespace interpreted;

Integer Interpreter::Executor::base(const MemoryOperand& operand, int thread) const {
    const Integer index = evaluate(operand.index, thread);
    if (operand.dynamic == nowhere) return index;
    return index +
           operand.dynamic_scale * code_.cells[operand.dynamic + static_cast<std::size_t>(thread)].integer;
}

MemoryOperand Interpreter::Executor::own_operand(const DecodedOperation& op) {
    return {op.buffer, op.index, op.dynamic, op.dynamic_scale};
}

Interpreter::Executor::MbarrierAddress Interpreter::Executor::mbarrier_address(const MemoryOperand& operand,
                                                                               int thread,
                                                                               Integer block) const {
    const View& view = views_[static_cast<std::size_t>(operand.buffer)];
    const Integer index = base(operand, thread);
    return {operand.buffer, index, position_in_block(view, index, block)};
}

/// The mbarrier, if its initialization is visible to the thread; otherwise a diagnostic, and nullptr if it is not
/// initialized.
Interpreter::Executor::Mbarrier* Interpreter::Executor::mbarrier_at(const DecodedOperation& op,
                                                                    const MbarrierAddress& address,
                                                                    int thread) {
    const auto known = mbarriers_.find(address);
    if (known == mbarriers_.end()) {
        report(Diagnostic::Kind::misused_mbarrier, op, address.buffer, address.index, thread,
               "is not initialized");
        return nullptr;
    }
    if (!actor(thread).happens_after(known->second.initialized))
        report(Diagnostic::Kind::misused_mbarrier, op, address.buffer, address.index, thread,
               "is initialized without a barrier since");
    return &known->second;
}

void Interpreter::Executor::mbarrier_init(const DecodedOperation& op, Threads threads) {
    const View& view = this->view(op);
    for (const int t : threads) {
        const MbarrierAddress address = mbarrier_address(own_operand(op), t, block_in_cluster(t));
        if (address.index < view.low || address.index >= view.high) {
            report(Diagnostic::Kind::out_of_bounds, op, address.index, t);
            continue;
        }
        const auto teams = static_cast<std::size_t>(warpgroup_of(all_threads_.back()) + 1);
        const auto agent = first_warpgroup() + static_cast<std::int32_t>(teams + mbarriers_.size());
        const auto [at, added] = mbarriers_.try_emplace(address);
        if (!added) {
            report(Diagnostic::Kind::misused_mbarrier, op, address.buffer, address.index, t,
                   "is initialized twice");
            continue;
        }
        at->second.agent = agent;
        at->second.needed = op.source->tile->count;
        at->second.initialized = actor(t).event;
    }
}

void Interpreter::Executor::mbarrier_arrive(const DecodedOperation& op, Threads threads) {
    const Integer cluster = program_.launch.cluster;
    for (const int t : threads) {
        Integer block = block_in_cluster(t);
        if (op.operands[0] != nowhere) {
            const Integer named = code_.cells[op.operands[0] + static_cast<std::size_t>(t)].integer;
            block = block / cluster * cluster + named;
            if (named < 0 || named >= cluster) {
                report(Diagnostic::Kind::misused_mbarrier, op, op.buffer, base(op, t), t,
                       fmt::format("is of block {} of a cluster of {}", named, cluster));
                continue;
            }
        }
        const Integer bytes = op.opcode == Opcode::mbarrier_arrive_expect_tx ? op.source->tile->count : 0;
        arrive(op, mbarrier_address(own_operand(op), t, block), t, bytes);
    }
}

void Interpreter::Executor::arrive(const DecodedOperation& op, const MbarrierAddress& address, int thread,
                                   Integer bytes) {
    Mbarrier* const mbarrier = mbarrier_at(op, address, thread);
    if (mbarrier == nullptr) return;
    if (mbarrier->arrivals == mbarrier->needed)
        return report(Diagnostic::Kind::misused_mbarrier, op, address.buffer, address.index, thread,
                      fmt::format("has all {} arrivals of phase {}", mbarrier->needed, mbarrier->phases));
    mbarrier->expected += bytes;
    ++mbarrier->arrivals;
    publish_knowledge(thread, mbarrier->arrived);
    if (mbarrier->is_ready() && mbarrier->in_flight.empty()) complete(*mbarrier);
}

void Interpreter::Executor::complete(Mbarrier& mbarrier) {
    for (const PendingTransfer& arrival : mbarrier.in_flight) land(arrival, mbarrier);
    mbarrier.in_flight.clear();
    ++mbarrier.phases;
    mbarrier.arrivals = mbarrier.expected = mbarrier.loaded = 0;
    mbarrier.arrived.set(mbarrier.agent, static_cast<std::int32_t>(mbarrier.phases));
    mbarrier.complete = mbarrier.arrived;
}

/// Whether the phase is complete, or everything it needs has been issued.
bool Interpreter::Executor::may_pass(const DecodedOperation& op, int thread) const {
    const auto known = mbarriers_.find(mbarrier_address(own_operand(op), thread, block_in_cluster(thread)));
    if (known == mbarriers_.end()) return true;
    const Integer parity = code_.cells[op.operands[0] + static_cast<std::size_t>(thread)].integer;
    const Mbarrier& mbarrier = known->second;
    return ((mbarrier.phases - 1 - parity) & 1) == 0 || mbarrier.is_ready();
}

void Interpreter::Executor::mbarrier_wait(const DecodedOperation& op, Threads threads) {
    const std::function<bool()> all_may_pass = [&] {
        return std::all_of(threads.begin(), threads.end(), [&](int t) { return may_pass(op, t); });
    };
    const std::function<void()> on_deadlock = [&] { report_waiting(op, threads); };
    if (scheduler_ != nullptr) {
        scheduler_->wait(all_may_pass, on_deadlock);
    } else if (!all_may_pass()) {
        on_deadlock();
        throw Stopped{};
    }
    for (const int t : threads) {
        const MbarrierAddress address = mbarrier_address(own_operand(op), t, block_in_cluster(t));
        Mbarrier* const mbarrier = mbarrier_at(op, address, t);
        if (mbarrier == nullptr) continue;
        const Integer parity = code_.cells[op.operands[0] + static_cast<std::size_t>(t)].integer;
        if (((mbarrier->phases - 1 - parity) & 1) != 0) complete(*mbarrier);
        clocks_[static_cast<std::size_t>(t)].join(mbarrier->complete);
    }
}

void Interpreter::Executor::report_waiting(const DecodedOperation& op, Threads threads) {
    const int thread = *std::find_if(threads.begin(), threads.end(), [&](int t) { return !may_pass(op, t); });
    const MbarrierAddress address = mbarrier_address(own_operand(op), thread, block_in_cluster(thread));
    const Mbarrier& mbarrier = mbarriers_.at(address);
    report(
        Diagnostic::Kind::deadlock, op, address.buffer, address.index, thread,
        fmt::format("stays in phase {} with {} of {} arrivals, {} bytes expected and {} loaded, waited for",
                    mbarrier.phases, mbarrier.arrivals, mbarrier.needed, mbarrier.expected, mbarrier.loaded));
}

/// At the end of blocks nothing may be in flight.
void Interpreter::Executor::expect_no_arrivals() {
    for (const auto& [address, mbarrier] : mbarriers_)
        for (const PendingTransfer& arrival : mbarrier.in_flight)
            report(Diagnostic::Kind::unfinished_async_copy, *arrival.op, arrival.first, arrival.thread);
}

} // namespace swirl::ir
