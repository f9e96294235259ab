#include "search/machine_model.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "search/machine.hpp"
#include "search/shared_wisdom.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace swirl::search {

namespace {

/// Bytes a cycle that the fitted machine copies within its second and to and from its third cache: swirl probe.
constexpr double fitted_near = 52, fitted_far = 24;
/// Measurements that differ less are the same.
constexpr double noise = 1.25;
/// Figures beyond these are a disturbed measurement, or a machine that this model does not describe.
constexpr double most_different = 8, least_hertz = 0.3e9, most_hertz = 20e9;

/// A ratio of two measurements; 1 where they are the same.
double ratio_of(double fitted, double measured) {
    const double ratio = fitted / measured;
    return ratio < noise && ratio > 1 / noise ? 1 : std::clamp(ratio, 1 / most_different, most_different);
}

/// The last data cache that one core has to itself; the first if there is none.
const CacheLevel& own_cache(const std::vector<CacheLevel>& caches, int threads_of_core) {
    std::size_t own = 0;
    while (own + 1 < caches.size() && caches[own + 1].shared_by <= threads_of_core) ++own;
    return caches[own];
}

} // namespace

double MachineModel::bytes_per_cycle(double bytes) const {
    for (const Level& level : beyond)
        if (bytes <= level.bytes) return level.bytes_per_cycle;
    return beyond.back().bytes_per_cycle;
}

const MachineModel& fitted_machine() {
    static const MachineModel machine;
    return machine;
}

MachineModel machine_model(const MachineProbe& probe) {
    const Machine& machine = probe.machine;
    const int lanes = machine.vector_bytes / 8;
    if (lanes == 0 || machine.caches.empty() || probe.measured_with.find("machine code") == std::string::npos)
        return fitted_machine();
    MachineModel model;
    model.hertz = probe.flops_float64 / (4 * lanes); // two multiply-adds of two operations a lane
    if (!(model.hertz > least_hertz && model.hertz < most_hertz)) return fitted_machine();
    const CacheLevel& nearest = machine.caches.front();
    const CacheLevel& own =
        own_cache(machine.caches, std::max(machine.hardware_threads / std::max(machine.cores, 1), 1));
    model.nearest_cache_bytes = static_cast<double>(nearest.bytes);
    if (nearest.ways > 0) model.nearest_cache_ways = nearest.ways;
    model.own_cache_bytes = static_cast<double>(own.bytes);
    std::vector<MachineModel::Level> beyond;
    for (const Bandwidth& each : probe.bandwidth) {
        const double speed = each.copy / model.hertz, holds = 2 * static_cast<double>(each.working_set);
        const bool is_own = holds <= model.own_cache_bytes && &each != &probe.bandwidth.back();
        if (is_own && holds > model.nearest_cache_bytes) model.near_line = ratio_of(fitted_near, speed);
        if (!is_own) beyond.push_back({holds, speed});
    }
    model.far_line = ratio_of(fitted_far, beyond.front().bytes_per_cycle);
    if (model.far_line == 1) beyond.front().bytes_per_cycle = fitted_far;
    beyond.back().bytes = std::numeric_limits<double>::infinity();
    model.beyond = std::move(beyond);
    return model;
}

const MachineModel& known_machine_model(const target::Cpu& cpu) {
    if (cpu.name != host_machine().instruction_set) return fitted_machine();
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return fitted_machine();
    static constinit ForkSafeMutex mutex;
    static std::map<const Wisdom*, MachineModel> known;
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(wisdom); at != known.end()) return at->second;
    const std::optional<MachineProbe> probe = remembered_probe(*wisdom);
    return known.emplace(wisdom, probe ? machine_model(*probe) : fitted_machine()).first->second;
}

} // namespace swirl::search
