#include "search/cost/cpu/pair_cost.hpp"

#include "search/candidates/cpu/dft_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace swirl::search {

namespace {

/// Limit of this lowering: vectors read over all passes.
constexpr double most_vectors = 64;
/// Lane exchanges per operation.
constexpr double exchanges = 0.12;

/// Operations for each vector of results of the pass around a DFT of half the size, from both ends of the spectrum, and those on
/// the reals that have no partner.
constexpr double half_size_operations = 14, real_operations = 24;

/// The passes of a DFT of n points, and `columns` iterations around it that are lanes, too.
struct PairedPasses {
    double operations = 0;
    double vectors = 0; ///< read over all passes
    double width = 1;   ///< of vectors, in complex elements
};

PairedPasses paired_passes_of(const rules::Choice& radices, Integer n, double lanes, Integer columns = 0) {
    Integer longest = std::max<Integer>(columns, 1), before = 1;
    std::vector<Integer> lane_loops;
    for (const Integer radix : radices) {
        const Integer rest = n / (before * radix);
        lane_loops.push_back(before == 1 ? rest : std::max(before, rest));
        longest = std::max(longest, lane_loops.back());
        before *= radix;
    }
    PairedPasses passes;
    while (passes.width < lanes / 2 && passes.width < static_cast<double>(longest)) passes.width *= 2;
    for (std::size_t k = 0; k < radices.size(); ++k) {
        const auto radix = static_cast<double>(radices[k]), count = static_cast<double>(lane_loops[k]);
        const double times = std::ceil(count / passes.width) * static_cast<double>(n) / radix / count;
        const double rows = std::ceil(radix / passes.width) * passes.width;
        passes.operations += times * codelet_operations(radices[k]) / 2 * (1 + exchanges);
        if (k > 0) passes.operations += times * 3 * (radix - 1);
        if (k + 1 < radices.size()) passes.operations += times * rows * std::log2(passes.width);
        passes.vectors += times * radix;
    }
    return passes;
}

/// Whether each vector that the first pass loads is part of one that the last pass stored, both without masks, so that in place
/// the stores of one transform answer the loads of the next before they have reached the cache.
bool stores_answer_loads(const rules::Choice& radices, Integer n, double width) {
    const auto vector = static_cast<Integer>(width), loaded = n / radices.front(),
               stored = n / radices.back();
    const auto is_whole = [](Integer elements) { return (elements & (elements - 1)) == 0; };
    for (Integer row = 0; row < n; row += loaded)
        for (Integer first = 0; first < loaded; first += vector) {
            const Integer count = std::min(vector, loaded - first), begin = (row + first) % stored;
            const Integer within = begin % vector, filled = std::min(vector, stored - begin + within);
            if (!is_whole(count) || !is_whole(filled) || within + count > filled) return false;
        }
    return true;
}

/// The radices of a DFT by passes, or by one codelet.
std::optional<rules::Choice> radices_of(const rules::BreakdownTree& tree, Integer n) {
    if (tree == rules::BreakdownTree{}) return rules::Choice{n};
    if (tree.rule != "stockham" || !tree.children.empty()) return std::nullopt;
    return tree.choice;
}

/// Cycles of a real transform of n points by the DFT of half the size with these radices.
std::optional<double> paired_half_size_cycles(const rules::Choice& radices, Integer n, double lanes,
                                              bool repeated, const MachineModel& machine,
                                              const CycleConstants& constants) {
    const Integer half = n / 2, columns = (half - 1) / 2;
    PairedPasses passes = paired_passes_of(radices, half, lanes, columns);
    const double around = std::ceil(static_cast<double>(columns) / passes.width);
    passes.vectors += 2 * around;
    if (half > longest_in_pairs || passes.vectors > most_vectors) return std::nullopt;
    passes.operations += half_size_operations * around + real_operations;
    return (repeated ? constants.pair_iteration : 1.5 * constants.pair_call) +
           machine.vector_operation * constants.pair_operation *
               std::max(passes.operations, 2 * passes.vectors);
}

} // namespace

void estimate_in_pairs(std::vector<Candidate>& candidates, Integer n, double lanes, bool repeated,
                       bool in_place, const MachineModel& machine, const CycleConstants& constants) {
    const double around = repeated ? constants.pair_iteration : constants.pair_call;
    const double of_operation = machine.vector_operation * constants.pair_operation;
    for (Candidate& candidate : candidates) {
        const bool is_codelet = candidate.tree == rules::BreakdownTree{};
        if (is_codelet && repeated) continue; // iterations fill its lanes
        const auto radices = radices_of(candidate.tree, n);
        if (!radices) continue;
        const PairedPasses passes = paired_passes_of(*radices, n, lanes);
        if (n > longest_in_pairs || passes.vectors > most_vectors) continue;
        candidate.cycles = around + of_operation * (is_codelet ? constants.pair_codelet : 1) *
                                        std::max(passes.operations, 2 * passes.vectors);
        if (!repeated && 2 * passes.width == lanes) candidate.cycles += constants.pair_long_vectors;
        if (in_place && !repeated && !is_codelet)
            candidate.cycles += stores_answer_loads(*radices, n, passes.width) ? constants.answered_load
                                                                               : constants.unanswered_load;
    }
    sort_by_cycles(candidates);
}

void estimate_half_size_in_pairs(std::vector<Candidate>& candidates, const std::vector<Candidate>& halves,
                                 Integer n, double lanes, bool repeated, const MachineModel& machine,
                                 const CycleConstants& constants) {
    for (Candidate& candidate : candidates) {
        if (candidate.tree.rule != "rdft-half-size") continue;
        std::optional<double> least;
        const auto consider = [&](const rules::BreakdownTree& half) {
            const auto radices = radices_of(half, n / 2);
            if (!radices) return;
            const auto cycles = paired_half_size_cycles(*radices, n, lanes, repeated, machine, constants);
            if (!cycles || (least && *cycles >= *least)) return;
            least = cycles;
            candidate.tree.children = {half};
        };
        const rules::BreakdownTree given =
            candidate.tree.children.empty() ? rules::BreakdownTree{} : candidate.tree.children[0];
        consider(given);
        for (const Candidate& half : halves) consider(half.tree);
        if (least) candidate.cycles = *least;
    }
    sort_by_cycles(candidates);
}

} // namespace swirl::search
