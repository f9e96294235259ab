#include "search/cost/gpu/cached_estimate.hpp"

#include "base/build_id.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>

namespace swirl::search {

using planning::Schedule;

namespace {

/// The model depends on the card's own size and rates, too.
runtime::CacheKey key_of(const std::string& problem, const target::Gpu& gpu) {
    const std::string card = fmt::format("{} multiprocessors, {} Hz, {} bytes/s", gpu.multiprocessors,
                                         gpu.rates.hertz, gpu.rates.memory_bytes);
    const std::string_view fields[] = {"schedule", version(), build_id(), gpu.name, card, problem};
    return runtime::CacheKey::of(fields);
}

std::optional<Schedule> recalled(const runtime::CacheKey& key, const Transform& problem,
                                 const target::Gpu& gpu, const runtime::KernelCache& cache) {
    const auto bytes = cache.find(key);
    if (!bytes) return std::nullopt;
    try {
        Schedule schedule =
            planning::parse_schedule({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, problem);
        if (schedule.target == gpu.name) return schedule;
    } catch (const UserError&) {} // intact but not a schedule: written by another program
    cache.drop(key);
    return std::nullopt;
}

} // namespace

Schedule cached_gpu_schedule(const Transform& problem, const target::Gpu& gpu, runtime::KernelCache* cache) {
    if (cache == nullptr || build_id().empty()) return gpu_schedule(problem, gpu);
    const std::string text = to_text(problem);
    const runtime::CacheKey key = key_of(text, gpu);
    if (auto schedule = recalled(key, problem, gpu, *cache)) return *schedule;
    Schedule schedule = gpu_schedule(problem, gpu);
    const std::string answer = planning::to_string(schedule);
    cache->store(key, {std::string(gpu.name), "schedule for " + text}, std::as_bytes(std::span(answer)));
    return schedule;
}

} // namespace swirl::search
