#include "search/wisdom/transform_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/cost/host.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

using planning::TransformSchedule;

namespace {

constexpr std::size_t max_from_elsewhere = 8;

/// The schedule if it is valid for the CPU.
std::optional<TransformSchedule> schedule_for(const target::Cpu& cpu, const std::string& text) {
    try {
        TransformSchedule schedule = planning::parse_transform_schedule(text);
        if (schedule.target == cpu.name) return schedule;
    } catch (const UserError&) {
        // from another version, or damaged
    }
    return std::nullopt;
}

} // namespace

Wisdom* TransformWisdom::open(bool to_write) const { return in_use_ ? shared_wisdom(to_write) : nullptr; }

/// The fastest schedule depends on the thread count as well as on the machine.
WisdomKey TransformWisdom::key_of(const Transform& problem, int threads) const {
    Host host = this_host();
    host.instruction_set = cpu_.name;
    std::string key = host_key(host);
    if (threads > 1) key += fmt::format(", {} threads", threads);
    return {std::move(key), to_text(problem)};
}

std::optional<StoredTransformSchedule> TransformWisdom::lookup(const Transform& problem, int threads) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(problem, threads);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry) return std::nullopt;
    if (auto schedule = schedule_for(cpu_, entry->schedule))
        return StoredTransformSchedule{std::move(*schedule), entry->seconds, entry->found_by,
                                       entry->version == version()};
    wisdom->erase(key);
    return std::nullopt;
}

std::vector<TransformSchedule> TransformWisdom::elsewhere(const Transform& problem, int threads) {
    std::vector<TransformSchedule> result;
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return result;
    const WisdomKey key = key_of(problem, threads);
    for (const auto& [other, entry] : wisdom->entries_for(key.problem)) {
        if (other.machine == key.machine || result.size() == max_from_elsewhere) continue;
        auto schedule = schedule_for(cpu_, entry.schedule);
        if (schedule && std::find(result.begin(), result.end(), *schedule) == result.end())
            result.push_back(std::move(*schedule));
    }
    return result;
}

void TransformWisdom::store(const Transform& problem, int threads, const TransformCandidate& winner,
                            FoundBy how) {
    if (Wisdom* const wisdom = open(true))
        wisdom->replace(
            key_of(problem, threads),
            {.schedule = planning::to_string(winner.schedule), .seconds = winner.seconds, .found_by = how});
}

void TransformWisdom::erase(const Transform& problem, int threads) {
    if (Wisdom* const wisdom = open(false)) wisdom->erase(key_of(problem, threads));
}

} // namespace swirl::search
