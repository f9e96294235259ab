#include "lower/gpu_lowering.hpp"

#include "base/error.hpp"
#include "lower/context.hpp"
#include "lower/emit_call.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// The iterations of a call as digits of one number, the innermost loop's first: each loop's variable is digit
/// (number / inner) mod count.
struct SharedLoop {
    Loop loop;
    Integer inner; ///< iterations of the loops inside it
};

std::vector<SharedLoop> shared_loops(const Call& call) {
    std::vector<SharedLoop> result;
    Integer inner = 1;
    for (auto loop = call.loops.rbegin(); loop != call.loops.rend(); inner *= loop->count, ++loop)
        if (loop->count > 1) result.push_back({*loop, inner});
    return result;
}

Integer iterations_of(const std::vector<SharedLoop>& loops) {
    return loops.empty() ? 1 : loops.back().inner * loops.back().loop.count;
}

/// Whether `threads` neighbouring iterations differ in whole digits, so that each variable is affine in digits of the
/// thread's index.
bool splits_digits(const std::vector<SharedLoop>& loops, Integer threads) {
    return std::all_of(loops.begin(), loops.end(), [&](const SharedLoop& each) {
        const Integer whole = each.inner * each.loop.count;
        return threads % whole == 0 || each.inner % threads == 0 ||
               (threads % each.inner == 0 && whole % threads == 0);
    });
}

/// The threads that take part in a call: as many as its iterations can be handed to evenly.
Integer active_threads(const std::vector<SharedLoop>& loops, Integer threads) {
    const Integer iterations = iterations_of(loops);
    for (Integer active = std::min(threads, iterations); active > 1; --active)
        if (iterations % active == 0 && splits_digits(loops, active)) return active;
    return 1;
}

bool has_index_tables(const Nodes& nodes) {
    const auto in = [](const std::vector<Location>& places) {
        return std::any_of(places.begin(), places.end(),
                           [](const Location& place) { return place.table.has_value(); });
    };
    return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
        if (const auto* nest = std::get_if<Nest>(&node.node)) return has_index_tables(nest->body);
        const Placement& placement = std::get<Call>(node.node).placement;
        return in(placement.sources) || in(placement.targets);
    });
}

/// Emits a kernel's body for one thread.
class GpuEmitter {
public:
    GpuEmitter(Context& context, const GpuMapping& mapping) : context_(context), mapping_(mapping) {}

    void emit() {
        const Nodes* inside = &context_.loops.body;
        std::vector<Loop> around;
        while (inside->size() == 1 && std::holds_alternative<Nest>(inside->front().node)) {
            const Nest& nest = std::get<Nest>(inside->front().node);
            if (nest.loop.count > 1)
                around.push_back(nest.loop);
            else
                context_.bind(nest.loop.variable, 0);
            inside = &nest.body;
        }
        std::vector<Call> calls;
        for (const Node& node : *inside) {
            ensure(std::holds_alternative<Call>(node.node), "a loop around some steps of a GPU kernel");
            calls.push_back(std::get<Call>(node.node));
        }
        if (calls.size() == 1 && around.empty() && !calls[0].loops.empty()) { // a codelet's own loop
            around.push_back(calls[0].loops.front());
            calls[0].loops.erase(calls[0].loops.begin());
        }
        bind_outer_loops(around);
        for (std::size_t k = 0; k < calls.size(); ++k) {
            if (k > 0) context_.builder.barrier();
            emit(calls[k]);
        }
    }

private:
    /// The innermost loop is shared by the block's y and by blocks, the others by blocks.
    void bind_outer_loops(const std::vector<Loop>& around) {
        ir::Builder& builder = context_.builder;
        const Affine member = mapping_.transforms > 1 ? builder.thread(1) : Affine(0);
        context_.set_member(member);
        Integer blocks = 1;
        for (std::size_t k = around.size(); k-- > 0;) {
            const bool innermost = k + 1 == around.size();
            const Integer count =
                innermost ? ceil_divide(around[k].count, mapping_.transforms) : around[k].count;
            const Affine digit = count > 1 ? builder.block(0, blocks, count) : Affine(0);
            context_.bind(around[k].variable, innermost ? mapping_.transforms * digit + member : digit);
            if (innermost && count * mapping_.transforms != around[k].count)
                member_condition_ = {mapping_.transforms * digit + member - around[k].count,
                                     ir::Condition::Relation::negative};
            blocks *= count;
        }
        ensure(!around.empty() || mapping_.transforms == 1,
               "{} transforms of a block, but no loop around one", mapping_.transforms);
        builder.launch({{blocks, 1, 1}, {mapping_.threads, mapping_.transforms, 1}});
    }

    void emit(const Call& call) {
        const std::vector<SharedLoop> loops = shared_loops(call);
        const Integer active = active_threads(loops, mapping_.threads);
        std::vector<ir::Condition> conditions;
        if (member_condition_) conditions.push_back(*member_condition_);
        if (active < mapping_.threads)
            conditions.push_back({context_.builder.thread(0) - active, ir::Condition::Relation::negative});
        const auto body = [&] { emit_iterations(call, loops, active); };
        if (conditions.empty()) return body();
        context_.builder.if_then(std::move(conditions), body);
    }

    void emit_iterations(const Call& call, const std::vector<SharedLoop>& loops, Integer active) {
        for (const Loop& loop : call.loops)
            if (loop.count == 1) context_.bind(loop.variable, 0);
        BoundCall bound(context_, call);
        for (Integer turn = 0; turn < iterations_of(loops) / active; ++turn) {
            for (const SharedLoop& each : loops)
                context_.bind(each.loop.variable, variable_of(each, active, turn));
            bound.emit();
        }
    }

    /// A loop's variable in iteration number turn·active + thread.
    Affine variable_of(const SharedLoop& each, Integer active, Integer turn) {
        const auto [loop, inner] = each;
        const Integer whole = inner * loop.count;
        if (inner % active == 0) return turn / (inner / active) % loop.count;
        const bool last = whole == mapping_.threads; // nothing above this digit
        if (active % whole == 0) return context_.builder.thread(0, inner, last ? 0 : loop.count);
        return context_.builder.thread(0, inner, active == mapping_.threads ? 0 : active / inner) +
               active / inner * (turn % (whole / active));
    }

    Context& context_;
    GpuMapping mapping_;
    std::optional<ir::Condition> member_condition_; ///< that the block's y has a transform of its own
};

} // namespace

ir::Program lower_to_gpu(const KernelRequest& request, const GpuMapping& mapping) {
    ensure(mapping.threads >= 1 && mapping.transforms >= 1, "{} threads for each of {} transforms",
           mapping.threads, mapping.transforms);
    KernelRequest on_gpu = request;
    on_gpu.lanes = 1;
    on_gpu.pairs = false;
    on_gpu.cache_bytes = 0;
    on_gpu.block_transforms = mapping.transforms;
    on_gpu.shared_row = mapping.shared_row;
    LoopProgram loops = loop_program(on_gpu);
    if (on_gpu.shared_row > 0 && has_index_tables(loops.body)) { // rows that no loop's digits agree with
        on_gpu.shared_row = 0;
        loops = loop_program(on_gpu);
    }
    ensure(!has_index_tables(loops.body), "a table of indices in a GPU kernel");
    Context context(on_gpu, loops);
    GpuEmitter(context, mapping).emit();
    return context.finish();
}

} // namespace swirl::lower
