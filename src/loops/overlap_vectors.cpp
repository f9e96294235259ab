#include "loops/overlap_vectors.hpp"

#include "loops/vector_loop.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

class Overlapping {
public:
    Overlapping(LoopProgram& program, const Request& request) : program_(program), request_(request) {}

    void visit(Nodes& nodes, bool is_repeated) {
        for (Node& node : nodes) {
            if (auto* const nest = std::get_if<Nest>(&node.node))
                visit(nest->body, is_repeated || nest->loop.count > 1);
            else
                visit(std::get<Call>(node.node), is_repeated);
        }
    }

private:
    void visit(Call& call, bool is_repeated) {
        const auto at =
            std::find_if(call.loops.begin(), call.loops.end(), [](const Loop& loop) { return loop.vec; });
        if (at == call.loops.end() || at->tag == LoopTag::unrolled || !is_suitable(call)) return;
        const VectorLoop lane = *vector_loop_of({*at});
        for (const Loop& loop : call.loops)
            is_repeated = is_repeated || (loop.variable != at->variable && loop.count > 1);
        const bool has_short = lane.lead > 0 || lane.rest() > 0;
        if (!has_short || lane.vectors() < (is_repeated ? 1 : 2)) return;
        at->vec->overlap = true;
        at->tag = LoopTag::serial; // neighbours write the same elements
    }

    bool is_suitable(const Call& call) const {
        return call.input.array != call.output.array && !has_callback(call.placement.sources) &&
               !has_callback(call.placement.targets) && !stays_outside_caches(call.input) &&
               !stays_outside_caches(call.output);
    }

    /// Accesses past the caches need aligned vectors.
    bool stays_outside_caches(const Memory& memory) const {
        const Array& array = program_.arrays[static_cast<std::size_t>(memory.array)];
        return exceeds_caches(array, request_.scalar, request_.streaming_bytes);
    }

    LoopProgram& program_;
    const Request& request_;
};

} // namespace

void overlap_vectors(LoopProgram& program, const Request& request) {
    if (request.overlap_vectors && program.pairs == 0)
        Overlapping(program, request).visit(program.body, false);
}

} // namespace swirl::loops
