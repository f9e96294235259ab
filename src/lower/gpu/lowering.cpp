#include "lower/gpu/lowering.hpp"

#include "base/error.hpp"
#include "loops/build.hpp"
#include "loops/gpu/arrange.hpp"
#include "loops/gpu/cluster.hpp"
#include "loops/gpu/distribute.hpp"
#include "loops/gpu/liveness.hpp"
#include "loops/gpu/place_gpu_tags.hpp"
#include "loops/gpu/regions.hpp"
#include "loops/gpu/staging.hpp"
#include "lower/context.hpp"
#include "lower/gpu/cooperative.hpp"
#include "lower/gpu/emitter.hpp"
#include "lower/pointwise_access.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// The arrays that a kernel uses; shared arrays have one copy per transform of a block.
LoopProgram arrays_for(LoopProgram loops, const KernelRegion& region,
                       const LaunchConfiguration& configuration,
                       const std::vector<std::vector<Loop>>& around_users) {
    for (Array& array : loops.arrays) array.unused = true;
    for (const Call& call : region.calls)
        for (const Memory& memory : memories_of(call))
            loops.arrays[static_cast<std::size_t>(memory.array)].unused = false;
    lay_out_arrays(loops, configuration, around_users);
    return loops;
}

KernelRequest with_roots(KernelRequest request, const LaunchConfiguration& configuration) {
    request.roots = configuration.roots;
    return request;
}

void lower_region(const KernelRequest& request, const KernelRegions& regions, const KernelRegion& original,
                  const LaunchConfiguration& configuration, const RegionObserver& observer,
                  std::vector<ir::Program>& programs) {
    LoopProgram loops = regions.loops;
    KernelRegion region = original;
    const bool holds = configuration.single_buffer;
    open_region(loops, region);
    arrange_region(loops, region, configuration.staged, holds);
    const Integer count = region.around.empty() ? 1 : region.around.back().count;
    const Integer rest = holds ? count % configuration.transforms : 0;
    const auto add = [&](const Range& range, LaunchConfiguration own) {
        own.transforms = std::min(own.transforms, range.count);
        const LoopProgram arrays = arrays_for(loops, region, own, regions.around_users);
        const KernelRequest kernel = with_roots(request, own);
        KernelRegion tagged = region;
        place_gpu_tags(arrays, tagged, own);
        if (observer) observer(arrays, tagged);
        Context context(kernel, arrays);
        GpuEmitter(context, own, tagged, regions.around_users).emit(range);
        programs.push_back(context.finish());
    };
    if (count > rest) add({0, count - rest}, configuration);
    if (rest > 0) add({count - rest, rest}, configuration);
}

ir::Program lower_cluster(const KernelRequest& request, const KernelRegions& regions,
                          LaunchConfiguration configuration, const RegionObserver& observer) {
    GpuCluster cluster =
        in_cluster(regions, configuration.cluster, configuration.smem_vector_pad, configuration.transforms);
    configuration.transforms = 1;
    const LoopProgram arrays = arrays_for(cluster.loops, cluster.region, configuration, regions.around_users);
    place_gpu_tags(arrays, cluster.region, configuration, cluster.exchanges, cluster.joined);
    if (observer) observer(arrays, cluster.region);
    const KernelRequest kernel = with_roots(request, configuration);
    Context context(kernel, arrays);
    GpuEmitter(context, configuration, cluster.region, regions.around_users)
        .emit({0, configuration.cluster}, cluster.joined);
    return context.finish();
}

bool fuses_regions(const LaunchConfiguration& configuration) {
    return configuration.cluster > 1 || configuration.fused;
}

