#pragma once

#include "base/integer.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

/// Happens-before order of concurrent agents in a block. Internal to the interpreter.
///
/// Agents are the threads of a cluster, a second agent per thread for its loads, the warpgroups, which execute wgmmas,
/// and the TMA unit, one agent per mbarrier at which its bytes arrive. An agent's time advances whenever it publishes
/// what it has done.
namespace swirl::ir::interpreted {

/// For each agent, the time up to which its actions are known.
class VectorClock {
public:
    std::int32_t operator[](std::int32_t agent) const {
        const auto at = static_cast<std::size_t>(agent);
        return at < times_.size() ? times_[at] : 0;
    }
    void set(std::int32_t agent, std::int32_t time) {
        const auto at = static_cast<std::size_t>(agent);
        if (at >= times_.size()) times_.resize(at + 1, 0);
        times_[at] = time;
    }
    /// Keeps what both know.
    void intersect(const VectorClock& other) {
        times_.resize(std::min(times_.size(), other.times_.size()));
        for (std::size_t i = 0; i < times_.size(); ++i) times_[i] = std::min(times_[i], other.times_[i]);
    }
    /// Adds what the other knows.
    void join(const VectorClock& other) {
        if (other.times_.size() > times_.size()) times_.resize(other.times_.size(), 0);
        for (std::size_t i = 0; i < other.times_.size(); ++i)
            times_[i] = std::max(times_[i], other.times_[i]);
    }

private:
    std::vector<std::int32_t> times_;
};

/// An action of an agent.
struct Event {
    std::int32_t cluster = -1; ///< −1: no action yet
    std::int32_t agent = 0;
    std::int32_t time = 0;
};

/// An agent about to act, and what it knows.
struct Actor {
    Event event;
    const VectorClock* clock = nullptr;

    bool happens_after(const Event& earlier) const {
        if (earlier.cluster < 0) return true;
        if (earlier.cluster != event.cluster) return false; // clusters never synchronize
        return earlier.agent == event.agent || (*clock)[earlier.agent] >= earlier.time;
    }
};

/// The maximal events of one kind: those that no other follows.
class Events {
public:
    bool all_happened_before(const Actor& now) const {
        return std::all_of(latest_.begin(), latest_.end(),
                           [&](const Event& event) { return now.happens_after(event); });
    }
    void add(const Actor& now) {
        if (all_happened_before(now)) {
            latest_.assign(1, now.event);
            return;
        }
        // A single event of another cluster suffices: it conflicts with everything that follows.
        const auto known = std::find_if(latest_.begin(), latest_.end(), [&](const Event& event) {
            return event.cluster != now.event.cluster || event.agent == now.event.agent;
        });
        if (known == latest_.end())
            latest_.push_back(now.event);
        else if (known->cluster == now.event.cluster)
            *known = now.event;
    }

private:
    std::vector<Event> latest_;
};

/// The accesses to one element, and the asynchronous ones in flight.
struct Element {
    Event stored;
    std::int32_t publication =
        -1; ///< index of the storing thread's proxy fence that publishes the store; −1: none is needed
    std::int32_t readers = 0; ///< wgmmas and tma_stores in flight that read it
    bool arriving = false;    ///< a tma_load in flight will write it
    Events loaded, added;

    bool load(const Actor& now, const Actor& loader) {
        loaded.add(loader);
        return !now.happens_after(stored) || !added.all_happened_before(now);
    }
    bool store(const Actor& now) {
        const bool race = readers > 0 || arriving || !now.happens_after(stored) ||
                          !loaded.all_happened_before(now) || !added.all_happened_before(now);
        stored = now.event;
        return race;
    }
    bool atomic_add(const Actor& now) {
        const bool race =
            readers > 0 || arriving || !now.happens_after(stored) || !loaded.all_happened_before(now);
        added.add(now);
        return race;
    }
};

/// A register that may be an accumulator or operand of a wgmma.
struct AccumulatorState {
    std::int32_t products = 0; ///< in flight
    std::int32_t touched = 0;  ///< the thread's count of wgmma fences at the latest other access, plus one
    std::int32_t filled = 0;   ///< the thread's load time when the register was stored to
};

} // namespace swirl::ir::interpreted
