#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <vector>

/// Records which thread accessed what and when, to find races. Internal to the interpreter.
namespace swirl::ir::interpreted {

/// Time and origin of a memory access. Within a region, accesses of different groups of blocks are never ordered;
/// those of different blocks of one group are ordered if one block has waited since the other arrived; those of one
/// block are ordered if their epochs differ; those of one thread always are.
struct Moment {
    std::int32_t region; ///< launch, or execution of a parallel loop
    std::int32_t group;  ///< the block, if blocks never synchronize
    std::int32_t block;
    std::int32_t epoch; ///< counts barriers of the block
    std::int32_t thread;
    std::int32_t arrivals = 0; ///< of the block at its group's barriers, so far
    std::int32_t waits = 0;    ///< arrivals at the time of its latest wait
};

/// The latest accesses of one kind to an element.
class Mark {
public:
    /// Whether an access now races with a recorded one.
    bool conflicts(const Moment& now) const {
        if (last_.region != now.region) return false;
        if (last_.group != now.group) return true;
        if (last_.block != now.block) return now.waits <= last_.arrivals;
        return last_.epoch == now.epoch && last_.thread != now.thread;
    }

    /// Records an access. `several` in place of a block or thread differs from every one.
    void add(const Moment& now) {
        if (last_.region != now.region)
            last_ = now;
        else if (last_.group != now.group)
            last_.group = several;
        else if (last_.block != now.block && now.waits > last_.arrivals)
            last_ = now;
        else if (last_.block != now.block) {
            last_.block = several;
            last_.arrivals = now.arrivals;
        } else if (last_.epoch != now.epoch)
            last_ = now;
        else if (last_.thread != now.thread)
            last_.thread = several;
    }

private:
    static constexpr std::int32_t several = -2;
    Moment last_{-1, -1, -1, -1, -1};
};

/// Marks of all elements of one memory.
class Shadow {
public:
    explicit Shadow(std::size_t elements) : marks_(elements) {}

    bool load(std::size_t element, const Moment& now) {
        Marks& marks = marks_[element];
        marks.loaded.add(now);
        return marks.stored.conflicts(now) || marks.added.conflicts(now);
    }
    bool store(std::size_t element, const Moment& now) {
        Marks& marks = marks_[element];
        const bool race =
            marks.stored.conflicts(now) || marks.loaded.conflicts(now) || marks.added.conflicts(now);
        marks.stored.add(now);
        return race;
    }
    bool atomic_add(std::size_t element, const Moment& now) {
        Marks& marks = marks_[element];
        const bool race = marks.stored.conflicts(now) || marks.loaded.conflicts(now);
        marks.added.add(now);
        return race;
    }

private:
    struct Marks {
        Mark loaded, stored, added;
    };
    std::vector<Marks> marks_;
};

} // namespace swirl::ir::interpreted
