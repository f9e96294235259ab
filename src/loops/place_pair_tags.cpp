#include "loops/place_pair_tags.hpp"

#include "rules/cost.hpp"
#include "rules/rule.hpp"

#include <algorithm>
#include <utility>

namespace swirl::loops {

namespace {

/// Whether lowering stores the components of the memory's elements side by side, though their locations are the same.
bool is_complex_temporary(const LoopProgram& program, const Memory& memory) {
    const Array& array = program.arrays[static_cast<std::size_t>(memory.array)];
    return array.role == Array::Role::temporary && array.kind != Memory::Kind::real;
}

} // namespace

Affine pair_address(const LoopProgram& program, const Memory& memory, const Location& location) {
    return is_complex_temporary(program, memory) ? 2 * location.re : location.re;
}

bool is_reversed(const LoopProgram& program, const Memory& memory, const Location& location,
                 const Loop& lane) {
    return pair_address(program, memory, location).coefficient(lane.variable) == -2 && location.forms.empty();
}

MemoryArrangement arrangement_of(const LoopProgram& program, const Memory& memory,
                                 const std::vector<Location>& locations, const std::optional<Loop>& lane) {
    if (!lane) return MemoryArrangement::side_by_side;
    const Affine first = pair_address(program, memory, locations[0]);
    bool side_by_side = true, rows = true;
    for (std::size_t k = 0; k < locations.size(); ++k) {
        const Affine address = pair_address(program, memory, locations[k]);
        side_by_side = side_by_side && (address.coefficient(lane->variable) == 2 ||
                                        is_reversed(program, memory, locations[k], *lane));
        rows = rows && address == first + static_cast<Integer>(2 * k);
    }
    return side_by_side ? MemoryArrangement::side_by_side
           : rows       ? MemoryArrangement::rows
                        : MemoryArrangement::scattered;
}

namespace {

/// Bound on the entries that all calls together read, in vector registers: keeps the straight-line code moderate.
constexpr Integer most_vectors = 64;
/// Bound on the entries of a call of reals, which are computed one by one.
constexpr Integer most_reals = 4;
/// Programs with real temporaries have more rearrangements, which pay only in vectors of several complex elements.
constexpr int least_lanes_of_reals = 8;

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

/// The nodes that become straight-line code, inside the loops around everything.
struct StraightLine {
    const Nodes* nodes;
    std::vector<Variable> around; ///< of these loops
};
StraightLine straight_line_of(const LoopProgram& program) {
    StraightLine result{&program.body, {}};
    while (result.nodes->size() == 1) {
        const auto* const nest = std::get_if<Nest>(&result.nodes->front().node);
        if (nest == nullptr) break;
        result.nodes = &nest->body;
        result.around.push_back(nest->loop.variable);
    }
    return result;
}

/// Which calls can be computed in pairs; see place_pair_tags.
class PairSuitability {
public:
    PairSuitability(const LoopProgram& program, const Request& request, std::vector<Variable> around)
        : program_(program), request_(request), around_(std::move(around)) {}

    bool operator()(const Call& call) const {
        if (!call.complex)
            return iterations_of(call.loops) * std::max(call.codelet.rows, call.codelet.columns) <=
                       most_reals &&
                   suit(call.placement.sources) && suit(call.placement.targets);
        return call.codelet.formula && suit(call.input, call.placement.sources) &&
               suit(call.output, call.placement.targets) && is_complex_throughout(*call.codelet.formula) &&
               std::all_of(call.codelet.then.begin(), call.codelet.then.end(), is_complex_throughout) &&
               std::all_of(
                   call.placement.between.begin(), call.placement.between.end(), [&](const auto& entries) {
                       return std::all_of(entries.begin(), entries.end(),
                                          [&](const auto& diagonals) { return are_constants(diagonals); });
                   });
    }

private:
    /// Whether the straight-line code has the factors as constants: they are the same in all iterations of the loops
    /// around it.
    bool are_constants(const std::vector<FoldedDiagonal>& diagonals) const {
        return std::all_of(diagonals.begin(), diagonals.end(), [&](const FoldedDiagonal& met) {
            if (met.table || std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function))
                return false;
            return std::holds_alternative<formula::ConstantFunction>(met.diagonal.function) ||
                   std::all_of(around_.begin(), around_.end(),
                               [&](Variable variable) { return met.index.coefficient(variable) == 0; });
        });
    }

