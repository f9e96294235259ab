#include "search/cost/cpu/machine_model.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace swirl::search {

namespace {

/// Bytes per cycle that the fitted machine copies within L2, and to and from L3: swirl probe.
constexpr double fitted_near = 52, fitted_far = 24;
/// Measurements closer than this factor count as equal.
constexpr double noise = 1.25;
/// Figures beyond these come from a disturbed measurement, or from a machine that this model does not describe.
constexpr double max_ratio = 8, min_hertz = 0.3e9, max_hertz = 20e9;

/// A ratio of two measurements; 1 if they agree within noise.
double ratio_of(double fitted, double measured) {
    const double ratio = fitted / measured;
    return ratio < noise && ratio > 1 / noise ? 1 : std::clamp(ratio, 1 / max_ratio, max_ratio);
}

/// The last private data cache of a core; the first cache if there is none.
const CacheLevel& own_cache(const std::vector<CacheLevel>& caches, int threads_of_core) {
    std::size_t own = 0;
    while (own + 1 < caches.size() && caches[own + 1].shared_by <= threads_of_core) ++own;
    return caches[own];
}

/// Full-vector multiply-adds that issue in a cycle, 1 or 2. Their latency is four or five cycles on all CPUs, so as many
/// are in flight where one issues per cycle, and twice as many where two do. Two if no latency was measured.
double multiply_adds_per_cycle(const HostProbe& probe) {
    constexpr double most_with_one = 5.5;
    const double in_flight = probe.multiply_adds_at_once(probe.flops_float64, probe.latency_float64,
                                                         static_cast<int>(sizeof(double)));
    return in_flight > 0 && in_flight < most_with_one ? 1 : 2;
}

} // namespace

double MachineModel::bytes_per_cycle(double bytes) const {
    for (const Level& level : beyond)
        if (bytes <= level.bytes) return level.bytes_per_cycle;
    return beyond.back().bytes_per_cycle;
}

const MachineModel& fitted_machine_model() {
    static const auto& machine = *new MachineModel; // never destroyed: may be in use at exit
    return machine;
}

MachineModel machine_model(const HostProbe& probe) {
    const Host& host = probe.host;
    const int lanes = host.vector_bytes / 8;
    if (lanes == 0 || host.caches.empty() || probe.measured_with.find("machine code") == std::string::npos)
        return fitted_machine_model();
    MachineModel model;
    const double per_cycle = multiply_adds_per_cycle(probe);
    model.vector_operation = 2 / per_cycle;
    model.hertz = probe.flops_float64 / (2 * lanes * per_cycle); // a multiply-add is two operations
    if (!(model.hertz > min_hertz && model.hertz < max_hertz)) return fitted_machine_model();
    const CacheLevel& nearest = host.caches.front();
    const CacheLevel& own =
        own_cache(host.caches, std::max(host.hardware_threads / std::max(host.cores, 1), 1));
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
    if (cpu.name != this_host().instruction_set) return fitted_machine_model();
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return fitted_machine_model();
    static constinit ForkSafeMutex mutex;
    static auto& known = *new std::map<const Wisdom*, MachineModel>;
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(wisdom); at != known.end()) return at->second;
    const std::optional<HostProbe> probe = stored_probe(*wisdom);
    return known.emplace(wisdom, probe ? machine_model(*probe) : fitted_machine_model()).first->second;
}

} // namespace swirl::search
