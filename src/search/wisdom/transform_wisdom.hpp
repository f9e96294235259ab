#pragma once

#include "plan/transform_schedule.hpp"
#include "problem/problem.hpp"
#include "search/timer/transform_timer.hpp"
#include "search/wisdom/wisdom.hpp"
#include "target/cpu.hpp"

#include <optional>
#include <vector>

/// Wisdom lookup for planning, and which entries are trusted.
namespace swirl::search {

struct StoredTransformSchedule {
    planning::TransformSchedule schedule;
    double seconds;
    FoundBy found_by;
    bool is_current; ///< found by this version of swirl; another version's code may perform differently
};

/// Schedules for this machine and one CPU from the wisdom that the environment names.
class TransformWisdom {
public:
    /// Unless `in_use`, lookups find nothing and stores have no effect.
    TransformWisdom(const target::Cpu& cpu, bool in_use) : cpu_(cpu), in_use_(in_use) {}

    /// The schedule for this machine. Erases an entry that does not parse or is for another CPU.
    std::optional<StoredTransformSchedule> lookup(const Transform& problem, int threads);

    /// Schedules for this CPU that were best on other machines or with other thread counts: candidates to time, not
    /// trusted.
    std::vector<planning::TransformSchedule> elsewhere(const Transform& problem, int threads);

    /// Replaces the existing entry, which the winner has beaten.
    void store(const Transform& problem, int threads, const TransformCandidate& winner, FoundBy how);
    void erase(const Transform& problem, int threads);

private:
    /// Null if no wisdom exists and `to_write` is false.
    Wisdom* open(bool to_write) const;
    WisdomKey key_of(const Transform& problem, int threads) const;

    const target::Cpu& cpu_;
    bool in_use_;
};

} // namespace swirl::search
