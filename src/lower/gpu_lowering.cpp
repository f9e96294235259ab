#include "lower/gpu_lowering.hpp"

#include "base/error.hpp"
#include "lower/context.hpp"
#include "lower/emit_call.hpp"
#include "lower/gpu_cluster.hpp"
#include "lower/gpu_liveness.hpp"
#include "lower/gpu_parts.hpp"
#include "lower/gpu_spread.hpp"
#include "lower/gpu_staging.hpp"
#include "lower/gpu_threads.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <span>

namespace swirl::lower {

namespace {

/// Entries that a thread which copies has under way at a time.
constexpr Integer turns_at_once = 8;

/// Iterations of a part's innermost loop around its steps.
struct Range {
    Integer first;
    Integer count;
};

/// Emits the body of one kernel for one thread.
class GpuEmitter {
public:
    GpuEmitter(Context& context, const GpuMapping& mapping, const GpuPart& part,
               const std::vector<std::vector<Loop>>& around_users)
        : context_(context), mapping_(mapping), part_(part), around_users_(around_users) {}

    /// `exchanges`, `joined`: see GpuCluster.
    void emit(const Range& range, const std::vector<std::size_t>& exchanges = {},
              const std::set<std::size_t>& joined = {}) {
        context_.assume_loops(part_.around);
        bind_blocks(range);
        for (std::size_t k = 0, end = 0; k < part_.calls.size(); k = end) {
            for (end = k + 1; joined.contains(end);) ++end;
            if (exchanges_) meet();
            exchanges_ = std::any_of(exchanges.begin(), exchanges.end(),
                                     [&](std::size_t step) { return k <= step && step < end; });
            const std::span<const Call> calls(part_.calls.data() + k, end - k);
            if (std::any_of(calls.begin(), calls.end(), [&](const Call& call) { return must_meet(call); }))
                meet_in_block();
            if (calls.size() > 1)
                emit_joined(calls);
            else
                emit_alone(calls.front());
            for (const Call& call : calls) unmet_.add(call);
        }
    }

private:
    /// Blocks are iterations of the loops around the steps, of the innermost one groups of several.
    void bind_blocks(const Range& range) {
        ir::Builder& builder = context_.builder;
        Integer blocks = 1;
        for (std::size_t k = part_.around.size(); k-- > 0;) {
            const bool innermost = k + 1 == part_.around.size();
            const Loop& loop = part_.around[k];
            const Integer count = innermost ? ceil_divide(range.count, mapping_.transforms) : loop.count;
            const Affine digit = count > 1 ? builder.block(0, blocks, k == 0 ? 0 : count) : Affine(0);
            if (innermost) {
                first_transform_ = range.first + mapping_.transforms * digit;
                if (count * mapping_.transforms != range.count) end_ = range.first + range.count;
            } else {
                context_.bind(loop.variable, digit);
            }
            blocks *= count;
        }
        builder.launch({{blocks, 1, 1}, {mapping_.threads, 1, 1}, mapping_.cluster, mapping_.resident});
    }

    /// The transform of a block that is meant from now on.
    void choose_transform(const Affine& number) {
        if (!part_.around.empty()) context_.bind(part_.around.back().variable, first_transform_ + number);
        for (std::size_t k = 0; k < context_.loops.arrays.size(); ++k) {
            const Array& array = context_.loops.arrays[k];
            if (array.role != Array::Role::temporary || array.unused) continue;
            context_.choose_copy(static_cast<int>(k),
                                 array.residence == Array::Residence::shared ? number : iteration_around(k));
        }
    }

    /// The number of the iteration of the loops around all that touch an array.
    Affine iteration_around(std::size_t array) const {
        Affine iteration = 0;
        for (const Loop& loop : around_users_.at(array))
            iteration = loop.count * iteration + context_.placed(Affine::of(loop.variable));
        return iteration;
    }

    bool must_meet(const Call& call) const {
        return unmet_.must_meet_to_read(call) || (!waits_between(call) && unmet_.must_meet_to_write(call));
    }

    /// A step with its iterations shared out.
    struct Step {
        Step(GpuEmitter& emitter, const Call& original)
            : shared(emitter.context_.loops, original, emitter.transforms(), emitter.mapping_.threads,
                     !emitter.waits_between(original)),
              call(emitter.bind_single_loops(original, shared)),
              bound(emitter.context_, call) {}

        SharedIterations shared;
        Call call;
        BoundCall bound;
    };

    Call bind_single_loops(const Call& original, const SharedIterations& shared) {
        Call call = original;
        call.loops = shared.loops_of_call();
        for (const Loop& loop : original.loops) {
            if (loop.count > 1) continue;
            context_.bind(loop.variable, 0);
            call.loops.insert(call.loops.begin(), loop);
        }
        return call;
    }

    SharedIterations::Digits choose(const Step& step, Integer turn) {
        const auto variables = step.shared.in_turn(context_.builder, turn);
        for (const auto& [loop, digit] : variables)
            if (!transforms() || loop.variable != transforms()->variable) context_.bind(loop.variable, digit);
        choose_transform(step.shared.transform(variables));
        return variables;
    }

