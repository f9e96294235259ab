#include "search/candidates/gpu/trees.hpp"
#include "search/candidates/gpu/launch_configurations.hpp"

#include "rules/given_formula.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace swirl::search {

using rules::BreakdownTree;

namespace {

/// Children at the end that are codelets are left out.
void drop_last_codelets(BreakdownTree& tree) {
    while (!tree.children.empty() && tree.children.back().rule.empty()) tree.children.pop_back();
}

bool is_better(const std::vector<Integer>& a, const std::vector<Integer>& b) {
    if (b.empty() || a.size() != b.size()) return b.empty() || a.size() < b.size();
    if (a.front() != b.front()) return a.front() < b.front(); // the largest radix
    return a.back() > b.back();
}

/// Extends `chosen` by radices up to `most` to product n.
void search_radices(Integer n, Integer most, std::vector<Integer>& chosen, std::vector<Integer>& best) {
    if (n == 1) {
        if (is_better(chosen, best)) best = chosen;
        return;
    }
    if (!best.empty() && chosen.size() >= best.size()) return;
    for (Integer radix = std::min(most, n); radix > 1; --radix) {
        if (n % radix != 0 || !is_gpu_radix(radix)) continue;
        chosen.push_back(radix);
        search_radices(n / radix, radix, chosen, best);
        chosen.pop_back();
    }
}

std::optional<BreakdownTree> passes(const char* rule, Integer n) {
    const std::vector<Integer> radices = balanced_radices(n);
    if (radices.empty()) return std::nullopt;
    return BreakdownTree{rule, radices, {}};
}

BreakdownTree wht_tree(Integer n, formula::WalshOrder order) {
    if (n <= largest_gpu_radix) return {};
    const std::vector<Integer> radices = balanced_radices(n);
    if (order != formula::WalshOrder::natural) return {"wht-stockham", radices, {}};
    const Integer rest = n / radices.front();
    BreakdownTree tree{"wht-split", {radices.front(), rest}, {}};
    if (rest > largest_gpu_radix) tree.children = {BreakdownTree{}, wht_tree(rest, order)};
    return tree;
}

/// Wraps the transform that a rule leaves.
std::optional<BreakdownTree> around(const char* rule, std::optional<BreakdownTree> inner) {
    if (!inner) return std::nullopt;
    if (inner->rule.empty()) return BreakdownTree{rule, {}, {}};
    return BreakdownTree{rule, {}, {std::move(*inner)}};
}

/// Maximum points of a sweep's transforms of which a block of `entries` holds several at once.
Integer several_per_block(Integer entries) {
    constexpr Integer longest_swept = 4096;
    return std::min(longest_swept, entries / 2); // two arrays
}
/// Maximum radix of a convolution; beyond it another length is better.
constexpr Integer widest_of_convolution = 17;

/// A convolution of n − 1 entries, if its radices are small.
std::optional<BreakdownTree> rader_tree(Integer n) {
    const std::vector<Integer> radices = balanced_radices(n - 1);
    if (n - 1 > rules::longest_rader_convolution || !rules::is_prime(n) || radices.empty() ||
        radices.front() > widest_of_convolution)
        return std::nullopt;
    const BreakdownTree passes{"stockham", radices, {}};
    return BreakdownTree{"rader", {}, {reversed_passes(passes), passes}};
}

/// 2^a·3^b·5^c from `least` to `most`, ascending.
std::vector<Integer> smooth_sizes(Integer least, Integer most) {
    std::vector<Integer> sizes;
    for (Integer fives = 1; fives <= most; fives *= 5)
        for (Integer threes = fives; threes <= most; threes *= 3)
            for (Integer size = threes; size <= most; size *= 2)
                if (size >= least) sizes.push_back(size);
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

/// Smooth sizes of Bluestein's convolution that are multiples of the shared memory bank count, ascending.
std::vector<Integer> bluestein_sizes(Integer n) {
    std::vector<Integer> sizes = smooth_sizes(ceil_divide(2 * n - 2, bank_count), 4 * n / bank_count);
    for (Integer& size : sizes) size *= bank_count;
    return sizes;
}

BreakdownTree bluestein_by(Integer size, const std::vector<Integer>& radices) {
    const BreakdownTree passes{"stockham", radices, {}};
    return {"bluestein", {size}, {reversed_passes(passes), passes}};
}

/// A convolution of the smallest suitable size.
std::optional<BreakdownTree> bluestein_tree(Integer n) {
    const std::vector<Integer> sizes = bluestein_sizes(n);
    if (sizes.empty()) return std::nullopt;
    return bluestein_by(sizes.front(), balanced_radices(sizes.front()));
}

/// By the largest prime factor, if it has a convolution of its own size; else as one convolution.
std::optional<BreakdownTree> tree_by_convolution(Integer n) {
    const Integer prime = rules::largest_prime_factor(n);
    const auto of_prime = rader_tree(prime);
    if (!of_prime) return bluestein_tree(n);
    if (prime == n) return of_prime;
    if (prime == n / prime)
        return BreakdownTree{
            "cooley-tukey", {prime, prime}, {*of_prime}}; // one child tree per distinct transform
    const auto rest = gpu_tree(formula::DFT(n / prime));
    if (!rest) return std::nullopt;
    return BreakdownTree{"cooley-tukey", {n / prime, prime}, {*rest, *of_prime}};
}

/// Three factors as equal as the divisors near the cube root allow, falling; empty if n has no such factors.
std::vector<Integer> near_cube_root(Integer n) {
    constexpr std::ptrdiff_t around = 4; // divisors on either side
    const std::vector<Integer> divisors = rules::divisors(n);
    const auto root = std::find_if(divisors.begin(), divisors.end(), [&](Integer side) {
        return side >= ceil_divide(ceil_divide(n, side), side);
    });
    const auto first = root - std::min(around, root - divisors.begin());
    const auto last = root + std::min(around, divisors.end() - root);
    std::vector<Integer> best;
    for (auto side = first; side != last; ++side) {
        const auto splits = rules::ordered_splits(n / *side);
        if (*side == 1 || splits.empty()) continue;
        std::vector<Integer> sides{*side, splits.front().first, splits.front().second};
        std::sort(sides.rbegin(), sides.rend());
        if (best.empty() || sides.front() < best.front()) best = std::move(sides);
    }
    return best;
}

/// Sweeps by these radices, each transform by the tree that `tree_of` returns, if it exists.
template <class TreeOf>
std::optional<BreakdownTree> sweeps_by(const std::vector<Integer>& radices, const TreeOf& tree_of) {
    BreakdownTree tree{"stockham", radices, {}};
    std::set<Integer> met;
    for (auto radix = radices.rbegin(); radix != radices.rend(); ++radix) { // in the order of the product
        if (!met.insert(*radix).second) continue;
        auto of_radix = tree_of(*radix);
        if (!of_radix) return std::nullopt;
        tree.children.push_back(std::move(*of_radix));
    }
    drop_last_codelets(tree);
    return tree;
}

/// Passes over shared memory, or one codelet.
std::optional<BreakdownTree> passes_of_block(Integer n) {
    if (is_gpu_radix(n)) return BreakdownTree{};
    return passes("stockham", n);
}

std::optional<BreakdownTree> reversed_passes_of_block(Integer n) {
    auto tree = passes_of_block(n);
    if (tree) *tree = reversed_passes(std::move(*tree));
    return tree;
}

/// Three forward sweeps, and the inverse by the same in reverse order.
std::optional<std::vector<BreakdownTree>> three_there_and_back(Integer n) {
    std::vector<Integer> radices = near_cube_root(n);
    if (radices.empty()) return std::nullopt;
    const auto there = sweeps_by(radices, passes_of_block);
    std::reverse(radices.begin(), radices.end());
    const auto back = sweeps_by(radices, reversed_passes_of_block);
    if (!there || !back) return std::nullopt;
    return std::vector<BreakdownTree>{*back, *there};
}

/// Forward by two sweeps over the matrix nearest to square, inverse by sweeps over its transpose: the inverse's columns
/// are the forward rows.
std::optional<std::vector<BreakdownTree>> swept_there_and_back(Integer n) {
    const auto splits = rules::ordered_splits(n);
    if (splits.empty()) return std::nullopt;
    const Integer columns = splits.front().first;
    const auto of_rows = gpu_tree(formula::DFT(n / columns)), of_columns = gpu_tree(formula::DFT(columns));
    if (of_rows->rule != "stockham" || of_columns->rule != "stockham") return std::nullopt;
    BreakdownTree there{"two-sweep", {columns, 1, 1}, {*of_rows}};
    if (columns * columns == n)
        return std::vector<BreakdownTree>{{"two-sweep", {columns, 1, 1}, {reversed_passes(*of_rows)}}, there};
    BreakdownTree back{"two-sweep", {n / columns, 1, 1}, {*of_columns, reversed_passes(*of_rows)}};
    there.children.push_back(*of_columns);
    return std::vector<BreakdownTree>{back, there};
}

/// A convolution of reals of its own size, if its radices are small.
std::optional<BreakdownTree> real_rader_tree(Integer n) {
    const std::vector<Integer> radices = balanced_radices(n - 1);
    if (n - 1 > rules::longest_rader_convolution || !rules::is_prime(n) || radices.size() < 2 ||
        radices.front() > widest_of_convolution)
        return std::nullopt;
    const BreakdownTree passes{"rdft-stockham", radices, {}};
    return BreakdownTree{"rdft-rader", {n - 1}, {passes, passes}};
}

/// Even sizes as complex transforms of half the size; sizes without a breakdown of their own as complex transforms.
std::optional<BreakdownTree> real_tree(Integer n) {
    if (is_gpu_radix(n) || n <= largest_gpu_real_codelet) return BreakdownTree{};
    if (n % 2 == 0) return around("rdft-half-size", gpu_tree(formula::DFT(n / 2)));
    if (const auto tree = passes("rdft-stockham", n)) return tree;
    if (const auto tree = real_rader_tree(n)) return tree;
    return around("rdft-embedding", gpu_tree(formula::DFT(n)));
}

/// A transform of type 1 by two of half the size.
std::optional<BreakdownTree> by_halves(const char* rule, const formula::Formula& of_differences,
                                       const formula::Formula& of_sums) {
    auto first = gpu_tree(of_differences), second = gpu_tree(of_sums);
    if (!first || !second) return std::nullopt;
    BreakdownTree tree{rule, {}, {*std::move(first), *std::move(second)}};
    drop_last_codelets(tree);
    return tree;
}

std::optional<BreakdownTree> sine_tree(int type, Integer n);

std::optional<BreakdownTree> cosine_tree(int type, Integer n) {
    if (n <= largest_gpu_radix) return BreakdownTree{};
    if (type == 1 && n % 2 == 0) return around("dct1-dft", gpu_tree(formula::DFT(n - 1)));
    if (type == 1) return by_halves("dct1-dct3", formula::DCT(3, n / 2), formula::DCT(1, n / 2 + 1));
    if (type == 2) return around("dct2-rdft", real_tree(n));
    if (type == 3) return around("dct3-rdft", real_tree(n));
    if (type == 5) return around("dct5-rdft", real_tree(2 * n - 1));
    if (type > 5) return around("dct-type5", type == 8 ? sine_tree(5, n) : cosine_tree(5, n));
    if (n % 2 == 0) return around("dct4-dft", gpu_tree(formula::DFT(n / 2)));
    return around("dct4-rdft", real_tree(n));
}

std::optional<BreakdownTree> sine_tree(int type, Integer n) {
    if (n <= largest_gpu_radix) return BreakdownTree{};
    if (type == 1 && n % 2 == 0) return around("dst1-dft", gpu_tree(formula::DFT(n + 1)));
    if (type == 1) return by_halves("dst1-dst3", formula::DST(1, n / 2), formula::DST(3, n / 2 + 1));
    if (type == 5) return around("dst5-rdft", real_tree(2 * n + 1));
    if (type > 5) return around("dct-type5", type == 8 ? cosine_tree(5, n) : sine_tree(5, n));
    return around("dst-dct", cosine_tree(type, n));
}

/// Forward, and inverse by the same passes in reverse order.
std::optional<BreakdownTree> convolution_tree(Integer n) {
    BreakdownTree tree{"circulant-dft", {}, {}};
    if (n == 1) return tree;
    const auto inner = gpu_tree(formula::DFT(n));
    if (!inner) return std::nullopt;
    if (!inner->rule.empty()) tree.children = {reversed_passes(*inner), *inner};
    return tree;
}

/// A convolution of reals by a tree of the real transform in both directions. The product with the spectrum is part of a pass
/// where the tree has one that can take it.
BreakdownTree around_spectrum(const BreakdownTree& tree) {
    if (tree.rule == "rdft-stockham") return {"circulant-stockham", tree.choice, {}};
    const bool is_half_size = tree.rule == "rdft-half-size";
    const BreakdownTree& inner = is_half_size && !tree.children.empty() ? tree.children[0] : tree;
    BreakdownTree result{is_half_size ? "circulant-half-size" : "circulant-rdft", {}, {}};
    if (!inner.rule.empty() && (!is_half_size || !tree.children.empty())) result.children = {inner, inner};
    return result;
}

/// Of reals: both directions by the same tree.
std::optional<BreakdownTree> real_convolution_tree(Integer n) {
    if (n == 1) return BreakdownTree{"circulant-rdft", {}, {}};
    const auto inner = real_tree(n);
    if (!inner) return std::nullopt;
    return around_spectrum(*inner);
}

/// Rows of a plane, then its columns; volumes by codelets only.
std::optional<BreakdownTree> plane_tree(const formula::Formula& plane) {
    const auto& sides = plane.children();
    BreakdownTree tree{"row-column", {}, {}};
    for (std::size_t k = 0; k < sides.size(); ++k) {
        tree.choice.insert(tree.choice.begin(), static_cast<Integer>(k));
        if (std::find(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(k), sides[k]) !=
            sides.begin() + static_cast<std::ptrdiff_t>(k))
            continue;
        const auto of_side = gpu_tree(sides[k]);
        if (!of_side || (of_side->rule != "stockham" && !of_side->rule.empty())) return std::nullopt;
        tree.children.push_back(*of_side);
    }
    drop_last_codelets(tree);
    if (sides.size() > 2 && !tree.children.empty()) return std::nullopt;
    return tree;
}

} // namespace

BreakdownTree reversed_passes(BreakdownTree tree) {
    if (tree.rule == "stockham") std::reverse(tree.choice.begin(), tree.choice.end());
    return tree;
}

bool is_gpu_radix(Integer n) {
    return n <= largest_gpu_radix || (n <= largest_gpu_prime && rules::is_prime(n));
}

std::vector<Integer> balanced_radices(Integer n) {
    std::vector<Integer> chosen, best;
    if (n > 1 && rules::largest_prime_factor(n) <= largest_gpu_prime)
        search_radices(n, largest_gpu_prime, chosen, best);
    return best;
}

namespace {

/// What the rule leaves of a formula, each transform as passes.
std::optional<BreakdownTree> tree_of_passes(const char* name, const formula::Formula& given) {
    const rules::BreakdownRule& rule = rules::rule_named(name);
    BreakdownTree tree{name, rule.choices(given).front(), {}};
    for (const formula::Formula& transform : rules::nonterminals(rule.build(given, tree.choice))) {
        auto of_transform = gpu_tree(transform);
        if (!of_transform) return std::nullopt;
        tree.children.push_back(*std::move(of_transform));
    }
    drop_last_codelets(tree);
    return tree;
}

} // namespace

std::optional<BreakdownTree> gpu_formula_tree(const formula::Formula& given) {
    return tree_of_passes(rules::is_given_formula(given) ? "formula" : "row-column", given);
}

std::optional<BreakdownTree> gpu_tree(const formula::Formula& transform) {
    const Integer n = transform.rows();
    if (transform.is<formula::Identity>()) return BreakdownTree{};
    if (rules::is_given_formula(transform)) return gpu_formula_tree(transform);
    if (transform.is<formula::Dft>()) {
        const auto tree = passes_of_block(n);
        return tree ? tree : tree_by_convolution(n);
    }
    if (const auto* circulant = transform.get_if<formula::Circulant>())
        return circulant->of_reals ? real_convolution_tree(n) : convolution_tree(n);
    if (transform.is<formula::RealDft>()) return real_tree(n);
    if (const auto* wht = transform.get_if<formula::Wht>()) return wht_tree(n, wht->order);
    if (transform.is<formula::Kronecker>()) return plane_tree(transform);
    if (const auto* dct = transform.get_if<formula::Dct>()) return cosine_tree(dct->type, n);
    if (const auto* dst = transform.get_if<formula::Dst>()) return sine_tree(dst->type, n);
    if (transform.is<formula::Dht>())
        return n <= largest_gpu_radix ? BreakdownTree{} : around("dht-rdft", real_tree(n));
    return std::nullopt;
}

namespace {

/// Places an even radix in the pass next to the spectrum, so that each of its entries lies on one side of the
/// spectrum's middle.
void put_even_radix(std::vector<Integer>& radices, Direction direction) {
    const auto is_even = [](Integer radix) { return radix % 2 == 0; };
    if (direction == Direction::forward)
        std::stable_partition(radices.begin(), radices.end(), std::not_fn(is_even));
    else
        std::stable_partition(radices.begin(), radices.end(), is_even);
}

} // namespace

std::optional<BreakdownTree> real_two_sweep(Integer n, Integer columns, Direction direction) {
    const Integer rows = n / columns;
    const auto is_power_of_2 = [](Integer value) { return (value & (value - 1)) == 0; };
    if (!is_power_of_2(columns) || !is_power_of_2(rows) || rows < 2 || columns < 4) return std::nullopt;
    const auto of_columns = real_tree(columns), of_real_rows = real_tree(2 * rows);
    auto of_rows = gpu_tree(formula::DFT(rows, direction));
    if (!of_columns || !of_real_rows || !of_rows || of_rows->rule != "stockham") return std::nullopt;
    put_even_radix(of_rows->choice, direction);
    if (columns == 2 * rows) return BreakdownTree{"rdft-two-sweep", {columns}, {*of_columns, *of_rows}};
    if (direction == Direction::forward)
        return BreakdownTree{"rdft-two-sweep", {columns}, {*of_real_rows, *of_rows, *of_columns}};
    return BreakdownTree{"rdft-two-sweep", {columns}, {*of_columns, *of_real_rows, *of_rows}};
}

namespace {

constexpr std::size_t max_radix_lists = 5;

/// All rising lists of at most `most` radices ≥ `least` with product n.
void list_radices(Integer n, Integer least, Integer widest, std::size_t most, std::vector<Integer>& chosen,
                  std::vector<std::vector<Integer>>& lists) {
    if (n == 1) return lists.push_back(chosen);
    if (chosen.size() == most) return;
    for (Integer radix = least; radix <= std::min(widest, n); ++radix) {
        const bool suits = radix <= largest_gpu_radix || rules::largest_prime_factor(radix) <= 7 ||
                           (radix <= largest_gpu_prime && rules::is_prime(radix));
        if (n % radix != 0 || !suits) continue;
        chosen.push_back(radix);
        list_radices(n / radix, radix, widest, most, chosen, lists);
        chosen.pop_back();
    }
}

double spread_of(const std::vector<Integer>& radices) {
    return static_cast<double>(radices.back()) / static_cast<double>(radices.front());
}

/// The shortest lists of two or more radices, and of these the most even.
std::vector<std::vector<Integer>> radix_lists(Integer n, Integer widest) {
    std::vector<std::vector<Integer>> lists;
    std::vector<Integer> chosen;
    list_radices(n, 2, widest, balanced_radices(n).size() + 1, chosen, lists);
    std::erase_if(lists, [](const std::vector<Integer>& list) { return list.size() < 2; });
    std::stable_sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) {
        return a.size() != b.size() ? a.size() < b.size() : spread_of(a) < spread_of(b);
    });
    if (lists.size() > max_radix_lists) lists.resize(max_radix_lists);
    return lists;
}

