#include "search/candidates/gpu/launch_configurations.hpp"

#include "loops/gpu/cluster.hpp"
#include "loops/gpu/communicated.hpp"
#include "loops/gpu/lay_out_arrays.hpp"
#include "loops/gpu/passes.hpp"
#include "search/candidates/gpu/trees.hpp"

#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace swirl::search {

using loops::Between;
using loops::KernelRegion;
using loops::KernelRegions;
using loops::LaunchConfiguration;
using rules::BreakdownTree;

namespace {

constexpr Integer default_pitch = 1; ///< assumed when dividing threads, before the best pitch is known
constexpr Integer block_sizes[] = {64, 128, 256, 512, 1024}; ///< in threads, approximate
constexpr Integer max_cluster_entries = 32;                  ///< per thread, where blocks exchange data
constexpr Integer max_entries = 64; ///< per thread between two barriers, in 32-bit words

/// The divisor of n with the least ratio to `wanted`.
Integer nearest_divisor(Integer n, Integer wanted) {
    for (Integer distance = 0;; ++distance) {
        const Integer below = wanted - distance, above = wanted + distance;
        if (below > 0 && n % below == 0) return below;
        if (above <= n && n % above == 0) return above;
    }
}

/// Product of passes, or a rule around it.
bool is_product_of_passes(const BreakdownTree& tree) {
    if (tree.rule == "stockham" || tree.rule == "rdft-stockham" || tree.rule == "wht-stockham") return true;
    return tree.children.size() == 1 && tree.choice.empty() && is_product_of_passes(tree.children.front());
}

struct Arranged {
    loops::LoopProgram loops;
    KernelRegion region;
};
Arranged arranged_as(const KernelRegions& regions, const KernelRegion& region, loops::SmemStaging staged,
                     bool held) {
    loops::KernelLoops kernel{
        {.loops = regions.loops, .regions = {region}},
        {{.threads = 1, .smem_vector_pad = default_pitch, .single_buffer = held, .staged = staged}}};
    loops::run(loops::arranging_passes(), kernel);
    loops::lay_out_arrays(kernel);
    return {std::move(kernel.regions.loops), std::move(kernel.regions.regions.front())};
}

/// The ways to stage that have an effect: staging leaves out a side without contiguous ranges. Elsewhere it adds calls.
std::vector<loops::SmemStaging> effective_staging(const KernelRegions& regions, const KernelRegion& region) {
    using loops::SmemStaging;
    const auto calls = [&](SmemStaging sides) {
        return arranged_as(regions, region, sides, false).region.calls.size();
    };
    const std::size_t without = calls(SmemStaging::none);
    const bool in = calls(SmemStaging::in) > without, out = calls(SmemStaging::out) > without;
    if (in && out) return {SmemStaging::both, SmemStaging::in, SmemStaging::out};
    if (in) return {SmemStaging::in};
    if (out) return {SmemStaging::out};
    return {};
}

/// Whether threads hold their inputs in registers anywhere.
bool holds(const Arranged& lowered) {
    return std::any_of(
        lowered.region.calls.begin(), lowered.region.calls.end(), [&](const loops::Call& call) {
            return is_shared(lowered.loops, call.input) && call.input.array == call.output.array;
        });
}

} // namespace

GpuCode LaunchConfigurations::code() const {
    return {planning::arithmetic_of(problem_.precision), pass_.complex, problem_.precision};
}

Integer LaunchConfigurations::words() const { return code().scalar == DataType::float64 ? 2 : 1; }

Integer LaunchConfigurations::entry_bytes() const {
    return (pass_.complex ? 2 : 1) * bytes_of(planning::arithmetic_of(problem_.precision));
}

KernelRegions LaunchConfigurations::regions_of(const BreakdownTree& tree, Integer row, Between between,
                                               Integer separate_above) const {
    const loops::Request request = planning::kernel_request(problem_, {pass_, tree}).loops;
    const bool simple = between == Between::global && separate_above == 0 && is_product_of_passes(tree);
    loops::KernelLoops kernels{
        simple ? loops::kernel_regions_of_passes(request, row, stays_whole(tree))
               : loops::kernel_regions_of(request, row, between, stays_whole(tree), separate_above),
        {}};
    kernels.configurations.resize(kernels.regions.regions.size(), {.threads = 1});
    loops::run(loops::opening_passes(), kernels);
    return std::move(kernels.regions);
}

