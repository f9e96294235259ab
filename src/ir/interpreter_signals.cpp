// Signals: a phase in which bytes arrive is complete only when somebody waits for it.
#include "ir/interpreter_machine.hpp"

#include <algorithm>

namespace swirl::ir {

using namespace interpreted;

Integer Interpreter::Machine::base(const Place& place, int thread) const {
    const Integer index = evaluate(place.index, thread);
    if (place.dynamic == nowhere) return index;
    return index +
           place.dynamic_scale * code_.cells[place.dynamic + static_cast<std::size_t>(thread)].integer;
}

Place Interpreter::Machine::own_place(const Step& step) {
    return {step.buffer, step.index, step.dynamic, step.dynamic_scale};
}

Interpreter::Machine::SignalPlace Interpreter::Machine::signal_place(const Place& place, int thread,
                                                                     Integer block) const {
    const View& view = views_[static_cast<std::size_t>(place.buffer)];
    const Integer index = base(place, thread);
    return {place.buffer, index, position_in_block(view, index, block)};
}

/// An initialized signal of which the thread knows that it is; otherwise a finding, and perhaps no signal.
Interpreter::Machine::Signal* Interpreter::Machine::signal_at(const Step& step, const SignalPlace& place,
                                                              int thread) {
    const auto known = signals_.find(place);
    if (known == signals_.end()) {
        report(Finding::Kind::misused_signal, step, place.buffer, place.index, thread, "is not initialized");
        return nullptr;
    }
    if (!doer(thread).comes_after(known->second.initialized))
        report(Finding::Kind::misused_signal, step, place.buffer, place.index, thread,
               "is initialized with no meeting since");
    return &known->second;
}

void Interpreter::Machine::signal_initialize(const Step& step, Threads threads) {
    const View& view = this->view(step);
    for (const int t : threads) {
        const SignalPlace place = signal_place(own_place(step), t, block_in_cluster(t));
        if (place.index < view.low || place.index >= view.high) {
            report(Finding::Kind::out_of_bounds, step, place.index, t);
            continue;
        }
        const auto teams = static_cast<std::size_t>(team_of(all_threads_.back()) + 1);
        const auto agent = first_team() + static_cast<std::int32_t>(teams + signals_.size());
        const auto [at, added] = signals_.try_emplace(place);
        if (!added) {
            report(Finding::Kind::misused_signal, step, place.buffer, place.index, t, "is initialized twice");
            continue;
        }
        at->second.agent = agent;
        at->second.needed = step.source->tile->count;
        at->second.initialized = doer(t).deed;
    }
}

void Interpreter::Machine::signal_arrive(const Step& step, Threads threads) {
    const Integer cluster = program_.launch.cluster;
    for (const int t : threads) {
        Integer block = block_in_cluster(t);
        if (step.operands[0] != nowhere) {
            const Integer named = code_.cells[step.operands[0] + static_cast<std::size_t>(t)].integer;
            block = block / cluster * cluster + named;
            if (named < 0 || named >= cluster) {
                report(Finding::Kind::misused_signal, step, step.buffer, base(step, t), t,
                       fmt::format("is of block {} of a cluster of {}", named, cluster));
                continue;
            }
        }
        const Integer bytes = step.opcode == Opcode::signal_expect ? step.source->tile->count : 0;
        arrive(step, signal_place(own_place(step), t, block), t, bytes);
    }
}

void Interpreter::Machine::arrive(const Step& step, const SignalPlace& place, int thread, Integer bytes) {
    Signal* const signal = signal_at(step, place, thread);
    if (signal == nullptr) return;
    if (signal->arrivals == signal->needed)
        return report(Finding::Kind::misused_signal, step, place.buffer, place.index, thread,
                      fmt::format("has all {} arrivals of phase {}", signal->needed, signal->phases));
    signal->expected += bytes;
    ++signal->arrivals;
    let_know(thread, signal->arrived);
    if (signal->is_ready() && signal->under_way.empty()) complete(*signal);
}

void Interpreter::Machine::complete(Signal& signal) {
    for (const Arrival& arrival : signal.under_way) land(arrival, signal);
    signal.under_way.clear();
    ++signal.phases;
    signal.arrivals = signal.expected = signal.loaded = 0;
    signal.arrived.set(signal.agent, static_cast<std::int32_t>(signal.phases));
    signal.complete = signal.arrived;
}

/// Whether the phase is complete, or all is there for it to be.
bool Interpreter::Machine::may_pass(const Step& step, int thread) const {
    const auto known = signals_.find(signal_place(own_place(step), thread, block_in_cluster(thread)));
    if (known == signals_.end()) return true;
    const Integer parity = code_.cells[step.operands[0] + static_cast<std::size_t>(thread)].integer;
    const Signal& signal = known->second;
    return ((signal.phases - 1 - parity) & 1) == 0 || signal.is_ready();
}

void Interpreter::Machine::signal_wait(const Step& step, Threads threads) {
    const std::function<bool()> all_may_pass = [&] {
        return std::all_of(threads.begin(), threads.end(), [&](int t) { return may_pass(step, t); });
    };
    const std::function<void()> tell = [&] { report_waiting(step, threads); };
    if (relay_ != nullptr) {
        relay_->wait(all_may_pass, tell);
    } else if (!all_may_pass()) {
        tell();
        throw Stopped{};
    }
    for (const int t : threads) {
        const SignalPlace place = signal_place(own_place(step), t, block_in_cluster(t));
        Signal* const signal = signal_at(step, place, t);
        if (signal == nullptr) continue;
        const Integer parity = code_.cells[step.operands[0] + static_cast<std::size_t>(t)].integer;
        if (((signal->phases - 1 - parity) & 1) != 0) complete(*signal);
        clocks_[static_cast<std::size_t>(t)].join(signal->complete);
    }
}

void Interpreter::Machine::report_waiting(const Step& step, Threads threads) {
    const int thread =
        *std::find_if(threads.begin(), threads.end(), [&](int t) { return !may_pass(step, t); });
    const SignalPlace place = signal_place(own_place(step), thread, block_in_cluster(thread));
    const Signal& signal = signals_.at(place);
    report(
        Finding::Kind::deadlock, step, place.buffer, place.index, thread,
        fmt::format("stays in phase {} with {} of {} arrivals, {} bytes expected and {} loaded, waited for",
                    signal.phases, signal.arrivals, signal.needed, signal.expected, signal.loaded));
}

/// At the end of blocks nothing is on its way any more.
void Interpreter::Machine::expect_no_arrivals() {
    for (const auto& [place, signal] : signals_)
        for (const Arrival& arrival : signal.under_way)
            report(Finding::Kind::unfinished_copy, *arrival.step, arrival.first, arrival.thread);
}

} // namespace swirl::ir
