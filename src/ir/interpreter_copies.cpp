// Asynchronous stores. The target counts as unwritten until the thread waits, and as written both at issue and after
// the wait, so any access in between without a barrier is a race.
#include "ir/interpreter_executor.hpp"

namespace swirl::ir {

using namespace interpreted;

void Interpreter::Executor::store_asynchronously(const DecodedOperation& op, Threads threads) {
    View& to = view(op);
    for (const int t : threads) {
        const Integer first = base(op, t);
        if (first < to.low || first + op.active > to.high) {
            report(Diagnostic::Kind::out_of_bounds, op, first, t);
            continue;
        }
        const Cell* values = code_.cells.data() + op.operands[0] + static_cast<std::size_t>(t * op.lanes);
        Copy copy{&op, first, {values, values + op.active}};
        mark_stored(copy, t);
        for (Integer lane = 0; lane < op.active; ++lane) to.written[position(to, first + lane, t)] = 0;
        copies_[static_cast<std::size_t>(t)].open.push_back(std::move(copy));
    }
    count_traffic(op, threads, report_.stores[static_cast<std::size_t>(op.buffer)]);
}

void Interpreter::Executor::mark_stored(const Copy& copy, int thread) {
    View& to = view(*copy.op);
    for (Integer lane = 0; lane < std::ssize(copy.values); ++lane) {
        if (races_as_store(to, position(to, copy.first + lane, thread), thread))
            report(Diagnostic::Kind::race, *copy.op, copy.first + lane, thread);
    }
}

void Interpreter::Executor::execute_fence(const Node& node, Threads threads) {
    for (const int t : threads) {
        if (node.fence.what != AsyncFence::What::stores || node.fence.kind == AsyncFence::Kind::begin ||
            node.fence.kind == AsyncFence::Kind::publish) {
            execute_wgmma_fence(node.fence, t);
            continue;
        }
        Copies& copies = copies_[static_cast<std::size_t>(t)];
        if (node.fence.kind == AsyncFence::Kind::commit) {
            copies.groups.push_back(std::move(copies.open));
            copies.open.clear();
            continue;
        }
        for (; std::ssize(copies.groups) > node.fence.pending; copies.groups.pop_front())
            for (const Copy& copy : copies.groups.front()) finish(copy, t);
    }
}

void Interpreter::Executor::finish(const Copy& copy, int thread) {
    View& to = view(*copy.op);
    mark_stored(copy, thread);
    for (std::size_t lane = 0; lane < copy.values.size(); ++lane) {
        const Integer at = position(to, copy.first + static_cast<Integer>(lane), thread);
        if (to.written[at] != 0) // stored to in the meantime
            report(Diagnostic::Kind::race, *copy.op, copy.first + static_cast<Integer>(lane), thread);
        to.cells[at] = copy.values[lane];
        to.written[at] = 1;
    }
}

/// At the end of blocks: unwaited copies may overwrite what others have written since.
void Interpreter::Executor::expect_no_copies() {
    for (std::size_t t = 0; t < copies_.size(); ++t) {
        Copies& copies = copies_[t];
        const auto unfinished = [&](const std::vector<Copy>& group) {
            for (const Copy& copy : group)
                report(Diagnostic::Kind::unfinished_async_copy, *copy.op, copy.first, static_cast<int>(t));
        };
        for (const std::vector<Copy>& group : copies.groups) unfinished(group);
        unfinished(copies.open);
        copies = {};
        expect_no_pending_reads(static_cast<int>(t));
    }
}

} // namespace swirl::ir