std::vector<RatedConfiguration> LaunchConfigurations::of_region(const KernelRegions& regions,
                                                                const KernelRegion& region, Integer row,
                                                                bool whole) const {
    std::vector<RatedConfiguration> rated;
    if (leaves_out_by_table(regions, region)) return rated;
    const Integer available = region.around.empty() ? 1 : region.around.back().count;
    std::set<std::pair<Integer, Integer>> shapes; // transforms, threads
    const Integer for_all = transforms_for_all_multiprocessors(region);
    // Where a block's memory leaves room for few of them, threads that hold more in registers may save a second array.
    const bool fills_memory = regions.regions.size() == 1 &&
                              4 * pass_.nonterminal.rows() * entry_bytes() > gpu_.max_shared_bytes_per_block;
    for (const Integer threads : threads_per_transform(region, fills_memory ? 5 : 1)) {
        const auto add = [&](Integer transforms) {
            if (threads * transforms <= gpu_.threads_per_block)
                shapes.insert({transforms, std::max<Integer>(threads * transforms, gpu_.warp_size)});
        };
        for (const Integer size : block_sizes) {
            const Integer transforms = std::clamp<Integer>((size + threads / 2) / threads, 1, available);
            for (const Integer suitable : {transforms, nearest_divisor(available, transforms)}) add(suitable);
        }
        if (regions.regions.size() == 1 && for_all * threads < block_sizes[0])
            for (const Integer transforms : {for_all, 4 * for_all}) add(std::min(transforms, available));
    }
    bool scatters = false;
    const auto add_staged = [&](loops::SmemStaging staged) {
        std::map<std::pair<Integer, Integer>, Integer> resident; // blocks without a single buffer, by shape
        for (const bool held : {false, true}) {
            const Arranged lowered = arranged_as(regions, region, staged, held);
            if (held && !holds(lowered)) break;
            for (const auto& [transforms, threads] : shapes) {
                const LaunchConfiguration configuration{.threads = threads,
                                                        .transforms = transforms,
                                                        .smem_pad_interval = row,
                                                        .single_buffer = held,
                                                        .staged = staged,
                                                        .fuse_nested = whole};
                const GpuPitchedCost best = best_gpu_pitch(lowered.loops, lowered.region, configuration,
                                                           code(), gpu_, bound_of(rated));
                scatters = scatters || best.scattered > 0.2;
                if (best.cost && !held) resident[{transforms, threads}] = best.cost->resident_blocks;
                // What threads hold past a barrier costs registers: it pays where more blocks are resident for it.
                const auto without = resident.find({transforms, threads});
                const bool pays = !held || without == resident.end() || !best.cost ||
                                  best.cost->resident_blocks > without->second;
                if (best.cost && pays)
                    add(rated, configuration, best,
                        seconds_of_rest(lowered.loops, lowered.region, configuration));
            }
        }
    };
    add_staged(loops::SmemStaging::none);
    if (scatters)
        for (const loops::SmemStaging staged : effective_staging(regions, region)) add_staged(staged);
    return rated;
}

/// Transforms of a block that leave a block for each multiprocessor.
Integer LaunchConfigurations::transforms_for_all_multiprocessors(const KernelRegion& region) const {
    Integer transforms = 1;
    for (const loops::Loop& loop : region.around) transforms *= loop.count;
    return std::max<Integer>(transforms / std::max(gpu_.multiprocessors, 1), 1);
}

/// Whether a table of indices locates results that the store expression omits: no condition can express these.
bool LaunchConfigurations::leaves_out_by_table(const KernelRegions& regions,
                                               const KernelRegion& region) const {
    if (!pass_.store || pass_.store->where.empty()) return false;
    return std::any_of(region.calls.begin(), region.calls.end(), [&](const loops::Call& call) {
        const auto role = regions.loops.arrays[static_cast<std::size_t>(call.output.array)].role;
        const auto& targets = call.placement.targets;
        return role != loops::Array::Role::temporary &&
               std::any_of(targets.begin(), targets.end(),
                           [](const loops::Location& location) { return location.table.has_value(); });
    });
}

/// The time that a new candidate must beat to be among the best.
double LaunchConfigurations::bound_of(const std::vector<RatedConfiguration>& rated) const {
    return rated.size() < ranks_ ? std::numeric_limits<double>::infinity() : rated.back().seconds;
}

