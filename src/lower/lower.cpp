#include "lower/lower.hpp"

#include "base/error.hpp"
#include "base/overloaded.hpp"
#include "loops/passes.hpp"
#include "lower/cpu/pair_lowering.hpp"
#include "lower/emit_call.hpp"

namespace swirl::lower {

namespace {

void emit(Context& context, const Nodes& nodes) {
    const auto emit_one = context.loops.pairs > 0 ? emit_call_in_pairs : emit_call;
    for (const Node& node : nodes)
        std::visit(Overloaded{[&](const Call& call) { emit_one(context, call); },
                              [&](const Nest& nest) {
                                  context.in_loop(nest.loop, "b", [&] { emit(context, nest.body); });
                              }},
                   node.node);
}

} // namespace

ir::Program lower(const KernelRequest& request, const LoopProgram& loops) {
    ensure(loops.pairs == 0 || request.multiplication == Multiplication::fused,
           "products of complex values in pairs are fused");
    Context context(request, loops);
    emit(context, loops.body);
    return context.finish();
}

ir::Program lower(const KernelRequest& request) { return lower(request, loops_for_cpu(request.loops)); }

} // namespace swirl::lower
