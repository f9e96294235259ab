#include "search/candidates/cpu/balanced_widths.hpp"

#include "passes/phases.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "search/candidates/cpu/subproblems.hpp"
#include "search/candidates/cpu/transforms.hpp"
#include "search/cost/cpu/cycles.hpp"

#include <algorithm>

namespace swirl::search {

using formula::Formula;
using rules::BreakdownTree;

namespace {

struct Sharing {
    double lanes; ///< complex entries of a vector
    Integer threads;
};

/// Fraction of all threads' lanes that do useful work in a loop over `count / width` tiles.
double usage(Integer count, Integer width, const Sharing& sharing) {
    return utilization(static_cast<double>(width), sharing.lanes) *
           passes::balance(count / width, sharing.threads);
}

/// The divisor of `width` with the best usage; the widest of equals. Narrower ones must be worth it: rows of tiles are
/// read in shorter contiguous ranges.
template <class Allowed>
Integer balanced(Integer count, Integer width, const Sharing& sharing, Allowed&& is_allowed) {
    constexpr double worth_it = 1.15;
    Integer best = width;
    for (Integer narrower = width - 1; narrower > 1; --narrower)
        if (width % narrower == 0 && is_allowed(narrower) &&
            usage(count, narrower, sharing) > worth_it * usage(count, best, sharing))
            best = narrower;
    return best;
}

Integer first_radix(const BreakdownTree& tree, Integer n) {
    return tree.rule == "stockham" ? tree.choice.front() : n;
}

void balance_two_sweep(BreakdownTree& tree, Integer n, const Sharing& sharing) {
    const Integer columns = tree.choice[0];
    Integer &tile = tree.choice[1], &block = tree.choice[2];
    tile = balanced(n / columns, tile, sharing, [](Integer) { return true; });
    if (!block_widths_keep_bits(n)) return;
    // The lanes of the first sweep's last pass are to be neighbours in memory.
    const Integer radix = first_radix(tree.children.back(), columns);
    block = balanced(columns, block, sharing,
                     [&](Integer width) { return radix % width == 0 || width % radix == 0; });
}

/// Transforms that run once: the loops of others have enough iterations without those of tiles.
void balance(BreakdownTree& tree, const Formula& transform, const Sharing& sharing) {
    const Integer n = transform.rows();
    if (tree.rule == "two-sweep") return balance_two_sweep(tree, n, sharing);
    if (tree.children.empty()) return;
    const std::vector<Formula> children = children_of(tree.rule, tree.choice, transform);
    for (std::size_t k = 0; k < std::min(children.size(), tree.children.size()); ++k)
        if (2 * children[k].rows() >= n) balance(tree.children[k], children[k], sharing);
}

/// Whether a pass computes one transform of one dimension.
bool runs_once(const planning::DimensionPass& pass) {
    const auto is_one = [](Integer count) { return count == 1; };
    return !pass.nonterminal.is<formula::Kronecker>() &&
           std::all_of(pass.left.begin(), pass.left.end(), is_one) &&
           std::all_of(pass.right.begin(), pass.right.end(), is_one);
}

} // namespace

planning::Schedule with_balanced_widths(const Transform& problem, planning::Schedule schedule,
                                        const target::Cpu& cpu, int threads) {
    const DataType scalar = planning::arithmetic_of(problem.precision);
    const Sharing sharing{static_cast<double>(cpu.vector_bytes ? target::lanes(cpu, scalar) : 1), threads};
    const std::vector<planning::DimensionPass> passes = planning::dimension_passes(problem);
    for (std::size_t k = 0; k < passes.size(); ++k)
        if (runs_once(passes[k]))
            balance(schedule.transform().passes[k].tree, passes[k].nonterminal, sharing);
    return schedule;
}

} // namespace swirl::search