/// Lowers to kernels of which at least one executes several fused regions.
void lower_fused(const KernelRequest& request, const KernelRegions& regions,
                 const std::vector<LaunchConfiguration>& configurations, const RegionObserver& observer,
                 std::vector<ir::Program>& programs) {
    for (std::size_t k = 0; k < regions.fused_ends.size(); ++k) {
        const LaunchConfiguration& configuration = configurations[std::min(k, configurations.size() - 1)];
        const KernelRegions own = fused_regions(regions, k);
        if (fuses_regions(configuration))
            programs.push_back(lower_cluster(request, own, configuration, observer));
        else if (own.regions.size() == 1)
            lower_region(request, own, own.regions.front(), configuration, observer, programs);
        else
            throw UserError("kernel {} has {} regions, which one kernel executes 'fused' or in a 'cluster'",
                            k, own.regions.size());
    }
}

/// All regions in one cooperative kernel of groups of blocks.
class CooperativeLowering {
public:
    CooperativeLowering(const KernelRequest& request, const KernelRegions& regions,
                        const std::vector<LaunchConfiguration>& configurations)
        : request_(with_roots(request, configurations[0])),
          regions_(regions),
          groups_{configurations[0].group_blocks, configurations[0].cooperative_groups} {
        for (std::size_t p = 0; p < regions_.regions.size(); ++p) {
            LaunchConfiguration configuration = configurations[std::min(p, configurations.size() - 1)];
            KernelRegion& region = regions_.regions[p];
            open_region(regions_.loops, region);
            arrange_region(regions_.loops, region, configuration.staged, configuration.single_buffer);
            const Integer count = own_loops(region).empty() ? 1 : region.around.back().count;
            configuration.transforms = std::min(configuration.transforms, count);
            if (configuration.threads != configurations[0].threads)
                throw UserError("regions of one kernel on {} and {} threads; they share its blocks",
                                configurations[0].threads, configuration.threads);
            if (configuration.single_buffer && count % configuration.transforms != 0)
                throw UserError(
                    "{} transforms for blocks that hold {} at once; take a divisor, or leave "
                    "out 'single_buffer'",
                    count, configuration.transforms);
            configurations_.push_back(configuration);
        }
        if (regions_.regions.size() < 2)
            throw UserError(
                "groups of blocks for what is one kernel without; leave out 'group_blocks' and "
                "'cooperative_groups'");
        if (configurations.size() > regions_.regions.size())
            throw UserError("launch configurations of {} regions; there are {}", configurations.size(),
                            regions_.regions.size());
        if (is_pipelined() && (regions_.regions.size() != 2 || regions_.common.size() > 1))
            throw UserError(
                "'pipelined' for {} regions in {} loops; use it for two regions in at most one loop",
                regions_.regions.size(), regions_.common.size());
    }

    ir::Program lower(const RegionObserver& observer) {
        place_arrays();
        for (std::size_t p = 0; p < regions_.regions.size(); ++p) {
            place_gpu_tags(regions_.loops, regions_.regions[p], configurations_[p]);
            if (observer) observer(regions_.loops, regions_.regions[p]);
        }
        Context context(request_, regions_.loops);
        ir::Builder& builder = context.builder;
        const Integer blocks = groups_.blocks * groups_.groups;
        builder.launch({.blocks = {blocks, 1, 1},
                        .threads = {configurations_[0].threads, 1, 1},
                        .resident = configurations_[0].resident,
                        .cooperative_group = groups_.blocks});
        const Affine group = groups_.groups > 1 ? builder.block(0, groups_.blocks, 0) : Affine(0);
        const ir::Address counter{.buffer = builder.add(counters()), .index = counter_distance * group};
        std::vector<Integer> counts;
        for (const Loop& loop : regions_.common) counts.push_back(loop.count);
        const DistributedLoops of_cooperative_group(counts, {groups_.blocks, groups_.groups}, blocks);
        const bool in_iteration = of_cooperative_group.repeats();
        if (is_pipelined() && in_iteration)
            emit_pipelined(context, group, counter);
        else
            of_cooperative_group.emit(builder, [&](const std::vector<Affine>& indices) {
                for (std::size_t k = 0; k < indices.size(); ++k)
                    context.bind(regions_.common[k].variable, indices[k]);
                const bool again = in_iteration && is_written_again(regions_);
                for (std::size_t p = 0; p < regions_.regions.size(); ++p) {
                    if (p > 0) builder.cooperative_barrier(counter);
                    emit(context, p, {group, counter, in_iteration && p == 0, again});
                }
            });
        ir::Program program = context.finish();
        alias_buffers(program, shared_buffers(context));
        for (ir::BufferInfo& buffer : program.buffers) {
            if (buffer.space == ir::Space::argument) buffer.non_temporal = in_iteration;
            if (buffer.space == ir::Space::scratch && !buffer.zeroed)
                buffer.evict_last = configurations_[0].evict_last;
        }
        return program;
    }

private:
    static constexpr Integer counter_distance = 16; ///< of int64, so that no two share a cache line