/// Convolutions of the smallest suitable sizes, each in the fewest passes. Few trees, because rating one takes some ten
/// milliseconds.
std::vector<BreakdownTree> bluestein_trees(Integer n, Integer widest) {
    constexpr std::size_t most_sizes = 3, most_lists = 2;
    std::vector<BreakdownTree> trees;
    std::vector<Integer> sizes = bluestein_sizes(n);
    if (sizes.size() > most_sizes) sizes.resize(most_sizes);
    for (const Integer size : sizes) {
        std::vector<std::vector<Integer>> lists = radix_lists(size, widest);
        if (lists.size() > most_lists) lists.resize(most_lists);
        for (const std::vector<Integer>& list : lists) trees.push_back(bluestein_by(size, list));
    }
    return trees;
}

/// A real convolution of the smallest even smooth size that holds n − 1 entries without wrapping around: half the work
/// of a complex one. Few trees, because rating one takes some ten milliseconds.
std::vector<BreakdownTree> padded_real_rader_trees(Integer n) {
    constexpr std::size_t most_lists = 2;
    const std::vector<Integer> sizes = smooth_sizes(2 * n - 3, 3 * n);
    const auto size = std::find_if(sizes.begin(), sizes.end(), [](Integer each) { return each % 2 == 0; });
    if (size == sizes.end()) return {};
    std::vector<std::vector<Integer>> lists = radix_lists(*size, largest_gpu_radix);
    if (lists.size() > most_lists) lists.resize(most_lists);
    std::vector<BreakdownTree> trees;
    for (const std::vector<Integer>& list : lists) {
        const BreakdownTree rising{"rdft-stockham", list, {}},
            falling{"rdft-stockham", {list.rbegin(), list.rend()}, {}};
        trees.push_back({"rdft-rader", {*size}, {falling, rising}});
        trees.push_back({"rdft-rader", {*size}, {falling, falling}});
    }
    return trees;
}

} // namespace

