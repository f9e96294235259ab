#include "search/probe.hpp"

#include "base/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/timer.hpp"
#include "search/wisdom.hpp"

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

/// Half of each cache, so that nothing else drives the data out; of one that cores share, what is left to one of
/// them, but not less than twice the cache before. Then memory.
std::vector<Level> levels_of(const Machine& machine, Integer memory_working_set) {
    std::vector<Level> levels;
    Integer before = 0;
    const int threads_each = std::max(machine.hardware_threads / std::max(machine.cores, 1), 1);
    for (const CacheLevel& cache : machine.caches) {
        const Integer users = std::max(cache.shared_by / threads_each, 1);
        const Integer share = std::max(cache.bytes / (2 * users), std::min(2 * before, cache.bytes / 2));
        if (share <= before) continue;
        levels.push_back({fmt::format("L{}", cache.level), share});
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
            .least_samples = 3,
            .most_samples = 40,
            .precision = 0.002,
            .budget = budget};
}

/// Seconds of an iteration.
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
        // The second half begins half a page further: stores do not meet loads of equal low address bits.
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
        // Small sets are gone through several times a call, so that the call does not count.
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

const Bandwidth& MachineProbe::level_holding(Integer bytes) const {
    ensure(!bandwidth.empty(), "a probe without bandwidths");
    for (std::size_t i = 0; i + 1 < bandwidth.size(); ++i) {
        // What was measured is half of what the level holds.
        if (bytes <= 2 * bandwidth[i].working_set) return bandwidth[i];
    }
    return bandwidth.back();
}

MachineProbe probe(const ProbeKernels& kernels, const ProbeOptions& options) {
    const runtime::PinnedThread pinned;
    MachineProbe result;
    result.machine = host_machine();
    result.measured_with = kernels.made_of;
    const std::vector<Level> levels = levels_of(result.machine, options.memory_working_set);
    const double for_pages = options.budget / 4;
    const double each = (options.budget - for_pages) / static_cast<double>(4 + 3 * levels.size());
    const auto flops = [&](const ProbeKernels::Arithmetic& all) {
        return all.flops_each / seconds_of_iteration(all, each);
    };
    const auto latency = [&](const ProbeKernels::Arithmetic& chain) {
        return seconds_of_iteration(chain, each) / chain.steps;
    };
    result.flops_float32 = flops(kernels.float32);
    result.flops_float64 = flops(kernels.float64);
    result.latency_float32 = latency(kernels.chain_float32);
    result.latency_float64 = latency(kernels.chain_float64);
    result.vector_registers = target::host_cpu().vector_registers;
    Integer largest = 0;
    for (const Level& level : levels) largest = std::max(largest, level.working_set);
    const BandwidthProbe bandwidth(kernels, largest, each);
    for (const Level& level : levels) result.bandwidth.push_back(bandwidth.measure(level));
    result.pages = measure_page_costs(for_pages, options.most_pages);
    return result;
}

MachineProbe probe(const ProbeOptions& options) { return probe(best_probe_kernels(), options); }

std::optional<MachineProbe> remembered_probe(Wisdom& wisdom) {
    const auto known = wisdom.fact(machine_key(host_machine()), fact_name);
    if (!known) return std::nullopt;
    try {
        return parse_probe(*known);
    } catch (const UserError&) { // written by another version
        return std::nullopt;
    }
}

MachineProbe known_probe(Wisdom& wisdom, const ProbeOptions& options) {
    if (auto known = remembered_probe(wisdom)) return std::move(*known);
    return new_probe(wisdom, options);
}

MachineProbe new_probe(Wisdom& wisdom, const ProbeOptions& options) {
    MachineProbe result = probe(options);
    wisdom.remember_fact(machine_key(host_machine()), fact_name, to_json(result));
    return result;
}

} // namespace swirl::search
