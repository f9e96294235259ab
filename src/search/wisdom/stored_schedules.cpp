#include "search/wisdom/stored_schedules.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "search/wisdom/shipped_wisdom.hpp"

#include <algorithm>

namespace swirl::search {

using planning::Schedule;

namespace {

constexpr std::size_t max_from_elsewhere = 8;
constexpr std::size_t most_neighbours = 3;

} // namespace

StoredSchedules::StoredSchedules(Key key, Parse parse, bool in_use)
    : key_(std::move(key)), parse_(std::move(parse)), in_use_(in_use) {}

Wisdom* StoredSchedules::open(bool to_write) const { return in_use_ ? shared_wisdom(to_write) : nullptr; }

std::optional<StoredSchedule> StoredSchedules::parsed(const WisdomEntry& entry) const {
    try {
        return StoredSchedule{parse_(entry.schedule), entry.seconds, entry.found_by,
                              entry.version == version()};
    } catch (const UserError&) { // damaged, of another version, or for another target
        return std::nullopt;
    }
}

std::optional<StoredSchedule> StoredSchedules::lookup() {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_();
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry) return std::nullopt;
    std::optional<StoredSchedule> stored = parsed(*entry);
    if (!stored) wisdom->erase(key);
    return stored;
}

std::vector<Schedule> StoredSchedules::elsewhere() {
    std::vector<Schedule> result;
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return result;
    const WisdomKey own = key_();
    for (const auto& [key, entry] : wisdom->entries_for(own.problem)) {
        if (key.device == own.device || result.size() == max_from_elsewhere) continue;
        const auto stored = parsed(entry);
        if (stored && std::find(result.begin(), result.end(), stored->schedule) == result.end())
            result.push_back(stored->schedule);
    }
    return result;
}

std::optional<StoredSchedule> StoredSchedules::fastest_anywhere() {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    std::optional<StoredSchedule> best;
    for (const auto& [key, entry] : wisdom->entries_for(key_().problem)) {
        auto stored = parsed(entry);
        if (stored && stored->is_current && (!best || stored->seconds < best->seconds))
            best = std::move(stored);
    }
    return best;
}

std::optional<StoredSchedule> StoredSchedules::shipped() const {
    if (!in_use_ || shipped_wisdom().empty()) return std::nullopt;
    const WisdomKey key = key_();
    const std::string kind = device_kind(key.device);
    for (const ShippedWisdom& each : shipped_wisdom()) {
        if (each.device() != kind) continue;
        if (const auto entry = each.find(key.problem))
            return parsed({.schedule = std::string(entry->schedule),
                           .seconds = entry->seconds,
                           .found_by = FoundBy::measure,
                           .version = std::string(version())});
    }
    return std::nullopt;
}

std::vector<StoredSchedules::Neighbour> StoredSchedules::shipped_neighbours(const Problem& problem,
                                                                            Devices devices) const {
    std::vector<Neighbour> result;
    if (!in_use_ || shipped_wisdom().empty()) return result;
    const WisdomKey key = key_();
    if (key.problem != to_text(problem)) return result; // conditions, which no neighbour has
    const std::string kind = device_kind(key.device);
    const auto add = [&](const ShippedEntry& entry) {
        const auto stored = parsed({.schedule = std::string(entry.schedule), .seconds = entry.seconds});
        const auto is_equal = [&](const Neighbour& each) { return each.schedule == stored->schedule; };
        if (stored && std::none_of(result.begin(), result.end(), is_equal))
            result.push_back({parse_problem(entry.problem), stored->schedule});
    };
    const auto add_from = [&](const ShippedWisdom& each) {
        if (const auto exact = each.find(key.problem)) add(*exact);
        for (const ShippedEntry& entry : each.neighbours(problem, most_neighbours)) add(entry);
    };
    for (const ShippedWisdom& each : shipped_wisdom())
        if (each.device() == kind) add_from(each);
    for (const ShippedWisdom& each : shipped_wisdom())
        if (each.device() != kind && devices == Devices::any) add_from(each);
    return result;
}

void StoredSchedules::store(const Schedule& schedule, double seconds, FoundBy how) {
    if (Wisdom* const wisdom = open(true))
        wisdom->replace(key_(), {.schedule = to_string(schedule), .seconds = seconds, .found_by = how});
}

void StoredSchedules::erase() {
    if (Wisdom* const wisdom = open(false)) wisdom->erase(key_());
}

} // namespace swirl::search
