#include "search/cost/cpu/pair_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace swirl::search {

namespace {

/// Limits of this lowering: points of a kernel, and vectors read over all passes.
constexpr Integer max_points = 128;
constexpr double most_vectors = 64;
/// Lane exchanges per operation.
constexpr double exchanges = 0.12;

/// Cycles of the passes; infinite if the transform is too long.
double cycles(const rules::Choice& radices, Integer n, double lanes, double around,
              double cycles_per_operation) {
    Integer longest = 1, before = 1;
    std::vector<Integer> lane_loops;
    for (const Integer radix : radices) {
        const Integer rest = n / (before * radix);
        lane_loops.push_back(before == 1 ? rest : std::max(before, rest));
        longest = std::max(longest, lane_loops.back());
        before *= radix;
    }
    double width = 1;
    while (width < lanes / 2 && width < static_cast<double>(longest)) width *= 2;
    double operations = 0, vectors = 0;
    for (std::size_t k = 0; k < radices.size(); ++k) {
        const auto radix = static_cast<double>(radices[k]), count = static_cast<double>(lane_loops[k]);
        const double times = std::ceil(count / width) * static_cast<double>(n) / radix / count;
        const double columns = std::ceil(radix / width) * width;
        operations += times * codelet_operations(radices[k]) / 2 * (1 + exchanges);
        if (k > 0) operations += times * 3 * (radix - 1);
        if (k + 1 < radices.size()) operations += times * columns * std::log2(width);
        vectors += times * radix;
    }
    if (n > max_points || vectors > most_vectors) return std::numeric_limits<double>::infinity();
    return around + cycles_per_operation * std::max(operations, 2 * vectors);
}

} // namespace

void estimate_in_pairs(std::vector<Candidate>& candidates, Integer n, double lanes, bool repeated,
                       const MachineModel& machine, const CycleConstants& constants) {
    const double around = repeated ? constants.pair_iteration : constants.pair_call;
    const double of_operation = machine.vector_operation * constants.pair_operation;
    for (Candidate& candidate : candidates) {
        const bool is_codelet = candidate.tree == rules::BreakdownTree{};
        if (is_codelet && repeated) continue; // iterations fill its lanes
        if (!is_codelet && (candidate.tree.rule != "stockham" || !candidate.tree.children.empty())) continue;
        const double estimated =
            cycles(is_codelet ? rules::Choice{n} : candidate.tree.choice, n, lanes, around, of_operation);
        if (std::isfinite(estimated)) candidate.cycles = estimated;
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cycles < b.cycles; });
}

} // namespace swirl::search
