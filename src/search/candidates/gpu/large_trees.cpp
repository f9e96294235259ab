#include "search/candidates/gpu/large_trees.hpp"

#include "rules/number_theory.hpp"
#include "search/candidates/gpu/trees.hpp"

#include <algorithm>
#include <utility>

namespace swirl::search {

using rules::BreakdownTree;

namespace {

constexpr std::size_t max_large_matrices = 2; ///< matrix shapes tried for a vector in two sweeps

/// Divisors of n, nearest to its square root first.
std::vector<Integer> near_root(Integer n) {
    std::vector<Integer> result;
    for (const auto& [rows, columns] : rules::ordered_splits(n)) result.push_back(columns);
    return result;
}

/// The tree of a rule that leaves one transform, or two different ones.
BreakdownTree split(const char* rule, rules::Choice choice, const BreakdownTree& first,
                    const BreakdownTree& second, bool same) {
    BreakdownTree tree{rule, std::move(choice), {first}};
    if (!same) tree.children.push_back(second);
    return tree;
}

std::vector<BreakdownTree> around(const char* rule, std::vector<BreakdownTree> inner) {
    for (BreakdownTree& tree : inner) tree = {rule, {}, {std::move(tree)}};
    return inner;
}

std::vector<BreakdownTree> three(Integer n) {
    auto tree = three_sweeps(n);
    if (!tree) tree = swept_convolution(n, 3, 4 * n);
    if (!tree) return {};
    return {std::move(*tree)};
}

std::vector<BreakdownTree> sweeps(Integer n, int count, Integer entries) {
    if (count == 3) return three(n);
    std::vector<BreakdownTree> result;
    for (const Integer columns : near_root(n)) {
        const Integer rows = n / columns;
        const auto of_rows = gpu_tree(formula::DFT(rows)), of_columns = gpu_tree(formula::DFT(columns));
        if (!of_rows || !of_columns || of_rows->rule != "stockham" || of_columns->rule != "stockham")
            continue;
        result.push_back(split("two-sweep", {columns, 1, 1}, *of_rows, *of_columns, columns == rows));
        if (result.size() == max_large_matrices) return result;
    }
    if (result.empty()) result = sweeps_by_primes(n, entries);
    if (result.empty())
        if (auto convolution = swept_convolution(n, 2, 4 * n)) result.push_back(std::move(*convolution));
    return result;
}

/// The same, and three sweeps over wide ranges of memory where two access narrow ones.
std::vector<BreakdownTree> wide_sweeps(Integer n, int count, Integer entries) {
    std::vector<BreakdownTree> result = sweeps(n, count, entries);
    if (count != 2 || result.empty()) return result;
    const std::string& rule = result.front().rule;
    if (rule == "two-sweep" && are_sweeps_narrow(n, entries)) {
        if (auto tree = three_sweeps(n)) result.push_back(std::move(*tree));
    } else if (rule == "bluestein") {
        result = swept_convolutions(n, 4 * n, entries);
    }
    return result;
}

std::vector<BreakdownTree> of_reals(Integer n, Direction direction, int count, Integer entries) {
    std::vector<BreakdownTree> result;
    for (const Integer columns : near_root(n)) {
        if (count == 3) break;
        if (auto tree = real_two_sweep(n, columns, direction)) result.push_back(std::move(*tree));
        if (result.size() == max_large_matrices) break;
    }
    if (!result.empty()) return result;
    return n % 2 == 0 ? around("rdft-half-size", wide_sweeps(n / 2, count, entries))
                      : around("rdft-embedding", wide_sweeps(n, count, entries));
}

std::vector<BreakdownTree> of_sines(int type, Integer n, int count, Integer entries);

std::vector<BreakdownTree> of_cosines(int type, Integer n, int count, Integer entries) {
    if (type == 1) return around("dct1-rdft", of_reals(2 * (n - 1), Direction::forward, count, entries));
    if (type == 2) return around("dct2-rdft", of_reals(n, Direction::forward, count, entries));
    if (type == 3) return around("dct3-rdft", of_reals(n, Direction::backward, count, entries));
    if (type == 5) return around("dct5-rdft", of_reals(2 * n - 1, Direction::forward, count, entries));
    if (type > 5)
        return around("dct-type5",
                      type == 8 ? of_sines(5, n, count, entries) : of_cosines(5, n, count, entries));
    return n % 2 == 0 ? around("dct4-dft", wide_sweeps(n / 2, count, entries))
                      : around("dct4-rdft", of_reals(n, Direction::forward, count, entries));
}

std::vector<BreakdownTree> of_sines(int type, Integer n, int count, Integer entries) {
    if (type == 1) return around("dst1-rdft", of_reals(2 * (n + 1), Direction::forward, count, entries));
    if (type == 5) return around("dst5-rdft", of_reals(2 * n + 1, Direction::forward, count, entries));
    if (type > 5)
        return around("dct-type5",
                      type == 8 ? of_cosines(5, n, count, entries) : of_sines(5, n, count, entries));
    return around("dst-dct", of_cosines(type, n, count, entries));
}

/// Forward and inverse by the same sweeps.
std::vector<BreakdownTree> of_convolutions(Integer n, int count, Integer entries) {
    std::vector<BreakdownTree> result;
    for (const BreakdownTree& tree : sweeps(n, count, entries))
        result.push_back({"circulant-dft", {}, {tree, tree}});
    return result;
}

std::vector<BreakdownTree> of_real_convolutions(Integer n, int count, Integer entries) {
    const auto back = of_reals(n, Direction::backward, count, entries),
               there = of_reals(n, Direction::forward, count, entries);
    std::vector<BreakdownTree> result;
    for (std::size_t k = 0; k < std::min(back.size(), there.size()); ++k)
        if (there[k].rule == "rdft-half-size")
            result.push_back({"circulant-half-size", {}, {back[k].children[0], there[k].children[0]}});
        else
            result.push_back({"circulant-rdft", {}, {back[k], there[k]}});
    return result;
}

std::vector<BreakdownTree> of_signs(Integer n, formula::WalshOrder order) {
    std::vector<BreakdownTree> result;
    for (const Integer columns : near_root(n)) {
        const Integer rows = n / columns;
        const auto of_columns = gpu_tree(formula::WHT(columns, order)),
                   of_rows = gpu_tree(formula::WHT(rows, order));
        if (!of_columns || !of_rows) continue;
        result.push_back(split(order == formula::WalshOrder::natural ? "wht-split" : "wht-ordered",
                               {columns, rows}, *of_columns, *of_rows, columns == rows));
        if (result.size() == max_large_matrices) break;
    }
    return result;
}

} // namespace

std::vector<BreakdownTree> gpu_large_trees(const formula::Formula& transform, int count, Integer entries) {
    const Integer n = transform.rows();
    if (transform.is<formula::Dft>()) return wide_sweeps(n, count, entries);
    if (const auto* real = transform.get_if<formula::RealDft>())
        return of_reals(n, real->direction, count, entries);
    if (const auto* dct = transform.get_if<formula::Dct>()) return of_cosines(dct->type, n, count, entries);
    if (transform.is<formula::Dht>())
        return around("dht-rdft", of_reals(n, Direction::forward, count, entries));
    if (const auto* dst = transform.get_if<formula::Dst>()) return of_sines(dst->type, n, count, entries);
    if (const auto* wht = transform.get_if<formula::Wht>()) return of_signs(n, wht->order);
    if (const auto* circulant = transform.get_if<formula::Circulant>())
        return circulant->of_reals ? of_real_convolutions(n, count, entries)
                                   : of_convolutions(n, count, entries);
    return {};
}

} // namespace swirl::search
