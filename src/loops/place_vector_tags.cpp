#include "loops/place_vector_tags.hpp"

#include "loops/block_width.hpp"
#include "loops/vector_loop.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace swirl::loops {

namespace {

/// Fewest neighbouring scalars for which loading a whole row and transposing it in registers pays.
constexpr std::size_t shortest_row = 2;

/// Mean length of the contiguous address ranges among a codelet's entries.
double mean_contiguous_length(const std::vector<const Location*>& locations) {
    std::vector<Integer> at;
    for (const Location* const location : locations) {
        at.push_back(location->re.constant());
        if (location->im != location->re) at.push_back(location->im.constant());
    }
    std::sort(at.begin(), at.end());
    std::size_t contiguous_ranges = 1;
    for (std::size_t k = 1; k < at.size(); ++k) contiguous_ranges += at[k] != at[k - 1] + 1;
    return static_cast<double>(at.size()) / static_cast<double>(contiguous_ranges);
}

/// Vector operations to move one scalar of every lane, with the loop over `variable` as lanes.
double access_cost(const std::vector<Location>& locations, Variable variable, Integer lanes) {
    if (locations.empty()) return 0;
    double cost = 0;
    std::map<Integer, std::vector<const Location*>> others; // non-unit strides, by stride
    for (const Location& location : locations) {
        const Integer stride = location.re.coefficient(variable);
        if (location.im.coefficient(variable) == -stride && stride != 0) {
            // separate components, one of them reversed
            cost += std::abs(stride) <= 2 ? 1.5 * std::abs(stride) : 2.0 * static_cast<double>(lanes);
            continue;
        }
        if (location.im.coefficient(variable) != stride) return 2.0 * static_cast<double>(lanes);
        const bool interleaved = location.im == location.re + 1;
        if (stride == 0)
            cost += 1;
        else if (std::abs(stride) == (interleaved ? 2 : 1))
            cost += interleaved || stride < 0 ? 2 : 1;
        else
            others[stride].push_back(&location);
    }
    for (const auto& [stride, rows] : others) {
        const double length = mean_contiguous_length(rows);
        const bool transposes = length >= static_cast<double>(shortest_row);
        const auto moves = static_cast<double>(lanes);
        const double accesses = std::max(moves / length, 1.0); // of a vector, one for each short row
        cost += static_cast<double>(rows.size()) * (transposes ? accesses + std::log2(moves) : 2 * moves);
    }
    return cost / static_cast<double>(locations.size());
}

/// Vector operations that take as long as fetching, for one scalar of every lane, the parts of cache lines that neither
/// the lanes nor the codelet's other entries use: another loop over these neighbours fetches the lines again, unless all
/// data stays in the L1 cache.
double refetch_cost(const std::vector<Location>& locations, Variable variable, const std::vector<Loop>& loops,
                    Integer lanes, Integer scalar_bytes) {
    constexpr double operations_per_line = 2;
    constexpr auto line = static_cast<double>(line_bytes);
    double iterations = 1;
    for (const Loop& loop : loops) iterations *= static_cast<double>(loop.count);
    const auto bytes = static_cast<double>(scalar_bytes);
    if (iterations * static_cast<double>(locations.size()) * 2 * bytes <= l1_bytes) return 0;
    std::map<Integer, std::vector<const Location*>> by_stride;
    for (const Location& location : locations)
        by_stride[std::abs(location.re.coefficient(variable))].push_back(&location);
    double cost = 0;
    for (const auto& [stride, entries] : by_stride) {
        if (stride == 0) continue;
        const double run = mean_contiguous_length(entries) * bytes;
        const double step = static_cast<double>(stride) * bytes;
        if (run >= std::min(step, line)) continue; // adjacent lanes, or whole lines
        const bool has_neighbours = std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) {
            const auto other =
                static_cast<double>(std::abs(entries.front()->re.coefficient(loop.variable))) * bytes;
            return loop.count > 1 && other > 0 && other < std::min(step, line);
        });
        if (!has_neighbours) continue;
        const double lines = std::min(static_cast<double>(lanes), static_cast<double>(lanes) * step / line);
        cost += static_cast<double>(entries.size()) * lines * (1 - run / std::min(step, line)) *
                operations_per_line;
    }
    return cost;
}