std::optional<GpuKernelCost> LaunchConfigurations::cost_of_rest(
    const loops::LoopProgram& loops, const KernelRegion& region,
    const LaunchConfiguration& configuration) const {
    const Integer rest = region.around.empty() || !configuration.single_buffer
                             ? 0
                             : region.around.back().count % configuration.transforms;
    if (rest == 0) return std::nullopt;
    KernelRegion own = region;
    own.around.back().count = rest;
    LaunchConfiguration one = configuration;
    one.transforms = rest;
    return gpu_kernel_cost(loops, own, one, code(), gpu_);
}

double LaunchConfigurations::seconds_of_rest(const loops::LoopProgram& loops, const KernelRegion& region,
                                             const LaunchConfiguration& configuration) const {
    const auto cost = cost_of_rest(loops, region, configuration);
    return cost ? cost->seconds : 0;
}

/// Inserts into the best so far, fastest first.
void LaunchConfigurations::add(std::vector<RatedConfiguration>& rated, LaunchConfiguration configuration,
                               const GpuPitchedCost& best, double seconds_of_rest) const {
    configuration.smem_vector_pad = best.smem_vector_pad;
    configuration.resident = best.cost->resident_blocks;
    rated.push_back({configuration, best.cost->seconds + seconds_of_rest});
    fastest_first(rated);
    if (rated.size() > ranks_) rated.pop_back();
}

/// As many threads as a call has iterations per transform, or a half or a quarter of them, or a fraction down to
/// 1/`most_iterations`.
std::vector<Integer> LaunchConfigurations::threads_per_transform(const KernelRegion& region,
                                                                 Integer most_iterations) const {
    std::set<Integer> threads;
    const auto entries_of = [](const loops::Call& call) {
        return std::max(call.codelet.rows, call.codelet.columns) * (call.complex ? 2 : 1);
    };
    const auto computes = [](const loops::Call& call) { return call.codelet.formula.has_value(); };
    const bool only_moves = std::none_of(region.calls.begin(), region.calls.end(), computes);
    const auto counts = [&](const loops::Call& call) { return only_moves || computes(call); };
    Integer most = 0;
    for (const loops::Call& call : region.calls)
        if (counts(call)) most = std::max(most, iterations_of(call.loops) * entries_of(call));
    // The transforms chained in a convolution have about equal size. For reals, the separate work at the ends is
    // smaller.
    const Integer least = pass_.nonterminal.is<formula::Dft>() ? most / 2 : most;
    for (const loops::Call& call : region.calls) {
        const Integer iterations = iterations_of(call.loops);
        const Integer entries = std::max(call.codelet.rows, call.codelet.columns);
        if (!counts(call) || iterations * entries_of(call) < least) continue;
        for (const Integer thread_iterations : {1, 2, 3, 4, 5})
            if ((thread_iterations % 2 == 0 || thread_iterations <= most_iterations) &&
                iterations % thread_iterations == 0 &&
                iterations / thread_iterations <= gpu_.threads_per_block &&
                (thread_iterations == 1 || thread_iterations * entries * words() <= max_entries))
                threads.insert(iterations / thread_iterations);
    }
    if (threads.empty()) // more iterations than threads in a block, and not divisible by one
        threads.insert(std::begin(block_sizes), std::end(block_sizes));
    return {threads.begin(), threads.end()};
}

std::vector<RatedConfiguration> LaunchConfigurations::of_fused_regions(const KernelRegions& regions,
                                                                       Integer blocks, Integer entries,
                                                                       bool neighbours) const {
    const Integer available = neighbours && !regions.common.empty() ? regions.common.back().count : 1;
    const bool is_real = pass_.nonterminal.is<formula::RealDft>() ||
                         (!pass_.complex && pass_.nonterminal.is<formula::Circulant>());
    const Integer scalars = is_real ? 2 : 1; // per entry of a thread
    std::vector<RatedConfiguration> rated;
    if (!loops::has_shareable_loops(regions)) return rated;
    for (const Integer transforms : {1, 2, 4, 8, 16, 32}) {
        if (available % transforms != 0 || transforms * entries / blocks * entry_bytes() > max_fused_bytes())
            break;
        for (const Integer threads : block_sizes) {
            const Integer of_thread = transforms * entries / blocks / threads / scalars;
            if (of_thread < 8 || of_thread > max_cluster_entries) continue;
            const LaunchConfiguration configuration{.threads = threads,
                                                    .transforms = transforms,
                                                    .smem_pad_interval = bank_count,
                                                    .single_buffer = true,
                                                    .cluster = blocks,
                                                    .fused = blocks == 1};
            if (const auto best = with_best_pitch(regions, configuration)) rated.push_back(*best);
        }
    }
    fastest_first(rated);
    return rated;
}