std::vector<BreakdownTree> gpu_trees(const formula::Formula& transform, Integer widest) {
    std::vector<BreakdownTree> trees;
    if (const auto tree = gpu_tree(transform)) trees.push_back(*tree);
    const Integer n = transform.rows();
    const auto add = [&](const BreakdownTree& tree) {
        if (std::find(trees.begin(), trees.end(), tree) == trees.end()) trees.push_back(tree);
    };
    const auto* real = transform.get_if<formula::RealDft>();
    if (real && n > 2 && n % 2 == 0)
        for (const BreakdownTree& inner : gpu_trees(formula::DFT(n / 2, real->direction), widest))
            add(*around("rdft-half-size", inner));
    const auto* circulant = transform.get_if<formula::Circulant>();
    if (circulant && circulant->of_reals && n > 1)
        for (const BreakdownTree& tree : gpu_trees(formula::RDFT(n), widest)) {
            add(around_spectrum(tree));
        }
    if (circulant && !circulant->of_reals && n > 1)
        for (const BreakdownTree& there : gpu_trees(formula::DFT(n), widest)) {
            add({"circulant-dft", {}, {reversed_passes(there), there}});
        }
    if ((!transform.is<formula::Dft>() && !real) || n == 1) return trees;
    if (!trees.empty() && trees.front().rule == "rader")
        for (const std::vector<Integer>& list : radix_lists(n - 1, largest_gpu_prime)) {
            const BreakdownTree rising{"stockham", list, {}}, falling = reversed_passes(rising);
            add({"rader", {}, {rising, falling}});
            add({"rader", {}, {falling, rising}});
        }
    if (!trees.empty() && trees.front().rule == "bluestein")
        for (const BreakdownTree& tree : bluestein_trees(n, widest)) add(tree);
    if (!trees.empty() && trees.front().rule == "rdft-embedding" &&
        trees.front().children.front().rule == "bluestein")
        for (const BreakdownTree& tree : bluestein_trees(n, widest)) add({"rdft-embedding", {}, {tree}});
    if (real && rules::is_prime(n) && !trees.empty() && trees.front().rule == "rdft-embedding")
        for (const BreakdownTree& tree : padded_real_rader_trees(n)) add(tree);
    for (std::vector<Integer>& list :
         radix_lists(n, std::max(real ? largest_gpu_radix : widest, largest_gpu_prime)))
        for (const bool falling : {false, true}) {
            if (falling) std::reverse(list.begin(), list.end());
            add({real ? "rdft-stockham" : "stockham", list, {}});
        }
    return trees;
}