    struct Place {
        Affine copy; ///< of the vectors passed between regions
        ir::Address counter;
        bool follows;            ///< another region used the same shared memory before
        bool synchronizes_again; ///< before the next transform overwrites what this one has read
    };

    std::vector<Loop> own_loops(const KernelRegion& region) const {
        return {region.around.begin() + static_cast<std::ptrdiff_t>(regions_.common.size()),
                region.around.end()};
    }

    ir::BufferInfo counters() const {
        ir::BufferInfo info;
        info.name = "meetings";
        info.element = DataType::int64;
        info.space = ir::Space::scratch;
        info.elements = counter_distance * groups_.groups;
        info.written = info.zeroed = true;
        return info;
    }

    void place_arrays() {
        for (Array& array : regions_.loops.arrays) array.unused = true;
        for (std::size_t p = 0; p < regions_.regions.size(); ++p)
            for (const Call& call : regions_.regions[p].calls)
                for (const Memory& memory : memories_of(call)) {
                    Array& array = regions_.loops.arrays[static_cast<std::size_t>(memory.array)];
                    array.unused = false;
                    if (array.role != Array::Role::temporary) continue;
                    const bool shared = array.residence == Array::Residence::shared;
                    array.copies =
                        shared ? configurations_[p].transforms : groups_.groups * (is_pipelined() ? 2 : 1);
                    if (!shared) array.copies *= iterations_within(static_cast<std::size_t>(memory.array));
                    array.pitch =
                        array.elements + (shared && !array.gapless ? configurations_[p].smem_vector_pad : 0);
                }
    }

    /// Iterations of the loops around an array's users, inside the loops around all regions.
    Integer iterations_within(std::size_t array) const {
        const std::vector<Loop>& loops = regions_.around_users.at(array);
        Integer iterations = 1;
        for (std::size_t k = regions_.common.size(); k < loops.size(); ++k) iterations *= loops[k].count;
        return iterations;
    }

    bool is_pipelined() const { return configurations_[0].pipelined; }

    /// Each iteration runs the first region of one transform, then the second region of the previous transform. The
    /// regions communicate through two alternating copies, so one barrier per iteration suffices: between reading one
    /// transform and writing the next.
    void emit_pipelined(Context& context, const Affine& group, const ir::Address& counter) {
        using Half = ir::Barrier::Half;
        using Relation = ir::Condition::Relation;
        ir::Builder& builder = context.builder;
        const Loop& loop = regions_.common.front();
        const Integer iterations_per_thread = ceil_divide(loop.count, groups_.groups) + 1;
        const Affine pair = builder.open_loop("pair", 0, ceil_divide(iterations_per_thread, Integer{2}), 1,
                                              ir::For::Kind::serial);
        const Affine odd = builder.open_loop("odd", 0, 2, 1, ir::For::Kind::serial);
        const Affine turn = 2 * pair + odd, transform = groups_.groups * turn + group;
        context.bind(loop.variable, transform);
        builder.if_then(
            {{transform - loop.count, Relation::negative}},
            [&] {
                emit(context, 0, {group + groups_.groups * odd, counter, true, true});
            },
            [&] { builder.cooperative_barrier(counter, Half::wait); });
        context.bind(loop.variable, transform - groups_.groups);
        builder.if_then(
            {{turn - 1, Relation::nonnegative},
             {transform - groups_.groups - loop.count, Relation::negative}},
            [&] {
                emit(context, 1, {group + groups_.groups * (1 - odd), counter, true, true});
            },
            [&] { builder.cooperative_barrier(counter, Half::arrive); });
        builder.close_loop();
        builder.close_loop();
    }

