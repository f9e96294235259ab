// Roles, and what meetings order where a program has several agents.
#include "ir/interpreter_machine.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::ir {

using namespace interpreted;

namespace {

constexpr Integer warpgroup = 128;

} // namespace

std::int32_t Interpreter::Machine::team_of(int thread) const {
    const auto threads = static_cast<Integer>(code_.block_threads);
    return static_cast<std::int32_t>(thread / threads * ceil_divide(threads, warpgroup) +
                                     thread % threads / warpgroup);
}

Doer Interpreter::Machine::doer(int thread) const {
    const Clock& clock = clocks_[static_cast<std::size_t>(thread)];
    return {{.cluster = static_cast<std::int32_t>(block_ / code_.together),
             .agent = thread,
             .time = clock[thread]},
            &clock};
}

/// What the thread loads. A product that has had a number from a register is over only when the number had come, so that others may know
/// of a thread's loads more than of what else it has done.
Doer Interpreter::Machine::loader(int thread) const {
    Doer result = doer(thread);
    result.deed.agent = loads_of(thread);
    result.deed.time = (*result.clock)[result.deed.agent];
    return result;
}

std::int32_t Interpreter::Machine::loads_of(int thread) const {
    return static_cast<std::int32_t>(code_.threads) + thread;
}

std::int32_t Interpreter::Machine::first_team() const { return 2 * static_cast<std::int32_t>(code_.threads); }

/// The warpgroup that begins at the thread. It knows what all its threads do; others know what it does when it has waited.
Doer Interpreter::Machine::team_doer(int first_thread, Clock& known) const {
    known = clocks_[static_cast<std::size_t>(first_thread)];
    for (int t = first_thread + 1; t < first_thread + static_cast<int>(warpgroup); ++t)
        known.meet(clocks_[static_cast<std::size_t>(t)]);
    const std::int32_t agent = first_team() + team_of(first_thread);
    return {{.cluster = static_cast<std::int32_t>(block_ / code_.together),
             .agent = agent,
             .time = known[agent] + 1},
            &known};
}

/// Others may know what the thread has done so far, not what it does from here on.
void Interpreter::Machine::let_know(int thread, Clock& others) {
    Clock& clock = clocks_[static_cast<std::size_t>(thread)];
    others.join(clock);
    for (const std::int32_t agent : {thread, loads_of(thread)}) clock.set(agent, clock[agent] + 1);
}

void Interpreter::Machine::meet(Threads threads) {
    Clock known;
    for (const int thread : threads) let_know(thread, known);
    for (const int thread : threads) clocks_[static_cast<std::size_t>(thread)].join(known);
}

void Interpreter::Machine::order_by_barrier(const Node& node, Threads threads) {
    if (node.of_cluster) return meet(threads);
    if (node.of_group && node.half != Barrier::Half::wait)
        for (const int thread : threads) let_know(thread, group_clock_);
    if (node.of_group && node.half != Barrier::Half::arrive)
        for (const int thread : threads) clocks_[static_cast<std::size_t>(thread)].join(group_clock_);
    for (std::size_t first = 0; first < threads.size();) {
        std::size_t last = first;
        while (last < threads.size() && block_in_cluster(threads[last]) == block_in_cluster(threads[first]))
            ++last;
        meet(threads.subspan(first, last - first));
        first = last;
    }
}

/// At the start of a cluster.
void Interpreter::Machine::forget_agents() {
    clocks_.assign(code_.threads, {});
    for (const int thread : all_threads_)
        for (const std::int32_t agent : {thread, loads_of(thread)})
            clocks_[static_cast<std::size_t>(thread)].set(agent, 1);
    group_clock_ = {};
    signals_.clear();
    for (const auto& memory : own_memories_)
        if (const auto known = elements_.find(memory.get()); known != elements_.end())
            std::fill(known->second.begin(), known->second.end(), Element{});
    for (auto& sums : sums_) std::fill(sums.begin(), sums.end(), Sum{});
    for (auto& publications : publications_) publications.clear();
    for (auto* readings : {&products_, &tile_stores_})
        std::fill(readings->begin(), readings->end(), Readings{});
}

/// The roles of each block go on by themselves.
void Interpreter::Machine::execute_roles(Node& node, Threads threads) {
    if (!are_whole_blocks(threads)) return report_divergence(threads);
    struct Part {
        std::vector<Node> body;
        std::vector<int> threads;
    };
    std::vector<Part> parts;
    for (const Node& role : node.body)
        for (std::size_t first = 0; first < threads.size(); first += code_.block_threads) {
            std::vector<int> own(static_cast<std::size_t>(role.role->threads));
            std::iota(own.begin(), own.end(), threads[first] + static_cast<int>(role.role->first_thread));
            parts.push_back({role.body, std::move(own)});
        }
    if (options_.last_role_first) std::reverse(parts.begin(), parts.end());
    Relay relay;
    relay_ = &relay;
    try {
        relay.run(parts.size(), [&](std::size_t part) { execute(parts[part].body, parts[part].threads); });
    } catch (...) {
        relay_ = nullptr;
        throw;
    }
    relay_ = nullptr;
}

} // namespace swirl::ir