std::optional<RatedConfiguration> LaunchConfigurations::with_best_pitch(
    const KernelRegions& regions, LaunchConfiguration configuration) const {
    std::optional<RatedConfiguration> best;
    for (const Integer pitch : {1, 2, 3}) {
        configuration.smem_vector_pad = pitch;
        const auto cost = fused_cost(regions, configuration);
        if (!cost || (best && cost->seconds >= best->seconds)) continue;
        best = RatedConfiguration{configuration, cost->seconds};
        best->configuration.resident = cost->resident_blocks;
    }
    return best;
}

std::optional<GpuKernelCost> LaunchConfigurations::fused_cost(
    const KernelRegions& regions, const LaunchConfiguration& configuration) const {
    const Integer blocks = configuration.cluster;
    const KernelRegions cluster =
        in_cluster(regions, blocks, configuration.smem_vector_pad, configuration.transforms);
    LaunchConfiguration one = configuration;
    one.transforms = 1;
    const GpuKernelCost cost = gpu_kernel_cost(cluster.loops, cluster.regions.front(), one, code(), gpu_);
    if (cost.resident_blocks == 0 || cost.spills) return std::nullopt;
    return cost;
}

std::optional<std::vector<GpuKernelCost>> LaunchConfigurations::group_costs(
    const KernelRegions& regions, const std::vector<LaunchConfiguration>& configurations) const {
    const LaunchConfiguration& first = configurations.front();
    std::vector<GpuKernelCost> costs;
    for (std::size_t k = 0; k < regions.regions.size(); ++k) {
        const auto cost =
            cost_of(regions, regions.regions[k], configurations[std::min(k, configurations.size() - 1)]);
        if (!cost) return std::nullopt;
        costs.push_back(*cost);
    }
    const auto fewest = std::min_element(costs.begin(), costs.end(), [](const auto& a, const auto& b) {
        return a.resident_blocks < b.resident_blocks;
    });
    const Integer resident = fewest->resident_blocks;
    if (first.group_blocks * first.cooperative_groups > resident * gpu_.multiprocessors) return std::nullopt;
    const auto ends = static_cast<double>(costs.size());
    for (std::size_t k = 0; k < costs.size(); ++k) {
        GpuKernelFeatures& features = costs[k].features;
        features.resident_blocks = static_cast<double>(resident);
        features.group_blocks = static_cast<double>(first.group_blocks * first.cooperative_groups);
        features.exchanged = k == 0 || k + 1 == costs.size() ? 0.5 : 1;
        features.group_rounds =
            static_cast<double>(ceil_divide(batch(), first.cooperative_groups)) * (ends - 1) / ends;
        costs[k].resident_blocks = static_cast<int>(resident);
        costs[k].seconds = gpu_kernel_seconds(features, gpu_);
    }
    return costs;
}

Integer LaunchConfigurations::batch() const {
    return std::accumulate(pass_.left.begin(), pass_.left.end(), Integer{1}, std::multiplies<>());
}

std::optional<LaunchConfigurations::GroupRegion> LaunchConfigurations::best_of_group(
    const KernelRegions& regions, const KernelRegion& region, Integer threads) const {
    constexpr Integer min_entries = 4, max_entries = 32; // per thread
    const Integer available = region.around.empty() ? 1 : region.around.back().count;
    std::optional<GroupRegion> best;
    for (const Integer transforms : {4, 5, 8, 10, 16, 20, 25, 32}) {
        if (available % transforms != 0) continue; // the blocks of a group have equal work
        const LaunchConfiguration configuration{.threads = threads,
                                                .transforms = transforms,
                                                .smem_pad_interval = bank_count,
                                                .smem_vector_pad = default_pitch,
                                                .single_buffer = true};
        const auto cost = cost_of(regions, region, configuration);
        if (!cost || cost->spills) continue;
        const auto blocks = static_cast<Integer>(cost->features.blocks) / batch();
        if (blocks < 2) continue;
        const Integer entries = pass_.nonterminal.rows() / blocks / threads;
        if (entries < min_entries || entries > max_entries) continue;
        if (!best || cost->seconds < best->cost.seconds) best = GroupRegion{configuration, *cost, blocks};
    }
    return best;
}

