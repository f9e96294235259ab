#include "lower/gpu_lowering.hpp"

#include "base/error.hpp"
#include "lower/context.hpp"
#include "lower/gpu_cluster.hpp"
#include "lower/gpu_emitter.hpp"
#include "lower/gpu_group.hpp"
#include "lower/gpu_liveness.hpp"
#include "lower/gpu_parts.hpp"
#include "lower/gpu_spread.hpp"
#include "lower/gpu_staging.hpp"
#include "lower/pointwise_access.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// The arrays as a kernel sees them: those it uses, one copy of what is shared for each of a block's transforms.
LoopProgram arrays_for(LoopProgram loops, const GpuPart& part, const GpuMapping& mapping,
                       const std::vector<std::vector<Loop>>& around_users) {
    for (Array& array : loops.arrays) array.unused = true;
    for (const Call& call : part.calls)
        for (const Memory& memory : memories_of(call))
            loops.arrays[static_cast<std::size_t>(memory.array)].unused = false;
    lay_out_arrays(loops, mapping, around_users);
    return loops;
}

KernelRequest with_roots(KernelRequest request, const GpuMapping& mapping) {
    request.roots = mapping.roots;
    return request;
}

void lower_part(const KernelRequest& request, const GpuParts& parts, const GpuPart& original,
                const GpuMapping& mapping, std::vector<ir::Program>& programs) {
    LoopProgram loops = parts.loops;
    GpuPart part = original;
    const bool holds = mapping.one_vector;
    open_part(loops, part);
    arrange_part(loops, part, mapping.staged, holds);
    const Integer count = part.around.empty() ? 1 : part.around.back().count;
    const Integer rest = holds ? count % mapping.transforms : 0;
    const auto add = [&](const Range& range, GpuMapping own) {
        own.transforms = std::min(own.transforms, range.count);
        const LoopProgram arrays = arrays_for(loops, part, own, parts.around_users);
        const KernelRequest kernel = with_roots(request, own);
        Context context(kernel, arrays);
        GpuEmitter(context, own, part, parts.around_users).emit(range);
        programs.push_back(context.finish());
    };
    if (count > rest) add({0, count - rest}, mapping);
    if (rest > 0) add({count - rest, rest}, mapping);
}

ir::Program lower_cluster(const KernelRequest& request, const GpuParts& parts, GpuMapping mapping) {
    const GpuCluster cluster = in_cluster(parts, mapping.cluster, mapping.shared_pitch, mapping.transforms);
    mapping.transforms = 1;
    const LoopProgram arrays = arrays_for(cluster.loops, cluster.part, mapping, parts.around_users);
    const KernelRequest kernel = with_roots(request, mapping);
    Context context(kernel, arrays);
    GpuEmitter(context, mapping, cluster.part, parts.around_users)
        .emit({0, mapping.cluster}, cluster.exchanges, cluster.joined);
    return context.finish();
}

bool does_together(const GpuMapping& mapping) { return mapping.cluster > 1 || mapping.together; }

/// Kernels of which at least one does several parts together.
void lower_together(const KernelRequest& request, const GpuParts& parts,
                    const std::vector<GpuMapping>& mappings, std::vector<ir::Program>& programs) {
    for (std::size_t k = 0; k < parts.ends_together.size(); ++k) {
        const GpuMapping& mapping = mappings[std::min(k, mappings.size() - 1)];
        const GpuParts own = together(parts, k);
        if (does_together(mapping))
            programs.push_back(lower_cluster(request, own, mapping));
        else if (own.parts.size() == 1)
            lower_part(request, own, own.parts.front(), mapping, programs);
        else
            throw UserError("kernel {} does {} parts, which one kernel does 'together' or in a 'cluster'", k,
                            own.parts.size());
    }
}