std::optional<BreakdownTree> fewest_passes(Integer n, Integer widest) {
    if (is_gpu_radix(n)) return std::nullopt;
    const std::vector<std::vector<Integer>> lists = radix_lists(n, widest);
    if (lists.empty() || lists.front().size() >= balanced_radices(n).size()) return std::nullopt;
    std::vector<Integer> radices = lists.front();
    std::reverse(radices.begin(), radices.end());
    return BreakdownTree{"stockham", radices, {}};
}

bool are_sweeps_narrow(Integer n, Integer entries) {
    constexpr Integer few_columns = 8;
    const auto splits = rules::ordered_splits(n); // nearest to square first
    if (splits.empty()) return true;
    const auto [columns, rows] = splits.front();
    return entries / 2 / std::max(columns, rows) < few_columns; // two arrays
}

std::optional<BreakdownTree> three_sweeps(Integer n) {
    const std::vector<Integer> radices = near_cube_root(n);
    return radices.empty() ? std::nullopt : sweeps_by(radices, passes_of_block);
}

std::optional<BreakdownTree> sweeps_by_primes(Integer n, Integer entries, Integer largest) {
    const Integer longest = several_per_block(entries);
    std::vector<Integer> radices;
    Integer rest = n;
    for (Integer prime = rules::largest_prime_factor(rest); rest > 1 && prime > largest_gpu_prime;
         prime = rules::largest_prime_factor(rest)) {
        radices.push_back(prime);
        rest /= prime;
    }
    if (radices.empty() || radices.front() == n) return std::nullopt;
    if (rest > longest * longest) {
        const std::vector<Integer> three = near_cube_root(rest);
        radices.insert(radices.end(), three.begin(), three.end());
    } else if (rest > longest) {
        const auto [rows, columns] = rules::ordered_splits(rest).front();
        radices.insert(radices.end(), {rows, columns});
    } else if (rest > 1) {
        radices.push_back(rest);
    }
    return sweeps_by(radices, [&](Integer radix) -> std::optional<BreakdownTree> {
        if (rules::largest_prime_factor(radix) <= largest_gpu_prime) return passes_of_block(radix);
        // Rader's index table combined with twiddles would be a table as long as the data; the first radix has no
        // twiddles.
        if (radix == radices.front() && radix <= largest &&
            std::count(radices.begin(), radices.end(), radix) == 1)
            if (auto tree = rader_tree(radix)) return tree;
        if (auto tree = bluestein_tree(radix); tree && tree->choice.front() <= largest) return tree;
        if (auto tree = swept_convolution(radix, 2, longest * longest)) return tree;
        return swept_convolution(radix, 3, 4 * radix);
    });
}