    /// Distributes the region's blocks over the blocks of the group.
    void emit(Context& context, std::size_t p, const Place& place) {
        const KernelRegion& region = regions_.regions[p];
        const LaunchConfiguration& configuration = configurations_[p];
        const std::vector<Loop> own = own_loops(region);
        std::vector<Integer> counts;
        for (const Loop& loop : own) counts.push_back(loop.count);
        if (!counts.empty()) counts.back() = ceil_divide(counts.back(), configuration.transforms);
        const DistributedLoops of_block(counts, {1, groups_.blocks}, groups_.blocks * groups_.groups);
        const bool repeats = of_block.repeats(), once = !repeats && of_block.is_even();
        const bool waits = place.synchronizes_again && p == 0;
        const bool arrives = place.synchronizes_again && p + 1 == regions_.regions.size();
        HalfBarriers halves{.counter = place.counter};
        if (waits && once) halves.wait_before = first_writing(regions_, region);
        if (arrives && once) halves.arrive_after = last_reading(regions_, region);
        ir::Builder& builder = context.builder;
        if (waits && !once) builder.cooperative_barrier(place.counter, ir::Barrier::Half::wait);
        of_block.emit(builder, [&](const std::vector<Affine>& indices) {
            for (std::size_t k = 0; k + 1 < indices.size(); ++k) context.bind(own[k].variable, indices[k]);
            if (repeats || place.follows) builder.barrier(); // shared memory is reused
            Affine first = own.empty() ? Affine(0) : configuration.transforms * indices.back();
            if (own.empty() && !region.around.empty())
                first = context.placed(Affine::of(region.around.back().variable));
            GpuEmitter(context, configuration, region, regions_.around_users)
                .emit_in_cooperative_group(first, {place.copy, regions_.common.size()}, halves);
        });
        if (arrives && !once) builder.cooperative_barrier(place.counter, ir::Barrier::Half::arrive);
    }

    std::vector<std::vector<ir::Buffer>> shared_buffers(const Context& context) const {
        std::vector<std::vector<ir::Buffer>> lists;
        for (const KernelRegion& region : regions_.regions) {
            std::vector<ir::Buffer>& list = lists.emplace_back();
            for (const Call& call : region.calls)
                for (const Memory* memory : {&call.input, &call.output}) {
                    if (!is_shared(regions_.loops, *memory)) continue;
                    const Buffers buffers = context.buffers_of(*memory);
                    for (const ir::Buffer buffer : {buffers.re, buffers.im})
                        if (std::find(list.begin(), list.end(), buffer) == list.end()) list.push_back(buffer);
                }
        }
        return lists;
    }

    const KernelRequest request_;
    KernelRegions regions_;
    CooperativeGroups groups_;
    std::vector<LaunchConfiguration> configurations_; ///< by region
};

KernelRequest on_gpu(KernelRequest request) {
    request.loops.lanes = 1;
    request.loops.pairs = false;
    request.loops.cache_bytes = 0;
    request.loops.for_gpu = true;
    return request;
}

} // namespace