/// All parts in one kernel of groups of blocks.
class GroupLowering {
public:
    GroupLowering(const KernelRequest& request, const GpuParts& parts,
                  const std::vector<GpuMapping>& mappings)
        : request_(with_roots(request, mappings[0])),
          parts_(parts),
          groups_{mappings[0].group, mappings[0].groups} {
        for (std::size_t p = 0; p < parts_.parts.size(); ++p) {
            GpuMapping mapping = mappings[std::min(p, mappings.size() - 1)];
            GpuPart& part = parts_.parts[p];
            open_part(parts_.loops, part);
            arrange_part(parts_.loops, part, mapping.staged, mapping.one_vector);
            const Integer count = own_loops(part).empty() ? 1 : part.around.back().count;
            mapping.transforms = std::min(mapping.transforms, count);
            if (mapping.threads != mappings[0].threads)
                throw UserError("parts of one kernel on {} and {} threads; they share its blocks",
                                mappings[0].threads, mapping.threads);
            if (mapping.one_vector && count % mapping.transforms != 0)
                throw UserError(
                    "{} transforms for blocks that hold {} at once; take a divisor, or leave "
                    "out 'held'",
                    count, mapping.transforms);
            mappings_.push_back(mapping);
        }
        if (parts_.parts.size() < 2)
            throw UserError(
                "groups of blocks for what is one kernel without; leave out 'group' and 'groups'");
        if (mappings.size() > parts_.parts.size())
            throw UserError("mappings of {} parts; there are {}", mappings.size(), parts_.parts.size());
        if (goes_ahead() && (parts_.parts.size() != 2 || parts_.common.size() > 1))
            throw UserError("'ahead' for {} parts in {} loops; there have to be two in at most one",
                            parts_.parts.size(), parts_.common.size());
    }

    ir::Program lower() {
        place_arrays();
        Context context(request_, parts_.loops);
        ir::Builder& builder = context.builder;
        const Integer blocks = groups_.blocks * groups_.groups;
        builder.launch({.blocks = {blocks, 1, 1},
                        .threads = {mappings_[0].threads, 1, 1},
                        .resident = mappings_[0].resident,
                        .group = groups_.blocks});
        const Affine group = groups_.groups > 1 ? builder.block(0, groups_.blocks, 0) : Affine(0);
        const ir::Address counter{.buffer = builder.add(counters()), .index = counter_distance * group};
        std::vector<Integer> counts;
        for (const Loop& loop : parts_.common) counts.push_back(loop.count);
        const ShareOfLoops of_group(counts, {groups_.blocks, groups_.groups}, blocks);
        const bool in_turn = of_group.repeats();
        if (goes_ahead() && in_turn)
            emit_ahead(context, group, counter);
        else
            of_group.emit(builder, [&](const std::vector<Affine>& indices) {
                for (std::size_t k = 0; k < indices.size(); ++k)
                    context.bind(parts_.common[k].variable, indices[k]);
                const bool again = in_turn && is_written_again(parts_);
                for (std::size_t p = 0; p < parts_.parts.size(); ++p) {
                    if (p > 0) builder.group_barrier(counter);
                    emit(context, p, {group, counter, in_turn && p == 0, again});
                }
            });
        ir::Program program = context.finish();
        lay_over(program, shared_buffers(context));
        for (ir::BufferInfo& buffer : program.buffers) {
            if (buffer.space == ir::Space::argument) buffer.streamed = in_turn;
            if (buffer.space == ir::Space::scratch && !buffer.zeroed) buffer.kept = mappings_[0].kept;
        }
        return program;
    }

private:
    static constexpr Integer counter_distance = 16; ///< of int64, so that no line of a cache has two

    struct Place {
        Affine copy; ///< of what parts hand on
        ir::Address counter;
        bool follows;     ///< another part that has had the shared memory
        bool meets_again; ///< before the next transform writes what this one has read
    };

    std::vector<Loop> own_loops(const GpuPart& part) const {
        return {part.around.begin() + static_cast<std::ptrdiff_t>(parts_.common.size()), part.around.end()};
    }

    ir::BufferInfo counters() const {
        ir::BufferInfo info;
        info.name = "meetings";
        info.element = ir::Scalar::int64;
        info.space = ir::Space::scratch;
        info.elements = counter_distance * groups_.groups;
        info.written = info.zeroed = true;
        return info;
    }

    void place_arrays() {
        for (Array& array : parts_.loops.arrays) array.unused = true;
        for (std::size_t p = 0; p < parts_.parts.size(); ++p)
            for (const Call& call : parts_.parts[p].calls)
                for (const Memory& memory : memories_of(call)) {
                    Array& array = parts_.loops.arrays[static_cast<std::size_t>(memory.array)];
                    array.unused = false;
                    if (array.role != Array::Role::temporary) continue;
                    const bool shared = array.residence == Array::Residence::shared;
                    array.copies = shared ? mappings_[p].transforms : groups_.groups * (goes_ahead() ? 2 : 1);
                    if (!shared) array.copies *= iterations_within(static_cast<std::size_t>(memory.array));
                    array.pitch = array.elements + (shared && !array.gapless ? mappings_[p].shared_pitch : 0);
                }
    }

    /// Of the loops around an array's users within those around all parts.
    Integer iterations_within(std::size_t array) const {
        const std::vector<Loop>& loops = parts_.around_users.at(array);
        Integer iterations = 1;
        for (std::size_t k = parts_.common.size(); k < loops.size(); ++k) iterations *= loops[k].count;
        return iterations;
    }

