#include "loops/place_pair_tags.hpp"

#include "rules/cost.hpp"
#include "rules/rule.hpp"

#include <algorithm>

namespace swirl::loops {

Affine pair_address(const LoopProgram& program, const Memory& memory, const Location& location) {
    const bool temporary =
        program.arrays[static_cast<std::size_t>(memory.array)].role == Array::Role::temporary;
    return temporary ? 2 * location.re : location.re;
}

MemoryArrangement arrangement_of(const LoopProgram& program, const Memory& memory,
                                 const std::vector<Location>& locations, const std::optional<Loop>& lane) {
    if (!lane) return MemoryArrangement::side_by_side;
    const Affine first = pair_address(program, memory, locations[0]);
    bool side_by_side = true, rows = true;
    for (std::size_t k = 0; k < locations.size(); ++k) {
        const Affine address = pair_address(program, memory, locations[k]);
        side_by_side = side_by_side && address.coefficient(lane->variable) == 2;
        rows = rows && address == first + static_cast<Integer>(2 * k);
    }
    return side_by_side ? MemoryArrangement::side_by_side
           : rows       ? MemoryArrangement::rows
                        : MemoryArrangement::scattered;
}

namespace {

/// Bound on the entries that all calls together read, in vector registers: keeps the straight-line code moderate.
constexpr Integer most_vectors = 64;

/// The loop of a call that becomes lanes: the one with the least data to rearrange.
std::optional<Loop> lane_of(const LoopProgram& program, const Call& call) {
    std::optional<Loop> best;
    int best_cost = 3;
    for (const Loop& loop : call.loops) {
        if (loop.count < 2) continue;
        const MemoryArrangement source = arrangement_of(program, call.input, call.placement.sources, loop);
        const MemoryArrangement target = arrangement_of(program, call.output, call.placement.targets, loop);
        const int cost = static_cast<int>(source) + static_cast<int>(target);
        if (source == MemoryArrangement::scattered || target == MemoryArrangement::scattered ||
            cost >= best_cost)
            continue;
        best = loop;
        best_cost = cost;
    }
    return best;
}

Integer lanes_of(const LoopProgram& program, const Call& call) {
    const auto lane = lane_of(program, call);
    return lane ? lane->count : 1;
}

/// Whether straight-line evaluation never separates real and imaginary components.
bool is_complex_throughout(const formula::Formula& f) {
    if (f.is<formula::RealOf>()) return false;
    if (formula::is_nonterminal(f))
        return is_complex_throughout(rules::expand(f, rules::cheapest_straight_line(f)));
    return std::all_of(f.children().begin(), f.children().end(), is_complex_throughout);
}

bool suits_pairs(const LoopProgram& program, const Request& request, const Memory& memory,
                 const std::vector<Location>& locations) {
    const bool temporary =
        program.arrays[static_cast<std::size_t>(memory.array)].role == Array::Role::temporary;
    return std::all_of(locations.begin(), locations.end(), [&](const Location& location) {
        return !location.table &&
               (location.forms.empty() || (request.pairs_at_callbacks && location.forms.size() == 1)) &&
               !location.re_negative && !location.im_negative &&
               (temporary ? location.im == location.re : location.im == location.re + 1) &&
               std::none_of(
                   location.diagonals.begin(), location.diagonals.end(), [](const FoldedDiagonal& met) {
                       return met.table.has_value() ||
                              std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function);
                   });
    });
}

bool suits_pairs(const LoopProgram& program, const Request& request, const Call& call) {
    return call.complex && call.codelet.formula && call.codelet.then.empty() &&
           suits_pairs(program, request, call.input, call.placement.sources) &&
           suits_pairs(program, request, call.output, call.placement.targets) &&
           is_complex_throughout(*call.codelet.formula);
}

/// The nodes that become straight-line code: all, or all inside the loops around everything.
const Nodes& straight_line_nodes(const LoopProgram& program) {
    const Nodes* nodes = &program.body;
    while (nodes->size() == 1 && std::holds_alternative<Nest>(nodes->front().node))
        nodes = &std::get<Nest>(nodes->front().node).body;
    return *nodes;
}

/// Complex elements per vector: as many as the longest lane loop fills, at least 16 bytes.
int width_of(const Request& request, const LoopProgram& program) {
    const int widest = request.lanes / 2;
    int width = std::min<Integer>(widest, std::max<Integer>(1, 8 / bytes_of(request.scalar)));
    for (const Node& node : straight_line_nodes(program))
        while (width < widest && width < lanes_of(program, std::get<Call>(node.node))) width *= 2;
    return width;
}

/// See place_pair_tags.
bool suits_pairs(const LoopProgram& program, const Request& request) {
    Integer vectors = 0;
    for (const Node& node : straight_line_nodes(program)) {
        const auto* call = std::get_if<Call>(&node.node);
        if (call == nullptr ||
            iterations_of(call->loops) * call->codelet.columns * 2 > most_vectors * request.lanes ||
            !suits_pairs(program, request, *call))
            return false;
        const Integer lanes = lanes_of(program, *call);
        vectors += ceil_divide(2 * lanes, request.lanes) * iterations_of(call->loops) / lanes *
                   call->codelet.columns;
    }
    return vectors <= most_vectors;
}

void tag_calls(LoopProgram& program, Nodes& nodes) {
    for (Node& node : nodes) {
        if (auto* const nest = std::get_if<Nest>(&node.node)) {
            tag_calls(program, nest->body);
            continue;
        }
        Call& call = std::get<Call>(node.node);
        const std::optional<Loop> lane = lane_of(program, call);
        for (Loop& loop : call.loops) {
            loop.tag = LoopTag::unrolled;
            if (lane && loop.variable == lane->variable) loop.vec = Vec{program.pairs};
        }
    }
}

} // namespace

void place_pair_tags(LoopProgram& program, const Request& request) {
    if (!request.pairs || request.lanes < 2 || !suits_pairs(program, request)) return;
    program.pairs = width_of(request, program);
    tag_calls(program, program.body);
}

} // namespace swirl::loops