    void emit_alone(const Call& call) {
        if (const auto whole = over_all_transforms(context_.loops, part_, call, mapping_.transforms))
            return emit_whole(*whole, call.loops.front().count);
        Step step(*this, call);
        if (waits_between(call)) return emit_held({&step});
        emit(step);
    }

    /// Steps that are one; those that read elsewhere than where the others do come when these have read.
    void emit_joined(std::span<const Call> calls) {
        std::deque<Step> steps;
        std::vector<Step*> held, late;
        for (const Call& call : calls) {
            steps.emplace_back(*this, call);
            const bool elsewhere =
                is_shared(context_.loops, call.input) && call.input.array != call.output.array;
            (elsewhere || !waits_between(call) ? late : held).push_back(&steps.back());
        }
        if (!held.empty()) emit_held(held);
        for (Step* const step : late) emit(*step);
    }

    void emit(Step& step) {
        for (Integer turn = 0; turn < step.shared.turns(); ++turn) {
            const SharedIterations::Digits digits = choose(step, turn);
            std::vector<ir::Condition> conditions = taking_part(step.shared);
            add_limit(step.call, conditions);
            if (const auto excess = step.shared.excess(digits, turn))
                conditions.push_back({*excess, ir::Condition::Relation::negative});
            if (end_)
                conditions.push_back({first_transform_ + step.shared.transform(digits) - *end_,
                                      ir::Condition::Relation::negative});
            under(std::move(conditions), [&] { step.bound.store(step.bound.compute(step.bound.load())); });
        }
    }

    void add_limit(const Call& call, std::vector<ir::Condition>& conditions) const {
        if (call.limit)
            conditions.push_back({context_.placed(*call.limit), ir::Condition::Relation::negative});
    }

    template <class Body> void under(std::vector<ir::Condition> conditions, const Body& body) {
        if (conditions.empty()) return body();
        context_.builder.if_then(std::move(conditions), body);
    }

    /// A copy of all the block's transforms, of which each has `entries`, neighbours by neighbouring threads.
    void emit_whole(const Call& call, Integer entries) {
        BoundCall bound(context_, call);
        choose_transform(0);
        const Loop& loop = call.loops.front();
        const Affine thread = context_.builder.thread(0);
        const auto bind = [&](Integer turn) {
            context_.bind(loop.variable, thread + turn * mapping_.threads);
        };
        const Integer turns = loop.count / mapping_.threads;
        for (Integer turn = 0; turn < turns && !end_; turn += turns_at_once) {
            std::vector<BoundCall::Entries> held;
            const Integer last = std::min(turn + turns_at_once, turns);
            for (Integer k = turn; k < last; ++k) {
                bind(k);
                held.push_back(bound.load());
            }
            for (Integer k = turn; k < last; ++k) {
                bind(k);
                bound.store(bound.compute(std::move(held[static_cast<std::size_t>(k - turn)])));
            }
        }
        for (Integer turn = end_ ? 0 : turns; turn * mapping_.threads < loop.count; ++turn) {
            bind(turn);
            const Affine index = thread + turn * mapping_.threads;
            std::vector<ir::Condition> conditions;
            if ((turn + 1) * mapping_.threads > loop.count)
                conditions.push_back({index - loop.count, ir::Condition::Relation::negative});
            if (end_)
                conditions.push_back({entries * first_transform_ + index - entries * *end_,
                                      ir::Condition::Relation::negative});
            context_.builder.if_then(std::move(conditions),
                                     [&] { bound.store(bound.compute(bound.load())); });
        }
    }

    /// Reads everything, waits for the others to have done the same, and writes.
    void emit_held(const std::vector<Step*>& steps) {
        std::vector<std::vector<std::vector<Scaled>>> entries; // by step and turn
        for (Step* const step : steps) {
            auto& held = entries.emplace_back();
            for (Integer turn = 0; turn < step->shared.turns(); ++turn) {
                choose(*step, turn);
                held.push_back(step->bound.load());
            }
            for (Integer turn = 0; turn < step->shared.turns(); ++turn) {
                choose(*step, turn);
                auto& of_turn = held[static_cast<std::size_t>(turn)];
                of_turn = step->bound.compute(std::move(of_turn));
            }
        }
        meet();
        for (std::size_t k = 0; k < steps.size(); ++k)
            under(taking_part(steps[k]->shared), [&] { store_held(*steps[k], std::move(entries[k])); });
    }

    void store_held(Step& step, std::vector<std::vector<Scaled>> entries) {
        for (Integer turn = 0; turn < step.shared.turns(); ++turn) {
            choose(step, turn);
            std::vector<ir::Condition> conditions;
            add_limit(step.call, conditions);
            under(std::move(conditions),
                  [&] { step.bound.store(std::move(entries[static_cast<std::size_t>(turn)])); });
        }
    }

