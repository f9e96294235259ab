#include "lower/cpu/callback_loops.hpp"

#include "loops/build.hpp"
#include "loops/passes.hpp"
#include "lower/pointwise_access.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

using Shape = LoopProgram (*)(const loops::Request& request);

LoopProgram shaped_for_cpu(const loops::Request& request) { return loops::loops_for_cpu(request); }
LoopProgram shaped_as_portable(const loops::Request& request) { return loops::portable_loops(request); }

bool suits_callbacks(const KernelRequest& request, const Extents& extents, const Nodes& nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
        if (const auto* nest = std::get_if<Nest>(&node.node))
            return suits_callbacks(request, extents, nest->body);
        const Call& call = std::get<Call>(node.node);
        const auto& [sources, targets, between] = call.placement;
        const bool is_looked_up = is_tabled(sources) || is_tabled(targets);
        const bool is_at_end = has_callback(sources) || has_callback(targets);
        return !(is_looked_up && is_at_end) &&
               has_complete_elements(call, extents, request.load, request.store);
    });
}

/// Takes the tag vec from loops whose lanes could not hold the forms that callbacks compute with.
void keep_exact(const KernelRequest& request, const Extents& extents, Nodes& nodes) {
    const auto suits = [&](const std::optional<Pointwise>& pointwise,
                           const std::vector<Location>& locations) {
        return !has_callback(locations) ||
               are_exact_in_lanes(*pointwise, locations, extents, request.loops.scalar);
    };
    for (Node& node : nodes) {
        if (auto* const nest = std::get_if<Nest>(&node.node)) {
            keep_exact(request, extents, nest->body);
            continue;
        }
        Call& call = std::get<Call>(node.node);
        if (suits(request.load, call.placement.sources) && suits(request.store, call.placement.targets))
            continue;
        for (Loop& loop : call.loops) loop.vec.reset();
    }
}

std::optional<LoopProgram> if_suitable(const KernelRequest& request, const formula::Formula& formula,
                                       CopiedEnds copied, Shape shape) {
    loops::Request own = request.loops;
    own.formula = formula;
    own.copied = copied;
    try {
        LoopProgram program = shape(own);
        if (suits_callbacks(request, program.extents, program.body)) return program;
    } catch (const UnfollowedMap&) {} // forms are followed less far than addresses
    return std::nullopt;
}

LoopProgram with_callbacks(const KernelRequest& request, Shape shape) {
    if (!request.load && !request.store) return shape(request.loops);
    std::vector<formula::Formula> formulas{request.loops.formula};
    if (request.by_complex_entries) formulas.push_back(*request.by_complex_entries);
    for (const formula::Formula& formula : formulas)
        if (auto program = if_suitable(request, formula, {}, shape)) return std::move(*program);
    constexpr CopiedEnds all[] = {{true, false}, {false, true}, {true, true}};
    for (const formula::Formula& formula : formulas)
        for (const CopiedEnds copied : all)
            if (auto program = if_suitable(request, formula, copied, shape)) return std::move(*program);
    throw InternalError("no loops of kernel {} suit its callbacks", request.name);
}

} // namespace

LoopProgram loops_for_cpu(const KernelRequest& request) {
    LoopProgram program = with_callbacks(request, shaped_for_cpu);
    if (request.load || request.store) keep_exact(request, program.extents, program.body);
    return program;
}

LoopProgram portable_loops(const KernelRequest& request) {
    return with_callbacks(request, shaped_as_portable);
}

} // namespace swirl::lower
