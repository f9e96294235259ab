#include "lower/lane_choice.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::lower {

namespace {

/// Neighbouring scalars that make a row worth loading whole and transposing in registers.
constexpr std::size_t shortest_row = 2;

/// Mean length of the runs of consecutive scalar addresses among a codelet's entries.
double mean_run(const std::vector<Location>& places) {
    std::vector<Integer> at;
    for (const Location& place : places) {
        at.push_back(place.re.constant());
        if (place.im != place.re) at.push_back(place.im.constant());
    }
    std::sort(at.begin(), at.end());
    std::size_t runs = 1;
    for (std::size_t k = 1; k < at.size(); ++k) runs += at[k] != at[k - 1] + 1;
    return static_cast<double>(at.size()) / static_cast<double>(runs);
}

/// Vector operations to move one scalar of every lane, with the loop over `variable` as lanes.
double access_cost(const std::vector<Location>& places, Variable variable, Integer lanes) {
    if (places.empty()) return 0;
    const auto one_by_one = 2.0 * static_cast<double>(lanes);
    const Integer stride = places[0].re.coefficient(variable);
    for (const Location& place : places)
        if (place.re.coefficient(variable) != stride || place.im.coefficient(variable) != stride)
            return one_by_one;
    const bool interleaved = places[0].im == places[0].re + 1;
    if (stride == 0) return 1;
    if (stride == (interleaved ? 2 : 1)) return interleaved ? 2 : 1;
    if (mean_run(places) >= static_cast<double>(shortest_row))
        return 1 + std::log2(static_cast<double>(lanes));
    return one_by_one;
}

} // namespace

std::optional<LaneLoop> choose_lane(const Placement& placement, const std::vector<Loop>& loops,
                                    Integer lanes) {
    if (lanes < 2) return std::nullopt;
    const auto entries = static_cast<double>(placement.sources.size() + placement.targets.size()) / 2;
    const double arithmetic = entries * (2 + 2 * std::log2(std::max(entries, 1.0)));
    const auto move_cost = [&](Variable v) {
        return static_cast<double>(placement.sources.size()) * access_cost(placement.sources, v, lanes) +
               static_cast<double>(placement.targets.size()) * access_cost(placement.targets, v, lanes);
    };
    std::optional<LaneLoop> best;
    double best_cost = 2 * entries + arithmetic; // scalar code, each iteration
    for (const Loop& loop : loops) {
        const double vectors = static_cast<double>(ceil_divide(loop.count, lanes));
        const double cost =
            (move_cost(loop.variable) + arithmetic) * vectors / static_cast<double>(loop.count);
        if (loop.count < 2 || cost >= best_cost) continue;
        best_cost = cost;
        best = LaneLoop{loop, lanes};
    }
    return best;
}

} // namespace swirl::lower
