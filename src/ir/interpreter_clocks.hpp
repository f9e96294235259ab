#pragma once

#include "base/integer.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

/// What is ordered before what where threads of a block do different things at the same time. Internal to the interpreter.
///
/// Agents are the threads of a cluster, each of them once more for what it loads, its warpgroups, which multiply tiles, and the copy
/// engine, once for each signal at which its bytes arrive. An agent's time goes on whenever it lets others know what it has done.
namespace swirl::ir::interpreted {

/// How far into each agent's time what it has done is known.
class Clock {
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
    /// What both know.
    void meet(const Clock& other) {
        times_.resize(std::min(times_.size(), other.times_.size()));
        for (std::size_t i = 0; i < times_.size(); ++i) times_[i] = std::min(times_[i], other.times_[i]);
    }
    /// What one of them knows.
    void join(const Clock& other) {
        if (other.times_.size() > times_.size()) times_.resize(other.times_.size(), 0);
        for (std::size_t i = 0; i < other.times_.size(); ++i)
            times_[i] = std::max(times_[i], other.times_[i]);
    }

private:
    std::vector<std::int32_t> times_;
};

/// Something an agent has done.
struct Deed {
    std::int32_t cluster = -1; ///< −1: nothing has been done
    std::int32_t agent = 0;
    std::int32_t time = 0;
};

/// An agent about to do something, and what it knows.
struct Doer {
    Deed deed;
    const Clock* clock = nullptr;

    bool comes_after(const Deed& earlier) const {
        if (earlier.cluster < 0) return true;
        if (earlier.cluster != deed.cluster) return false; // clusters never meet
        return earlier.agent == deed.agent || (*clock)[earlier.agent] >= earlier.time;
    }
};

/// Deeds of one kind: those that others' do not come after.
class Deeds {
public:
    bool all_before(const Doer& now) const {
        return std::all_of(latest_.begin(), latest_.end(),
                           [&](const Deed& deed) { return now.comes_after(deed); });
    }
    void add(const Doer& now) {
        if (all_before(now)) {
            latest_.assign(1, now.deed);
            return;
        }
        // One of another cluster is enough: it is in conflict with all that follows.
        const auto known = std::find_if(latest_.begin(), latest_.end(), [&](const Deed& deed) {
            return deed.cluster != now.deed.cluster || deed.agent == now.deed.agent;
        });
        if (known == latest_.end())
            latest_.push_back(now.deed);
        else if (known->cluster == now.deed.cluster)
            *known = now.deed;
    }

private:
    std::vector<Deed> latest_;
};

/// What has been done with one element, and what is under way there.
struct Element {
    Deed stored;
    std::int32_t publication =
        -1; ///< which of the storing thread's publications shows what it stored; −1: none is needed
    std::int32_t readers = 0; ///< products and stores of tiles under way that read it
    bool arriving = false;    ///< a load of a tile under way will write it
    Deeds loaded, added;

    bool load(const Doer& now, const Doer& loader) {
        loaded.add(loader);
        return !now.comes_after(stored) || !added.all_before(now);
    }
    bool store(const Doer& now) {
        const bool race = readers > 0 || arriving || !now.comes_after(stored) || !loaded.all_before(now) ||
                          !added.all_before(now);
        stored = now.deed;
        return race;
    }
    bool atomic_add(const Doer& now) {
        const bool race = readers > 0 || arriving || !now.comes_after(stored) || !loaded.all_before(now);
        added.add(now);
        return race;
    }
};

/// A register that may be a sum of products.
struct Sum {
    std::int32_t products = 0; ///< under way
    std::int32_t touched =
        0;                   ///< how often its thread had begun products at the latest other access, plus one
    std::int32_t filled = 0; ///< until when its thread had loaded when the register was stored to
};

} // namespace swirl::ir::interpreted