    bool goes_ahead() const { return mappings_[0].ahead; }

    /// In each turn the first part of one transform, and then the second one of the transform before. They hand on through one
    /// of two copies in turn, so that blocks meet once in a turn: between reading one transform and writing the next.
    void emit_ahead(Context& context, const Affine& group, const ir::Address& counter) {
        using Half = ir::Barrier::Half;
        using Relation = ir::Condition::Relation;
        ir::Builder& builder = context.builder;
        const Loop& loop = parts_.common.front();
        const Integer turns = ceil_divide(loop.count, groups_.groups) + 1;
        const Affine pair =
            builder.open_loop("pair", 0, ceil_divide(turns, Integer{2}), 1, ir::For::Kind::serial);
        const Affine odd = builder.open_loop("odd", 0, 2, 1, ir::For::Kind::serial);
        const Affine turn = 2 * pair + odd, transform = groups_.groups * turn + group;
        context.bind(loop.variable, transform);
        builder.if_then(
            {{transform - loop.count, Relation::negative}},
            [&] {
                emit(context, 0, {group + groups_.groups * odd, counter, true, true});
            },
            [&] { builder.group_barrier(counter, Half::wait); });
        context.bind(loop.variable, transform - groups_.groups);
        builder.if_then(
            {{turn - 1, Relation::nonnegative},
             {transform - groups_.groups - loop.count, Relation::negative}},
            [&] {
                emit(context, 1, {group + groups_.groups * (1 - odd), counter, true, true});
            },
            [&] { builder.group_barrier(counter, Half::arrive); });
        builder.close_loop();
        builder.close_loop();
    }

    /// The part's blocks are shared by those of the group.
    void emit(Context& context, std::size_t p, const Place& place) {
        const GpuPart& part = parts_.parts[p];
        const GpuMapping& mapping = mappings_[p];
        const std::vector<Loop> own = own_loops(part);
        std::vector<Integer> counts;
        for (const Loop& loop : own) counts.push_back(loop.count);
        if (!counts.empty()) counts.back() = ceil_divide(counts.back(), mapping.transforms);
        const ShareOfLoops of_block(counts, {1, groups_.blocks}, groups_.blocks * groups_.groups);
        const bool repeats = of_block.repeats(), once = !repeats && of_block.is_even();
        const bool waits = place.meets_again && p == 0;
        const bool arrives = place.meets_again && p + 1 == parts_.parts.size();
        HalfBarriers halves{.counter = place.counter};
        if (waits && once) halves.wait_before = first_writing(parts_, part);
        if (arrives && once) halves.arrive_after = last_reading(parts_, part);
        ir::Builder& builder = context.builder;
        if (waits && !once) builder.group_barrier(place.counter, ir::Barrier::Half::wait);
        of_block.emit(builder, [&](const std::vector<Affine>& indices) {
            for (std::size_t k = 0; k + 1 < indices.size(); ++k) context.bind(own[k].variable, indices[k]);
            if (repeats || place.follows) builder.barrier(); // shared memory served before
            Affine first = own.empty() ? Affine(0) : mapping.transforms * indices.back();
            if (own.empty() && !part.around.empty())
                first = context.placed(Affine::of(part.around.back().variable));
            GpuEmitter(context, mapping, part, parts_.around_users)
                .emit_in_group(first, {place.copy, parts_.common.size()}, halves);
        });
        if (arrives && !once) builder.group_barrier(place.counter, ir::Barrier::Half::arrive);
    }

    std::vector<std::vector<ir::Buffer>> shared_buffers(const Context& context) const {
        std::vector<std::vector<ir::Buffer>> lists;
        for (const GpuPart& part : parts_.parts) {
            std::vector<ir::Buffer>& list = lists.emplace_back();
            for (const Call& call : part.calls)
                for (const Memory* memory : {&call.input, &call.output}) {
                    if (!is_shared(parts_.loops, *memory)) continue;
                    const Buffers buffers = context.buffers_of(*memory);
                    for (const ir::Buffer buffer : {buffers.re, buffers.im})
                        if (std::find(list.begin(), list.end(), buffer) == list.end()) list.push_back(buffer);
                }
        }
        return lists;
    }

    const KernelRequest request_;
    GpuParts parts_;
    GpuGroups groups_;
    std::vector<GpuMapping> mappings_; ///< by part
};

KernelRequest on_gpu(KernelRequest request) {
    request.lanes = 1;
    request.pairs = false;
    request.cache_bytes = 0;
    request.for_gpu = true;
    return request;
}

} // namespace