std::vector<BreakdownTree> sweeps_by_primes(Integer n, Integer entries) {
    std::vector<BreakdownTree> trees;
    for (const Integer largest : {several_per_block(entries), entries})
        if (auto tree = sweeps_by_primes(n, entries, largest);
            tree && std::find(trees.begin(), trees.end(), *tree) == trees.end())
            trees.push_back(std::move(*tree));
    return trees;
}

std::optional<BreakdownTree> swept_convolution(Integer n, int sweeps, Integer most) {
    for (const Integer size : smooth_sizes(2 * n - 2, std::min(4 * n, most)))
        if (auto both = sweeps == 2 ? swept_there_and_back(size) : three_there_and_back(size))
            return BreakdownTree{"bluestein", {size}, std::move(*both)};
    return std::nullopt;
}

std::vector<BreakdownTree> swept_convolutions(Integer n, Integer most, Integer entries) {
    auto two = swept_convolution(n, 2, most);
    if (!two) return {};
    const Integer size = two->choice.front();
    std::vector<BreakdownTree> trees{std::move(*two)};
    if (!are_sweeps_narrow(size, entries)) return trees;
    if (auto three = swept_convolution(n, 3, 4 * n)) trees.push_back(std::move(*three));
    return trees;
}

std::vector<BreakdownTree> gpu_band_trees(const formula::Formula& transform, Integer entries) {
    constexpr std::size_t most = 2;
    constexpr Integer min_width = 4; // of a contiguous range
    const auto& sides = transform.children();
    const Integer rows = sides.back().rows(), columns = sides[sides.size() - 2].rows();
    std::vector<BreakdownTree> trees;
    for (Integer band = std::min(columns / 2, entries / rows); band > 1 && trees.size() < most; --band) {
        const Integer rest = transform.rows() / rows / band;
        if (columns % band != 0 || rest * min_width > entries) continue;
        BreakdownTree tree{sides.size() == 3 ? "volume-bands" : "bands", {band}, {}};
        for (const formula::Formula& along :
             rules::nonterminals(rules::rule_named(tree.rule).build(transform, tree.choice))) {
            const auto of_side = gpu_tree(along);
            if (!of_side || (of_side->rule != "stockham" && !of_side->rule.empty())) return {};
            tree.children.push_back(*of_side);
        }
        drop_last_codelets(tree);
        trees.push_back(std::move(tree));
    }
    return trees;
}