    bool suit(const Memory& memory, const std::vector<Location>& locations) const {
        const Integer distance = is_complex_temporary(program_, memory) ? 0 : 1;
        return std::all_of(locations.begin(), locations.end(), [&](const Location& location) {
            return !location.table &&
                   (location.forms.empty() ||
                    (request_.pairs_at_callbacks && location.forms.size() == 1 && !location.im_negative)) &&
                   !location.re_negative && location.im == location.re + distance &&
                   are_constants(location.diagonals);
        });
    }

    /// A few reals, which are computed one by one.
    bool suit(const std::vector<Location>& reals) const {
        return std::all_of(reals.begin(), reals.end(), [&](const Location& location) {
            return !location.table && location.forms.empty() && are_constants(location.diagonals);
        });
    }

    const LoopProgram& program_;
    const Request& request_;
    std::vector<Variable> around_; ///< of the loops around the straight-line code
};

/// Complex elements per vector: as many as the longest lane loop fills, at least 16 bytes.
int width_of(const Request& request, const LoopProgram& program) {
    const int widest = request.lanes / 2;
    int width = std::min<Integer>(widest, std::max<Integer>(1, 8 / bytes_of(request.scalar)));
    for (const Node& node : *straight_line_of(program).nodes)
        if (const Call& call = std::get<Call>(node.node); call.complex)
            while (width < widest && width < lanes_of(program, call)) width *= 2;
    return width;
}

/// See place_pair_tags.
bool suits_pairs(const LoopProgram& program, const Request& request) {
    const StraightLine code = straight_line_of(program);
    const PairSuitability suits(program, request, code.around);
    Integer vectors = 0;
    for (const Node& node : *code.nodes) {
        const auto* call = std::get_if<Call>(&node.node);
        if (call == nullptr ||
            iterations_of(call->loops) * call->codelet.columns * 2 > most_vectors * request.lanes ||
            !suits(*call))
            return false;
        if (!call->complex) continue;
        const Integer lanes = lanes_of(program, *call);
        vectors += ceil_divide(2 * lanes, request.lanes) * iterations_of(call->loops) / lanes *
                   call->codelet.columns;
    }
    return vectors > 0 && vectors <= most_vectors;
}

/// Rewrites the locations of a real temporary that holds real components in its first half and imaginary ones in its
/// second: components are then side by side.
class Interleaving {
public:
    Interleaving(LoopProgram& program, const Request& request) : program_(program), request_(request) {}

    /// Whether all accesses allow it; else the program is of no use.
    bool run() { return visit(program_.body); }

private:
    bool visit(Nodes& nodes) {
        return std::all_of(nodes.begin(), nodes.end(), [&](Node& node) {
            if (auto* const nest = std::get_if<Nest>(&node.node)) return visit(nest->body);
            Call& call = std::get<Call>(node.node);
            return visit(call, call.input, call.placement.sources) &&
                   visit(call, call.output, call.placement.targets);
        });
    }

    bool visit(const Call& call, const Memory& memory, std::vector<Location>& locations) const {
        const Array& array = program_.arrays[static_cast<std::size_t>(memory.array)];
        if (array.role != Array::Role::temporary || array.kind != Memory::Kind::real) return true;
        const Integer half = array.elements / 2;
        return std::all_of(locations.begin(), locations.end(), [&](Location& location) {
            if (location.table || array.elements % 2 != 0 || request_.lanes < least_lanes_of_reals)
                return false;
            if (call.complex) {
                if (location.im != location.re + half) return false;
                location.re = 2 * location.re;
                location.im = location.re + 1;
                return true;
            }
            if (!location.re.is_constant()) return false;
            const Integer index = location.re.constant();
            location.re = location.im = index < half ? 2 * index : 2 * (index - half) + 1;
            return true;
        });
    }

    LoopProgram& program_;
    const Request& request_;
};

void tag_calls(LoopProgram& program, Nodes& nodes) {
    for (Node& node : nodes) {
        if (auto* const nest = std::get_if<Nest>(&node.node)) {
            tag_calls(program, nest->body);
            continue;
        }
        Call& call = std::get<Call>(node.node);
        const std::optional<Loop> lane = call.complex ? lane_of(program, call) : std::nullopt;
        for (Loop& loop : call.loops) {
            loop.tag = LoopTag::unrolled;
            if (lane && loop.variable == lane->variable) loop.vec = Vec{program.pairs};
        }
    }
}

} // namespace

void place_pair_tags(LoopProgram& program, const Request& request) {
    if (!request.pairs || request.lanes < 2) return;
    LoopProgram interleaved = program;
    if (!Interleaving(interleaved, request).run() || !suits_pairs(interleaved, request)) return;
    program = std::move(interleaved);
    program.pairs = width_of(request, program);
    tag_calls(program, program.body);
}

} // namespace swirl::loops