    /// Around a step that writes into other blocks' memory these meet too.
    void meet() {
        if (!exchanges_ || mapping_.cluster == 1) return meet_in_block();
        context_.builder.cluster_barrier();
        unmet_.met();
    }

    void meet_in_block() {
        context_.builder.barrier();
        unmet_.met();
    }

    bool waits_between(const Call& call) const {
        return exchanges_ || writes_over_others(context_.loops, call);
    }

    std::vector<ir::Condition> taking_part(const SharedIterations& shared) {
        if (shared.active() == mapping_.threads) return {};
        return {{context_.builder.thread(0) - shared.active(), ir::Condition::Relation::negative}};
    }

    /// The loop over a block's transforms.
    std::optional<Loop> transforms() const {
        if (part_.around.empty() || mapping_.transforms == 1) return std::nullopt;
        return Loop{part_.around.back().variable, mapping_.transforms};
    }

    Context& context_;
    const GpuMapping& mapping_;
    const GpuPart& part_;
    const std::vector<std::vector<Loop>>& around_users_;
    Affine first_transform_ = 0; ///< of the block
    Unmet unmet_;
    bool exchanges_ = false;     ///< the last step emitted writes into other blocks' memory
    std::optional<Integer> end_; ///< of the transforms, where they do not fill the last block
};

/// The arrays as a kernel sees them: those it uses, one copy of what is shared for each of a block's transforms.
LoopProgram arrays_for(LoopProgram loops, const GpuPart& part, const GpuMapping& mapping,
                       const std::vector<std::vector<Loop>>& around_users) {
    for (Array& array : loops.arrays) array.unused = true;
    for (const Call& call : part.calls)
        for (const Memory* memory : {&call.input, &call.output})
            loops.arrays[static_cast<std::size_t>(memory->array)].unused = false;
    lay_out_arrays(loops, mapping, around_users);
    return loops;
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
        Context context(request, arrays);
        GpuEmitter(context, own, part, parts.around_users).emit(range);
        programs.push_back(context.finish());
    };
    if (count > rest) add({0, count - rest}, mapping);
    if (rest > 0) add({count - rest, rest}, mapping);
}

ir::Program lower_cluster(const KernelRequest& request, const GpuParts& parts, GpuMapping mapping) {
    const GpuCluster cluster = in_cluster(parts, mapping.cluster, mapping.shared_pitch, mapping.transforms);
    mapping.transforms = 1;
    const std::vector<std::vector<Loop>> nobody; // all is shared
    const LoopProgram arrays = arrays_for(cluster.loops, cluster.part, mapping, nobody);
    Context context(request, arrays);
    GpuEmitter(context, mapping, cluster.part, nobody)
        .emit({0, mapping.cluster}, cluster.exchanges, cluster.joined);
    return context.finish();
}

KernelRequest on_gpu(KernelRequest request) {
    request.lanes = 1;
    request.pairs = false;
    request.cache_bytes = 0;
    request.for_gpu = true;
    return request;
}

} // namespace

GpuParts gpu_parts_of(const KernelRequest& original, Integer shared_row, Between between, bool whole) {
    KernelRequest request = on_gpu(original);
    request.loops_inside = whole;
    GpuParts parts = gpu_parts(loop_program(request), between);
    if (shared_row == 0) return parts;
    for (const int carried : parts.carried) {
        const Integer below = parts.loops.arrays[static_cast<std::size_t>(carried)].elements - 1;
        request.shared_entries =
            request.shared_entries == 0 ? below : std::min(request.shared_entries, below);
    }
    request.shared_row = shared_row;
    GpuParts padded = gpu_parts(loop_program(request), between);
    return index_tables(padded) > index_tables(parts) ? parts : padded;
}

GpuParts gpu_parts_of_passes(const KernelRequest& original, Integer shared_row, bool whole) {
    KernelRequest request = on_gpu(original);
    request.loops_inside = whole;
    request.shared_row = shared_row;
    GpuParts parts = gpu_parts(loop_program(request), Between::global);
    const bool suits = parts.carried.empty() && index_tables(parts) == 0;
    return suits ? parts : gpu_parts_of(original, shared_row, Between::global, whole);
}

void open_part(LoopProgram& loops, GpuPart& part) {
    open_loops_of(part);
    spread_over_blocks(loops, part);
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
    const bool in_cluster = mappings.front().cluster > 1 || mappings.front().together;
    const GpuParts parts =
        gpu_parts_of(request, mappings.front().shared_row, in_cluster ? Between::shared : Between::global,
                     mappings.front().whole);
    const KernelRequest kernel = on_gpu(request);
    if (in_cluster) return {lower_cluster(kernel, parts, mappings.front())};
    std::vector<ir::Program> programs;
    for (std::size_t k = 0; k < parts.parts.size(); ++k)
        lower_part(kernel, parts, parts.parts[k], mappings[std::min(k, mappings.size() - 1)], programs);
    for (std::size_t k = 0; programs.size() > 1 && k < programs.size(); ++k)
        programs[k].name += fmt::format("_{}", k);
    return programs;
}

} // namespace swirl::lower