std::vector<std::vector<BreakdownTree>> gpu_real_row_column_breakdowns(const formula::Formula& transform,
                                                                       Integer widest) {
    constexpr std::ptrdiff_t most_by_one_rule = 2;
    std::vector<std::vector<BreakdownTree>> result;
    const BreakdownTree tree = gpu_real_row_column_tree(transform, {});
    for (const formula::Formula& along :
         rules::nonterminals(rules::rule_named(tree.rule).build(transform, tree.choice))) {
        std::vector<BreakdownTree>& breakdowns = result.emplace_back();
        for (BreakdownTree& breakdown : gpu_trees(along, widest))
            if (std::count_if(breakdowns.begin(), breakdowns.end(), [&](const BreakdownTree& other) {
                    return other.rule == breakdown.rule;
                }) < most_by_one_rule)
                breakdowns.push_back(std::move(breakdown));
        if (breakdowns.empty()) return {};
    }
    return result;
}

BreakdownTree gpu_real_row_column_tree(const formula::Formula& transform,
                                       std::vector<BreakdownTree> children) {
    const rules::BreakdownRule& rule = rules::rule_named("real-row-column");
    BreakdownTree tree{std::string(rule.name), rule.choices(transform).front(), std::move(children)};
    drop_last_codelets(tree);
    return tree;
}

