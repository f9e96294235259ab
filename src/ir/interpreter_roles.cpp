// WarpRoles, and the ordering by barriers in programs with several agents.
#include "ir/interpreter_executor.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::ir {

using namespace interpreted;

std::int32_t Interpreter::Executor::warpgroup_of(int thread) const {
    const auto threads = static_cast<Integer>(code_.block_threads);
    return static_cast<std::int32_t>(thread / threads * ceil_divide(threads, warpgroup_threads) +
                                     thread % threads / warpgroup_threads);
}

Actor Interpreter::Executor::actor(int thread) const {
    const VectorClock& clock = clocks_[static_cast<std::size_t>(thread)];
    return {{.cluster = static_cast<std::int32_t>(block_ / code_.blocks_per_group),
             .agent = thread,
             .time = clock[thread]},
            &clock};
}

/// The agent of the thread's loads. A wgmma that reads a loaded register completes only after the load, so others may
/// know more about a thread's loads than about its other actions.
Actor Interpreter::Executor::loader(int thread) const {
    Actor result = actor(thread);
    result.event.agent = loads_of(thread);
    result.event.time = (*result.clock)[result.event.agent];
    return result;
}

std::int32_t Interpreter::Executor::loads_of(int thread) const {
    return static_cast<std::int32_t>(code_.threads) + thread;
}

std::int32_t Interpreter::Executor::first_warpgroup() const {
    return 2 * static_cast<std::int32_t>(code_.threads);
}

/// The warpgroup that starts at the thread. It knows what all its threads know; others learn of its actions when it
/// has waited.
Actor Interpreter::Executor::warpgroup_actor(int first_thread, VectorClock& known) const {
    known = clocks_[static_cast<std::size_t>(first_thread)];
    for (int t = first_thread + 1; t < first_thread + static_cast<int>(warpgroup_threads); ++t)
        known.intersect(clocks_[static_cast<std::size_t>(t)]);
    const std::int32_t agent = first_warpgroup() + warpgroup_of(first_thread);
    return {{.cluster = static_cast<std::int32_t>(block_ / code_.blocks_per_group),
             .agent = agent,
             .time = known[agent] + 1},
            &known};
}

/// Publishes what the thread has done so far, but nothing it does afterwards.
void Interpreter::Executor::publish_knowledge(int thread, VectorClock& others) {
    VectorClock& clock = clocks_[static_cast<std::size_t>(thread)];
    others.join(clock);
    for (const std::int32_t agent : {thread, loads_of(thread)}) clock.set(agent, clock[agent] + 1);
}

void Interpreter::Executor::synchronize(Threads threads) {
    VectorClock known;
    for (const int thread : threads) publish_knowledge(thread, known);
    for (const int thread : threads) clocks_[static_cast<std::size_t>(thread)].join(known);
}

void Interpreter::Executor::order_by_barrier(const Node& node, Threads threads) {
    if (node.of_cluster) return synchronize(threads);
    if (node.of_cooperative_group && node.half != Barrier::Half::wait)
        for (const int thread : threads) publish_knowledge(thread, cooperative_group_clock_);
    if (node.of_cooperative_group && node.half != Barrier::Half::arrive)
        for (const int thread : threads)
            clocks_[static_cast<std::size_t>(thread)].join(cooperative_group_clock_);
    for (std::size_t first = 0; first < threads.size();) {
        std::size_t last = first;
        while (last < threads.size() && block_in_cluster(threads[last]) == block_in_cluster(threads[first]))
            ++last;
        synchronize(threads.subspan(first, last - first));
        first = last;
    }
}

/// At the start of a cluster.
void Interpreter::Executor::reset_clocks() {
    clocks_.assign(code_.threads, {});
    for (const int thread : all_threads_)
        for (const std::int32_t agent : {thread, loads_of(thread)})
            clocks_[static_cast<std::size_t>(thread)].set(agent, 1);
    cooperative_group_clock_ = {};
    mbarriers_.clear();
    for (const auto& memory : own_memories_)
        if (const auto known = elements_.find(memory.get()); known != elements_.end())
            std::fill(known->second.begin(), known->second.end(), Element{});
    for (auto& accumulators : accumulators_)
        std::fill(accumulators.begin(), accumulators.end(), AccumulatorState{});
    for (auto& publications : publications_) publications.clear();
    for (auto* readings : {&products_, &tma_stores_})
        std::fill(readings->begin(), readings->end(), PendingReads{});
}

/// Runs the roles of each block concurrently.
void Interpreter::Executor::execute_roles(Node& node, Threads threads) {
    if (!are_whole_blocks(threads)) return report_divergence(threads);
    struct RoleTask {
        std::vector<Node> body;
        std::vector<int> threads;
    };
    std::vector<RoleTask> tasks;
    for (const Node& role : node.body)
        for (std::size_t first = 0; first < threads.size(); first += code_.block_threads) {
            std::vector<int> own(static_cast<std::size_t>(role.role->threads));
            std::iota(own.begin(), own.end(), threads[first] + static_cast<int>(role.role->first_thread));
            tasks.push_back({role.body, std::move(own)});
        }
    if (options_.last_role_first) std::reverse(tasks.begin(), tasks.end());
    CooperativeScheduler scheduler;
    scheduler_ = &scheduler;
    try {
        scheduler.run(tasks.size(),
                      [&](std::size_t task) { execute(tasks[task].body, tasks[task].threads); });
    } catch (...) {
        scheduler_ = nullptr;
        throw;
    }
    scheduler_ = nullptr;
}

} // namespace swirl::ir