std::optional<RatedGroups> LaunchConfigurations::groups_of(const KernelRegions& regions,
                                                           Integer threads) const {
    constexpr Integer min_rounds = 4;      // with fewer the load is uneven
    constexpr double fraction_of_l2 = 0.3; // for the vectors that groups exchange
    RatedGroups groups{{}, 0};
    Integer blocks = 1, resident = gpu_.blocks_per_multiprocessor;
    for (const KernelRegion& region : regions.regions) {
        const auto best = best_of_group(regions, region, threads);
        if (!best) return std::nullopt;
        groups.configurations.push_back(best->configuration);
        blocks = std::max(blocks, best->blocks);
        resident = std::min<Integer>(resident, best->cost.resident_blocks);
    }
    const auto vectors = static_cast<Integer>(fraction_of_l2 * static_cast<double>(gpu_.l2_bytes) /
                                              static_cast<double>(pass_.nonterminal.rows() * entry_bytes()));
    LaunchConfiguration& first = groups.configurations.front();
    first.group_blocks = blocks;
    first.cooperative_groups =
        std::min({resident * gpu_.multiprocessors / blocks, vectors, batch() / min_rounds});
    if (first.cooperative_groups < 1) return std::nullopt;
    const auto costs = group_costs(regions, groups.configurations);
    if (!costs) return std::nullopt;
    for (const GpuKernelCost& cost : *costs) groups.seconds += cost.seconds;
    return groups;
}

std::vector<RatedGroups> LaunchConfigurations::of_groups(const KernelRegions& regions) const {
    std::vector<RatedGroups> rated;
    if (!gpu_.has_cooperative_groups || gpu_.multiprocessors == 0 || regions.regions.size() < 2 ||
        pass_.left.size() > 1 || !pass_.right.empty())
        return rated;
    for (const Integer threads : {256, 512})
        if (auto groups = groups_of(regions, threads)) rated.push_back(std::move(*groups));
    fastest_first(rated);
    return rated;
}

std::optional<GpuKernelCost> LaunchConfigurations::rest_of(const KernelRegions& regions,
                                                           const KernelRegion& region,
                                                           const LaunchConfiguration& configuration) const {
    const Arranged lowered = arranged_as(regions, region, configuration.staged, configuration.single_buffer);
    return cost_of_rest(lowered.loops, lowered.region, configuration);
}

std::optional<GpuKernelCost> LaunchConfigurations::cost_of(const KernelRegions& regions,
                                                           const KernelRegion& region,
                                                           const LaunchConfiguration& configuration) const {
    const Arranged lowered = arranged_as(regions, region, configuration.staged, configuration.single_buffer);
    const GpuKernelCost cost = gpu_kernel_cost(lowered.loops, lowered.region, configuration, code(), gpu_);
    if (cost.resident_blocks == 0) return std::nullopt;
    return cost;
}

std::optional<std::vector<GpuKernelCost>> LaunchConfigurations::costs_of(
    const planning::PassSchedule& schedule) const {
    const std::vector<LaunchConfiguration>& own = schedule.configurations;
    if (own.empty()) return std::nullopt;
    const auto is_fused = [](const LaunchConfiguration& one) { return one.cluster > 1 || one.fused; };
    const bool shares = std::any_of(own.begin(), own.end(), is_fused);
    const KernelRegions regions =
        regions_of(schedule.tree, own.front().smem_pad_interval, shares ? Between::shared : Between::global,
                   own.front().separate_above);
    if (own.front().group_blocks > 0) return group_costs(regions, own);
    const std::size_t kernels = shares ? regions.fused_ends.size() : regions.regions.size();
    std::vector<GpuKernelCost> costs;
    for (std::size_t k = 0; k < kernels; ++k) {
        const LaunchConfiguration& configuration = own[std::min(k, own.size() - 1)];
        std::optional<GpuKernelCost> cost, rest;
        if (!shares) {
            cost = cost_of(regions, regions.regions[k], configuration);
            rest = rest_of(regions, regions.regions[k], configuration);
        } else {
            const KernelRegions fused = loops::fused_regions(regions, k);
            if (is_fused(configuration))
                cost = fused_cost(fused, configuration);
            else if (fused.regions.size() == 1)
                cost = cost_of(fused, fused.regions.front(), configuration);
        }
        if (!cost) return std::nullopt;
        costs.push_back(*cost);
        if (rest) costs.push_back(*rest);
    }
    return costs;
}

} // namespace swirl::search
