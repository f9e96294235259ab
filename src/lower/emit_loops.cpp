#include "lower/lower.hpp"

#include "base/overloaded.hpp"
#include "lower/cpu/pair_lowering.hpp"
#include "lower/emit_call.hpp"

namespace swirl::lower {

namespace {

void emit(Context& context, const Nodes& nodes) {
    for (const Node& node : nodes)
        std::visit(Overloaded{[&](const Call& call) { emit_call(context, call); },
                              [&](const Nest& nest) {
                                  context.in_nest(nest.loop, nest.body.size() == 1,
                                                  [&] { emit(context, nest.body); });
                              }},
                   node.node);
}

} // namespace

ir::Program lower(const KernelRequest& request, const LoopProgram& loops) {
    if (request.pairs && suits_pairs(request, loops)) return lower_in_pairs(request, loops);
    Context context(request, loops);
    emit(context, loops.body);
    return context.finish();
}

ir::Program lower(const KernelRequest& request) { return lower(request, loop_program(request)); }

} // namespace swirl::lower
