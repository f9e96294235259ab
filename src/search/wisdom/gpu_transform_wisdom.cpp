#include "search/wisdom/gpu_transform_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

using planning::TransformSchedule;

namespace {

constexpr std::size_t max_schedules_from_elsewhere = 8;
constexpr int driver_version_unit = 1000; ///< 13020 is 13.2

/// The schedule if it is valid for such GPUs.
std::optional<TransformSchedule> schedule_for(const target::Gpu& gpu, const std::string& text) {
    try {
        TransformSchedule schedule = planning::parse_transform_schedule(text);
        if (schedule.target == gpu.name) return schedule;
    } catch (const UserError&) {
        // from another version, or damaged
    }
    return std::nullopt;
}

WisdomKey key_of(const Transform& problem, const GpuIdentity& identity) {
    return {identity.key, to_text(problem)};
}

} // namespace

std::string gpu_key(const std::string& name, int capability_major, int capability_minor, int multiprocessors,
                    int driver_version) {
    return fmt::format("{}, compute {}.{}, {} multiprocessors, CUDA {}", name, capability_major,
                       capability_minor, multiprocessors, driver_version / driver_version_unit);
}

GpuIdentity gpu_identity_of(const runtime::GpuDevice& device) {
    const runtime::GpuProperties& properties = device.properties();
    const target::Gpu& best = device.target();
    return {
        gpu_key(properties.name, properties.capability_major, properties.capability_minor,
                device.attribute(runtime::cuda::DeviceAttribute::multiprocessors), device.driver().version()),
        device.driver().version() >= best.driver_version ? best : target::gpu_named("generic")};
}

Wisdom* GpuTransformWisdom::open(bool to_write) const { return in_use_ ? shared_wisdom(to_write) : nullptr; }

std::optional<GpuStoredTransformSchedule> GpuTransformWisdom::lookup(const Transform& problem,
                                                                     const GpuIdentity& identity) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(problem, identity);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry) return std::nullopt;
    if (auto schedule = schedule_for(identity.gpu, entry->schedule))
        return GpuStoredTransformSchedule{std::move(*schedule), entry->seconds, entry->found_by,
                                          entry->version == version()};
    wisdom->erase(key);
    return std::nullopt;
}

std::optional<GpuStoredTransformSchedule> GpuTransformWisdom::lookup(const Transform& problem,
                                                                     const target::Gpu& gpu) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    std::optional<GpuStoredTransformSchedule> best;
    for (const auto& [key, entry] : wisdom->entries_for(to_text(problem))) {
        if (entry.version != version() || (best && entry.seconds >= best->seconds)) continue;
        if (auto schedule = schedule_for(gpu, entry.schedule))
            best = GpuStoredTransformSchedule{std::move(*schedule), entry.seconds, entry.found_by, true};
    }
    return best;
}

std::vector<TransformSchedule> GpuTransformWisdom::elsewhere(const Transform& problem,
                                                             const GpuIdentity& identity) {
    std::vector<TransformSchedule> result;
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return result;
    for (const auto& [key, entry] : wisdom->entries_for(to_text(problem))) {
        if (key.machine == identity.key || result.size() == max_schedules_from_elsewhere) continue;
        auto schedule = schedule_for(identity.gpu, entry.schedule);
        if (schedule && std::find(result.begin(), result.end(), *schedule) == result.end())
            result.push_back(std::move(*schedule));
    }
    return result;
}

void GpuTransformWisdom::store(const Transform& problem, const GpuIdentity& identity,
                               const TransformSchedule& schedule, double seconds, FoundBy how) {
    if (Wisdom* const wisdom = open(true))
        wisdom->replace(key_of(problem, identity),
                        {.schedule = planning::to_string(schedule), .seconds = seconds, .found_by = how});
}

void GpuTransformWisdom::erase(const Transform& problem, const GpuIdentity& identity) {
    if (Wisdom* const wisdom = open(false)) wisdom->erase(key_of(problem, identity));
}

} // namespace swirl::search
