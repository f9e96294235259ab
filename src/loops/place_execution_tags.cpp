#include "loops/place_execution_tags.hpp"

#include "base/overloaded.hpp"
#include "loops/vector_loop.hpp"

namespace swirl::loops {

namespace {

/// Operations up to which a call's loops are unrolled.
constexpr double unroll_limit = 400;
constexpr double operations_per_entry = 4; ///< estimate

double operations_of(const Call& call) {
    double iterations = 1;
    for (const Loop& loop : call.loops)
        iterations *= static_cast<double>(loop.vec ? vector_loop_of({loop})->all_vectors() : loop.count);
    return iterations * static_cast<double>(call.codelet.rows + call.codelet.columns) * operations_per_entry;
}

void place_unroll_tags_in(Nodes& nodes) {
    for (Node& node : nodes)
        std::visit(Overloaded{[](Nest& nest) { place_unroll_tags_in(nest.body); },
                              [](Call& call) {
                                  const bool tabled =
                                      is_tabled(call.placement.sources) || is_tabled(call.placement.targets);
                                  if (tabled || operations_of(call) > unroll_limit) return;
                                  for (Loop& loop : call.loops) loop.tag = LoopTag::unrolled;
                              }},
                   node.node);
}

double operations_of(const Nodes& nodes) {
    double sum = 0;
    for (const Node& node : nodes)
        sum +=
            std::visit(Overloaded{[](const Nest& nest) {
                                      return static_cast<double>(nest.loop.count) * operations_of(nest.body);
                                  },
                                  [](const Call& call) { return operations_of(call); }},
                       node.node);
    return sum;
}

/// Whether threads may share the loops in an iteration, with barriers between them, because there are too few iterations
/// for all of them. Vector operations count once.
bool has_long_iterations(const Nest& nest) {
    constexpr Integer few = 64;
    constexpr double many_operations = 2e5;
    return nest.loop.count < few && operations_of(nest.body) >= many_operations;
}

void place_smp_tags_in(Nodes& nodes) {
    for (Node& node : nodes)
        std::visit(
            Overloaded{[](Nest& nest) {
                           nest.loop.tag = LoopTag::smp;
                           if (nest.body.size() == 1 || nest.loop.count == 1 || has_long_iterations(nest))
                               place_smp_tags_in(nest.body);
                       },
                       [](Call& call) {
                           for (Loop& loop : call.loops)
                               if (loop.tag != LoopTag::unrolled) loop.tag = LoopTag::smp;
                       }},
            node.node);
}

} // namespace

void place_unroll_tags(LoopProgram& program, const Request&) { place_unroll_tags_in(program.body); }
void place_smp_tags(LoopProgram& program, const Request&) { place_smp_tags_in(program.body); }

} // namespace swirl::loops
