#include "lower/gpu/lowering.hpp"

#include "lower/context.hpp"
#include "lower/gpu/cooperative.hpp"
#include "lower/gpu/emitter.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

KernelRequest with_roots(KernelRequest request, const LaunchConfiguration& configuration) {
    request.roots = configuration.roots;
    return request;
}

/// The code of a cooperative kernel of groups of blocks.
class CooperativeLowering {
public:
    CooperativeLowering(const KernelRequest& request, const KernelLoops& kernel)
        : request_(with_roots(request, kernel.configurations.front())),
          regions_(kernel.regions),
          groups_{kernel.configurations.front().group_blocks,
                  kernel.configurations.front().cooperative_groups},
          configurations_(kernel.configurations) {}

    ir::Program lower() {
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

    struct GroupState {
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
        info.name = "barrier_counters";
        info.element = DataType::int64;
        info.space = ir::Space::scratch;
        info.elements = counter_distance * groups_.groups;
        info.written = info.zeroed = true;
        return info;
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
        const Affine odd = builder.open_loop("parity", 0, 2, 1, ir::For::Kind::serial);
        const Affine iteration = 2 * pair + odd, transform = groups_.groups * iteration + group;
        context.bind(loop.variable, transform);
        builder.if_then(
            {{transform - loop.count, Relation::negative}},
            [&] {
                emit(context, 0, {group + groups_.groups * odd, counter, true, true});
            },
            [&] { builder.cooperative_barrier(counter, Half::wait); });
        context.bind(loop.variable, transform - groups_.groups);
        builder.if_then(
            {{iteration - 1, Relation::nonnegative},
             {transform - groups_.groups - loop.count, Relation::negative}},
            [&] {
                emit(context, 1, {group + groups_.groups * (1 - odd), counter, true, true});
            },
            [&] { builder.cooperative_barrier(counter, Half::arrive); });
        builder.close_loop();
        builder.close_loop();
    }

    /// Distributes the region's blocks over the blocks of the group.
    void emit(Context& context, std::size_t p, const GroupState& state) {
        const KernelRegion& region = regions_.regions[p];
        const LaunchConfiguration& configuration = configurations_[p];
        const std::vector<Loop> own = own_loops(region);
        std::vector<Integer> counts;
        for (const Loop& loop : own) counts.push_back(loop.count);
        if (!counts.empty()) counts.back() = ceil_divide(counts.back(), configuration.transforms);
        const DistributedLoops of_block(counts, {1, groups_.blocks}, groups_.blocks * groups_.groups);
        const bool repeats = of_block.repeats(), once = !repeats && of_block.is_even();
        const bool waits = state.synchronizes_again && p == 0;
        const bool arrives = state.synchronizes_again && p + 1 == regions_.regions.size();
        HalfBarriers halves{.counter = state.counter};
        if (waits && once) halves.wait_before = first_writing(regions_, region);
        if (arrives && once) halves.arrive_after = last_reading(regions_, region);
        ir::Builder& builder = context.builder;
        if (waits && !once) builder.cooperative_barrier(state.counter, ir::Barrier::Half::wait);
        of_block.emit(builder, [&](const std::vector<Affine>& indices) {
            for (std::size_t k = 0; k + 1 < indices.size(); ++k) context.bind(own[k].variable, indices[k]);
            if (repeats || state.follows) builder.barrier(); // shared memory is reused
            Affine first = own.empty() ? Affine(0) : configuration.transforms * indices.back();
            if (own.empty() && !region.around.empty())
                first = context.placed(Affine::of(region.around.back().variable));
            GpuEmitter(context, configuration, region)
                .emit_in_cooperative_group(first, {state.copy, regions_.common.size()}, halves);
        });
        if (arrives && !once) builder.cooperative_barrier(state.counter, ir::Barrier::Half::arrive);
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
    const KernelRegions& regions_;
    CooperativeGroups groups_;
    const std::vector<LaunchConfiguration>& configurations_; ///< by region
};

ir::Program lower_kernel(const KernelRequest& request, const KernelLoops& kernel) {
    if (kernel.is_cooperative()) return CooperativeLowering(request, kernel).lower();
    const KernelRequest own = with_roots(request, kernel.configurations.front());
    Context context(own, kernel.regions.loops);
    GpuEmitter(context, kernel.configurations.front(), kernel.regions.regions.front()).emit(kernel.range);
    return context.finish();
}

/// Takes long tables from an earlier kernel that has the same: the two transforms of a convolution have many in common.
void share_tables(ir::Program& program, const std::vector<ir::Program>& earlier) {
    constexpr std::size_t shortest = std::size_t{1} << 16; // bytes
    const auto known_as = [&](const ir::TableData& contents) -> const ir::TableData& {
        for (const ir::Program& other : earlier)
            for (const ir::BufferInfo& known : other.buffers)
                if (known.contents && *known.contents == *contents) return known.contents;
        return contents;
    };
    for (ir::BufferInfo& buffer : program.buffers)
        if (buffer.contents && buffer.contents->bytes() >= shortest)
            buffer.contents = known_as(buffer.contents);
}

} // namespace

std::vector<ir::Program> lower_to_gpu(const KernelRequest& request,
                                      const std::vector<LaunchConfiguration>& configurations) {
    KernelRequest own = request;
    own.loops = on_gpu(request.loops);
    std::vector<ir::Program> programs;
    for (const KernelLoops& kernel : loops_for_gpu(request.loops, configurations)) {
        ir::Program program = lower_kernel(own, kernel);
        share_tables(program, programs);
        programs.push_back(std::move(program));
    }
    for (std::size_t k = 0; programs.size() > 1 && k < programs.size(); ++k)
        programs[k].name += fmt::format("_kernel_{}", k + 1);
    return programs;
}

} // namespace swirl::lower