BreakdownTree without_rader(BreakdownTree tree) {
    const auto product = [](const std::vector<Integer>& radices) {
        return std::accumulate(radices.begin(), radices.end(), Integer{1}, std::multiplies<>());
    };
    if (tree.rule == "rader")
        if (auto other = bluestein_tree(product(tree.children.front().choice) + 1)) return *other;
    if (tree.rule == "rdft-rader")
        if (auto other = bluestein_tree(tree.choice.front() + 1)) return {"rdft-embedding", {}, {*other}};
    for (BreakdownTree& child : tree.children) child = without_rader(std::move(child));
    return tree;
}

bool stays_whole(const BreakdownTree& tree) {
    return tree.rule == "cooley-tukey" ||
           std::any_of(tree.children.begin(), tree.children.end(), stays_whole);
}

Integer largest_radix_of(const BreakdownTree& tree) {
    if (tree.rule == "bluestein" || tree.rule == "cooley-tukey")
        return largest_radix_of(tree.children.back());
    if (tree.rule == "wht-split" || tree.rule == "wht-ordered") return tree.choice.front();
    if (!tree.choice.empty()) return *std::max_element(tree.choice.begin(), tree.choice.end());
    return tree.children.empty() ? 0 : largest_radix_of(tree.children.front());
}

} // namespace swirl::search
