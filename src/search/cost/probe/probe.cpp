#include "search/cost/probe/probe.hpp"

#include "base/error.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/aligned_buffer.hpp"
#include "runtime/timer.hpp"
#include "search/wisdom/wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swirl::search {
namespace {

constexpr const char* fact_name = "probe";

struct Level {
    std::string name;
    Integer working_set; ///< bytes
};

/// Half of each cache, so that other data does not evict the working set; of a shared cache, the capacity left to one
/// core, but at least twice the next smaller cache. Then memory.
std::vector<Level> levels_of(const Host& host, Integer memory_working_set) {
    std::vector<Level> levels;
    Integer before = 0;
    const int threads_each = std::max(host.hardware_threads / std::max(host.cores, 1), 1);
    for (const CacheLevel& cache : host.caches) {
        const Integer users = std::max(cache.shared_by / threads_each, 1);
        const Integer usable = std::max(cache.bytes / (2 * users), std::min(2 * before, cache.bytes / 2));
        if (usable <= before) continue;
        levels.push_back({fmt::format("L{}", cache.level), usable});
        before = cache.bytes;
    }
    constexpr Integer least = Integer{64} << 20;
    constexpr Integer most = Integer{512} << 20;
    const Integer wanted = memory_working_set > 0 ? memory_working_set : std::clamp(4 * before, least, most);
    levels.push_back({"memory", wanted});
    return levels;
}

runtime::TimingOptions timing(double budget) {
    return {.warm_up = budget / 10,
            .shortest_sample = budget / 50,
            .min_samples = 3,
            .max_samples = 40,
            .precision = 0.002,
            .budget = budget};
}

/// Seconds per iteration.
double seconds_of_iteration(const ProbeKernels::Arithmetic& kernel, double budget) {
    const runtime::AlignedBuffer data(static_cast<std::size_t>(kernel.elements) * sizeof(double));
    void* const buffers[] = {data.data()};
    const std::int64_t parameters[] = {20};
    const runtime::TimedWork work{.run = [&] { kernel.run(buffers, parameters); }, .restore = {}};
    const double seconds = runtime::measure(work, timing(budget)).minimum;
    return seconds / static_cast<double>(parameters[0]);
}

class BandwidthProbe {
public:
    BandwidthProbe(const ProbeKernels& kernels, Integer most_bytes, double budget)
        : kernels_(kernels),
          budget_(budget),
          memory_(static_cast<std::size_t>(most_bytes) + 4096, {.alignment = 4096, .huge_pages = true}),
          sums_(static_cast<std::size_t>(kernels.granule) * sizeof(double)) {}

    Bandwidth measure(const Level& level) const {
        const Integer all = elements(level.working_set);
        const Integer half = elements(level.working_set / 2);
        double* const first = memory_.as<double>();
        // The second half is offset by half a page, to avoid 4K aliasing between loads and stores.
        double* const second = first + half + 2048 / static_cast<Integer>(sizeof(double));
        Bandwidth result;
        result.level = level.name;
        result.working_set = all * static_cast<Integer>(sizeof(double));
        result.read = speed(kernels_.read, {first, sums_.data()}, all, all);
        result.write = speed(kernels_.write, {first, nullptr}, all, all);
        result.copy = speed(kernels_.copy, {first, second}, half, 2 * half);
        return result;
    }

private:
    Integer elements(Integer bytes) const {
        const Integer count = bytes / static_cast<Integer>(sizeof(double));
        return std::max(count / kernels_.granule, Integer{1}) * kernels_.granule;
    }

    double speed(runtime::KernelFunction kernel, std::array<void*, 2> buffers, Integer elements,
                 Integer moved) const {
        // Small working sets are traversed several times per call, to amortise the call.
        const Integer repetitions = std::max<Integer>(1, 32768 / elements);
        const std::int64_t parameters[] = {elements, repetitions};
        const runtime::TimedWork work{.run = [&] { kernel(buffers.data(), parameters); }, .restore = {}};
        const double seconds = runtime::measure(work, timing(budget_)).minimum;
        return static_cast<double>(moved * repetitions) * sizeof(double) / seconds;
    }

    const ProbeKernels& kernels_;
    double budget_;
    runtime::AlignedBuffer memory_;
    runtime::AlignedBuffer sums_;
};

} // namespace

const Bandwidth& HostProbe::level_holding(Integer bytes) const {
    ensure(!bandwidth.empty(), "a probe without bandwidths");
    for (std::size_t i = 0; i + 1 < bandwidth.size(); ++i) {
        // The measured working set is half of the level's capacity.
        if (bytes <= 2 * bandwidth[i].working_set) return bandwidth[i];
    }
    return bandwidth.back();
}

HostProbe probe(const ProbeKernels& kernels, const ProbeOptions& options) {
    const runtime::PinnedThread pinned;
    HostProbe result;
    result.host = this_host();
    result.measured_with = kernels.made_of;
    const std::vector<Level> levels = levels_of(result.host, options.memory_working_set);
    const double for_pages = options.budget / 4;
    const double each = (options.budget - for_pages) / static_cast<double>(4 + 3 * levels.size());
    double spent = 0;
    const auto spend = [&](double seconds) {
        spent += seconds;
        if (options.progress) options.progress(spent / options.budget);
    };
    const auto flops = [&](const ProbeKernels::Arithmetic& all) {
        spend(each);
        return all.flops_each / seconds_of_iteration(all, each);
    };
    const auto latency = [&](const ProbeKernels::Arithmetic& chain) {
        spend(each);
        return seconds_of_iteration(chain, each) / chain.fmas;
    };
    result.flops_float32 = flops(kernels.float32);
    result.flops_float64 = flops(kernels.float64);
    result.latency_float32 = latency(kernels.chain_float32);
    result.latency_float64 = latency(kernels.chain_float64);
    result.vector_registers = target::host_cpu().vector_registers;
    Integer largest = 0;
    for (const Level& level : levels) largest = std::max(largest, level.working_set);
    const BandwidthProbe bandwidth(kernels, largest, each);
    for (const Level& level : levels) {
        result.bandwidth.push_back(bandwidth.measure(level));
        spend(3 * each);
    }
    result.pages =
        measure_page_costs(for_pages, options.max_pages, [&](double part) { spend(part * for_pages); });
    return result;
}

HostProbe probe(const ProbeOptions& options) { return probe(best_probe_kernels(), options); }

std::optional<HostProbe> stored_probe(Wisdom& wisdom) {
    const auto known = wisdom.fact(host_key(this_host()), fact_name);
    if (!known) return std::nullopt;
    try {
        return parse_probe(*known);
    } catch (const UserError&) { // written by another version
        return std::nullopt;
    }
}

HostProbe known_probe(Wisdom& wisdom, const ProbeOptions& options) {
    if (auto known = stored_probe(wisdom)) return std::move(*known);
    return new_probe(wisdom, options);
}

HostProbe new_probe(Wisdom& wisdom, const ProbeOptions& options) {
    HostProbe result = probe(options);
    wisdom.store_fact(host_key(this_host()), fact_name, to_json(result));
    return result;
}

} // namespace swirl::search
