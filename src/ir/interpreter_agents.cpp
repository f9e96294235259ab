// Roles, and what meetings order where a program has several agents.
#include "ir/interpreter_machine.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::ir {

using namespace interpreted;

namespace {

constexpr Integer warpgroup = 128;

} // namespace

std::int32_t Interpreter::Machine::agent_of(int thread) const {
    const auto threads = static_cast<Integer>(code_.block_threads);
    return static_cast<std::int32_t>(thread / threads * ceil_divide(threads, warpgroup) +
                                     thread % threads / warpgroup);
}

Doer Interpreter::Machine::doer(int thread, bool as_team) const {
    const std::int32_t agent = agent_of(thread);
    const Clock& clock = clocks_[static_cast<std::size_t>(agent)];
    return {{.cluster = static_cast<std::int32_t>(block_ / code_.together),
             .agent = agent,
             .time = clock[agent],
             .epoch = epochs_[static_cast<std::size_t>(agent)],
             .thread = as_team ? whole_team : thread},
            &clock};
}

/// Others may know what the agent has done so far, not what it does from here on.
void Interpreter::Machine::let_know(std::int32_t agent, Clock& others) {
    Clock& clock = clocks_[static_cast<std::size_t>(agent)];
    others.join(clock);
    clock.set(agent, clock[agent] + 1);
}

void Interpreter::Machine::meet(std::span<const std::int32_t> agents) {
    Clock known;
    for (const std::int32_t agent : agents) let_know(agent, known);
    for (const std::int32_t agent : agents) clocks_[static_cast<std::size_t>(agent)].join(known);
}

void Interpreter::Machine::order_by_barrier(const Node& node, Threads threads) {
    std::vector<std::int32_t> agents;
    for (const int thread : threads)
        if (const std::int32_t agent = agent_of(thread); agents.empty() || agents.back() != agent)
            agents.push_back(agent);
    for (const std::int32_t agent : agents) ++epochs_[static_cast<std::size_t>(agent)];
    if (!code_.has_agents) return;
    if (node.of_cluster) return meet(agents);
    if (node.of_group && node.half != Barrier::Half::wait)
        for (const std::int32_t agent : agents) let_know(agent, group_clock_);
    if (node.of_group && node.half != Barrier::Half::arrive)
        for (const std::int32_t agent : agents) clocks_[static_cast<std::size_t>(agent)].join(group_clock_);
    const std::int32_t of_block = agent_of(static_cast<int>(code_.block_threads) - 1) + 1;
    for (auto first = agents.begin(); first != agents.end();) {
        const auto last = std::find_if(
            first, agents.end(), [&](std::int32_t agent) { return agent / of_block != *first / of_block; });
        meet({first, last});
        first = last;
    }
}

/// At the start of a cluster.
void Interpreter::Machine::forget_agents() {
    clocks_.assign(epochs_.size(), {});
    for (std::size_t agent = 0; agent < clocks_.size(); ++agent)
        clocks_[agent].set(static_cast<std::int32_t>(agent), 1);
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