namespace {

bool has_complete_elements(const KernelRegions& regions, const KernelRequest& request) {
    return std::all_of(regions.regions.begin(), regions.regions.end(), [&](const KernelRegion& region) {
        return std::all_of(region.calls.begin(), region.calls.end(), [&](const Call& call) {
            return has_complete_elements(call, regions.loops.extents, request.load, request.store);
        });
    });
}

/// Uses the formula that has each complex element of a half spectrum in a single iteration, if callbacks need it.
KernelRegions regions_by_complex_entries(const KernelRequest& request, Between between,
                                         Integer separate_above) {
    if (!request.by_complex_entries) return kernel_regions(build(request.loops), between, separate_above);
    try {
        KernelRegions regions = kernel_regions(build(request.loops), between, separate_above);
        if (has_complete_elements(regions, request)) return regions;
    } catch (const UnfollowedMap&) {} // forms are followed less far than addresses
    KernelRequest other = request;
    other.loops.formula = *request.by_complex_entries;
    return kernel_regions(build(other.loops), between, separate_above);
}

/// With padded rows of shared memory, if the maps allow it.
std::optional<KernelRegions> regions_in_rows(const KernelRequest& request, Between between,
                                             Integer separate_above = 0) {
    try {
        return regions_by_complex_entries(request, between, separate_above);
    } catch (const UnfollowedMap&) {
        return std::nullopt;
    }
}

} // namespace

KernelRegions kernel_regions_of(const KernelRequest& original, Integer smem_pad_interval, Between between,
                                bool fuse_nested, Integer separate_above) {
    KernelRequest request = on_gpu(original);
    request.loops.nest_loops_inside = fuse_nested;
    KernelRegions regions = regions_by_complex_entries(request, between, separate_above);
    if (smem_pad_interval == 0) return regions;
    for (const int communicated : regions.communicated) {
        const Integer below = regions.loops.arrays[static_cast<std::size_t>(communicated)].elements - 1;
        request.loops.shared_entries =
            request.loops.shared_entries == 0 ? below : std::min(request.loops.shared_entries, below);
    }
    request.loops.smem_pad_interval = smem_pad_interval;
    const std::optional<KernelRegions> padded = regions_in_rows(request, between, separate_above);
    return !padded || index_tables(*padded) > index_tables(regions) ? regions : *padded;
}

KernelRegions kernel_regions_of_passes(const KernelRequest& original, Integer smem_pad_interval,
                                       bool fuse_nested) {
    KernelRequest request = on_gpu(original);
    request.loops.nest_loops_inside = fuse_nested;
    request.loops.smem_pad_interval = smem_pad_interval;
    const std::optional<KernelRegions> regions = regions_in_rows(request, Between::global);
    const bool suits = regions && regions->communicated.empty() && index_tables(*regions) == 0;
    return suits ? *regions : kernel_regions_of(original, smem_pad_interval, Between::global, fuse_nested);
}

std::vector<ir::Program> lower_to_gpu(const KernelRequest& request,
                                      const std::vector<LaunchConfiguration>& configurations,
                                      const RegionObserver& observer) {
    ensure(!configurations.empty(), "no mapping for a GPU kernel");
    for (const LaunchConfiguration& configuration : configurations)
        ensure(configuration.threads >= 1 && configuration.transforms >= 1, "{} threads for {} transforms",
               configuration.threads, configuration.transforms);
    const bool in_cluster = std::any_of(configurations.begin(), configurations.end(), fuses_regions);
    const KernelRegions regions = kernel_regions_of(
        request, configurations.front().smem_pad_interval, in_cluster ? Between::shared : Between::global,
        configurations.front().fuse_nested, configurations.front().separate_above);
    const KernelRequest kernel = on_gpu(request);
    if (configurations.front().group_blocks > 0)
        return {CooperativeLowering(kernel, regions, configurations).lower(observer)};
    std::vector<ir::Program> programs;
    if (in_cluster) lower_fused(kernel, regions, configurations, observer, programs);
    for (std::size_t k = 0; k < regions.regions.size() && !in_cluster; ++k)
        lower_region(kernel, regions, regions.regions[k],
                     configurations[std::min(k, configurations.size() - 1)], observer, programs);
    for (std::size_t k = 0; programs.size() > 1 && k < programs.size(); ++k)
        programs[k].name += fmt::format("_{}", k);
    return programs;
}

} // namespace swirl::lower
