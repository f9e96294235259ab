#pragma once

#include "plan/schedule.hpp"
#include "search/wisdom/wisdom.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Lookup, precedence and storage of schedules: the same for transforms and products, on CPUs and GPUs.
namespace swirl::search {

struct StoredSchedule {
    planning::Schedule schedule;
    double seconds;
    FoundBy found_by;
    bool is_current; ///< found by this version of swirl; another version's code may perform differently

    /// Whether it serves a plan of this effort without timing: it was timed on this device by this version, with as much
    /// effort. All others are candidates.
    bool is_trusted(Effort effort = Effort::estimate) const {
        return is_current && found_by >= (effort == Effort::estimate ? FoundBy::shortlist
                                                                     : swirl::search::found_by(effort));
    }
};

/// The schedules for one problem in the wisdom that the environment names.
class StoredSchedules {
public:
    /// The key, made only if there is wisdom to ask.
    using Key = std::function<WisdomKey()>;
    /// The schedule of a text, if it suits the problem and the device. Throws UserError if not.
    using Parse = std::function<planning::Schedule(const std::string& text)>;

    /// Unless `in_use`, lookups find nothing and stores have no effect.
    StoredSchedules(Key key, Parse parse, bool in_use);

    /// The schedule for this device. Erases an entry that does not suit.
    std::optional<StoredSchedule> lookup();
    /// Schedules for this problem that other devices found: candidates to time, not trusted.
    std::vector<planning::Schedule> elsewhere();
    /// The fastest schedule that this version found on any device that it suits: for plans that are only inspected.
    std::optional<StoredSchedule> fastest_anywhere();

    /// What the library ships for this problem on this kind of device; found by measuring.
    std::optional<StoredSchedule> shipped() const;
    /// What it ships for the problems nearest to this one: candidates, the nearest first. Only those timed on this kind
    /// of device, unless on any.
    struct Neighbour {
        Problem problem;
        planning::Schedule schedule;
    };
    enum class Devices : std::uint8_t { of_this_kind, any };
    std::vector<Neighbour> shipped_neighbours(const Problem& problem, Devices devices) const;

    /// Replaces the existing entry, which this schedule has beaten.
    void store(const planning::Schedule& schedule, double seconds, FoundBy how);
    void erase();

private:
    /// Null if no wisdom exists and `to_write` is false.
    Wisdom* open(bool to_write) const;
    std::optional<StoredSchedule> parsed(const WisdomEntry& entry) const;

    Key key_;
    Parse parse_;
    bool in_use_;
};

} // namespace swirl::search