namespace {

/// Of the formula in which each number of a half spectrum, where something is done to it, is in one iteration of a step.
GpuParts parts_by_numbers(const KernelRequest& request, Between between, Integer apart) {
    if (!request.by_numbers) return gpu_parts(loop_program(request), between, apart);
    try {
        GpuParts parts = gpu_parts(loop_program(request), between, apart);
        if (has_whole_numbers(parts, request.load, request.store)) return parts;
    } catch (const UnfollowedMap&) {} // forms of places are followed less far than places
    KernelRequest other = request;
    other.formula = *request.by_numbers;
    return gpu_parts(loop_program(other), between, apart);
}

/// With rows of banks, where maps allow them.
std::optional<GpuParts> parts_in_rows(const KernelRequest& request, Between between, Integer apart = 0) {
    try {
        return parts_by_numbers(request, between, apart);
    } catch (const UnfollowedMap&) {
        return std::nullopt;
    }
}

} // namespace

GpuParts gpu_parts_of(const KernelRequest& original, Integer shared_row, Between between, bool whole,
                      Integer apart) {
    KernelRequest request = on_gpu(original);
    request.loops_inside = whole;
    GpuParts parts = parts_by_numbers(request, between, apart);
    if (shared_row == 0) return parts;
    for (const int carried : parts.carried) {
        const Integer below = parts.loops.arrays[static_cast<std::size_t>(carried)].elements - 1;
        request.shared_entries =
            request.shared_entries == 0 ? below : std::min(request.shared_entries, below);
    }
    request.shared_row = shared_row;
    const std::optional<GpuParts> padded = parts_in_rows(request, between, apart);
    return !padded || index_tables(*padded) > index_tables(parts) ? parts : *padded;
}

GpuParts gpu_parts_of_passes(const KernelRequest& original, Integer shared_row, bool whole) {
    KernelRequest request = on_gpu(original);
    request.loops_inside = whole;
    request.shared_row = shared_row;
    const std::optional<GpuParts> parts = parts_in_rows(request, Between::global);
    const bool suits = parts && parts->carried.empty() && index_tables(*parts) == 0;
    return suits ? *parts : gpu_parts_of(original, shared_row, Between::global, whole);
}

void open_part(LoopProgram& loops, GpuPart& part) {
    if (part.over_all) spread_over_blocks(loops, part);
    open_loops_of(part);
    if (!part.over_all) spread_over_blocks(loops, part);
}

void arrange_part(LoopProgram& loops, GpuPart& part, Staged staged, bool held) {
    if (staged != Staged::none) stage(loops, part, stages(staged, Staged::in), stages(staged, Staged::out));
    simplify(loops, part);
    share_arrays(loops, part, held);
}

void lay_out_arrays(LoopProgram& loops, const GpuMapping& mapping,
                    const std::vector<std::vector<Loop>>& around_users) {
    for (std::size_t k = 0; k < loops.arrays.size(); ++k) {
        Array& array = loops.arrays[k];
        if (array.role != Array::Role::temporary) continue;
        const bool shared = array.residence == Array::Residence::shared;
        array.copies = shared ? mapping.transforms : 1;
        if (!shared && k < around_users.size())
            for (const Loop& loop : around_users[k]) array.copies *= loop.count;
        array.pitch = array.elements + (shared && !array.gapless ? mapping.shared_pitch : 0);
    }
}

std::vector<ir::Program> lower_to_gpu(const KernelRequest& request, const std::vector<GpuMapping>& mappings) {
    ensure(!mappings.empty(), "no mapping for a GPU kernel");
    for (const GpuMapping& mapping : mappings)
        ensure(mapping.threads >= 1 && mapping.transforms >= 1, "{} threads for {} transforms",
               mapping.threads, mapping.transforms);
    const bool in_cluster = std::any_of(mappings.begin(), mappings.end(), does_together);
    const GpuParts parts =
        gpu_parts_of(request, mappings.front().shared_row, in_cluster ? Between::shared : Between::global,
                     mappings.front().whole, mappings.front().apart);
    const KernelRequest kernel = on_gpu(request);
    if (mappings.front().group > 0) return {GroupLowering(kernel, parts, mappings).lower()};
    std::vector<ir::Program> programs;
    if (in_cluster) lower_together(kernel, parts, mappings, programs);
    for (std::size_t k = 0; k < parts.parts.size() && !in_cluster; ++k)
        lower_part(kernel, parts, parts.parts[k], mappings[std::min(k, mappings.size() - 1)], programs);
    for (std::size_t k = 0; programs.size() > 1 && k < programs.size(); ++k)
        programs[k].name += fmt::format("_{}", k);
    return programs;
}

} // namespace swirl::lower