/// Number of leading iterations after which most accesses start at vector boundaries, as far as their other loops and
/// the buffers' alignment allow; none if that would take more vectors.
Integer lead_of(const Placement& placement, const VectorLoop& lane) {
    const Variable variable = lane.loop.variable;
    std::vector<Integer> aligned(static_cast<std::size_t>(lane.lanes), 0);
    for (const auto* locations : {&placement.sources, &placement.targets})
        for (const Location& location : *locations) {
            const Integer stride = location.re.coefficient(variable);
            if (stride != 1 && stride != 2) continue;
            for (Integer lead = 0; lead < lane.lanes; ++lead)
                aligned[static_cast<std::size_t>(lead)] +=
                    (location.re.constant() + stride * lead) % lane.lanes == 0 ? stride : 0;
        }
    const auto best = std::max_element(aligned.begin(), aligned.end());
    if (*best <= aligned[0]) return 0;
    const Integer lead = best - aligned.begin();
    const VectorLoop led{lane.loop, lane.lanes, lead};
    return lead < lane.loop.count && led.all_vectors() <= lane.all_vectors() ? lead : 0;
}

/// The loop to run in vector lanes, by estimated operations per entry: contiguous accesses are cheapest, then
/// in-register transposition, then one access per lane. Nothing if scalar code is no slower.
std::optional<VectorLoop> best_vector_loop(const Placement& placement, const std::vector<Loop>& loops,
                                           Integer lanes, Integer scalar_bytes) {
    const auto entries = static_cast<double>(placement.sources.size() + placement.targets.size()) / 2;
    const double arithmetic = entries * (2 + 2 * std::log2(std::max(entries, 1.0)));
    const auto move_cost = [&](Variable v) {
        return static_cast<double>(placement.sources.size()) * access_cost(placement.sources, v, lanes) +
               static_cast<double>(placement.targets.size()) * access_cost(placement.targets, v, lanes) +
               refetch_cost(placement.sources, v, loops, lanes, scalar_bytes) +
               refetch_cost(placement.targets, v, loops, lanes, scalar_bytes);
    };
    std::optional<VectorLoop> best;
    double best_cost = 2 * entries + arithmetic; // scalar code, per iteration
    for (const Loop& loop : loops) {
        const double vectors = static_cast<double>(ceil_divide(loop.count, lanes));
        const double cost =
            (move_cost(loop.variable) + arithmetic) * vectors / static_cast<double>(loop.count);
        if (loop.count < 2 || cost >= best_cost) continue;
        best_cost = cost;
        best = VectorLoop{loop, lanes};
    }
    if (best) best->lead = lead_of(placement, *best);
    return best;
}

void place_vector_tags_in(Nodes& nodes, Integer lanes, Integer scalar_bytes) {
    for (Node& node : nodes) {
        if (auto* const nest = std::get_if<Nest>(&node.node)) {
            place_vector_tags_in(nest->body, lanes, scalar_bytes);
            continue;
        }
        Call& call = std::get<Call>(node.node);
        if (is_tabled(call.placement.sources) || is_tabled(call.placement.targets)) continue;
        const auto best = best_vector_loop(call.placement, call.loops, lanes, scalar_bytes);
        for (Loop& loop : call.loops)
            if (best && loop.variable == best->loop.variable) loop.vec = Vec{best->lanes, best->lead};
    }
}

} // namespace

void place_vector_tags(LoopProgram& program, const Request& request) {
    if (request.lanes > 1 && program.pairs == 0)
        place_vector_tags_in(program.body, request.lanes, bytes_of(request.scalar));
}

} // namespace swirl::loops
