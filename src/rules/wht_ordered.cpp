// Walsh–Hadamard transforms in dyadic (Paley) and sequency (Walsh) order.
//
//   WHT°_n = P · WHT_n,  P gathers the rows of the natural order: bit reversal, of Gray codes for sequency
//
//   WHT°_n = P_k · … · P_1,   n = R_1 ⋯ R_k,   K_l = R_1 ⋯ R_{l−1},   M_l = n / (K_l·R_l)
//   P_l = pass( S_l · (WHT°_{R_l} ⊗ I_{M_l} ⊗ I_{K_l}) )
//
//   S_l moves output (r, i, k) of [R_l][M_l][K_l], row-major, to (i, r, k) of [M_l][R_l][K_l]; in sequency order, where
//   each row of twice the length begins like its half or like its half backwards, to (i, r, K_l − 1 − k) for odd r.
//   Stockham's algorithm (rules/stockham.cpp) without twiddles is the dyadic order.
//
//   WHT°_mn = L^{mn}_n · (WHT°_m ⊗ I_n) · D · (I_m ⊗ WHT°_n)
//
//   D multiplies entry (j, a) by (−1)^{j·a} in sequency order: the reversals of the half before they occur. Rows, then columns
//   with a transposition in their stores: what sweeps over memory take.
//
// Ahmed and Rao (1975), "Orthogonal transforms for digital signal processing", chapter 6.

#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace swirl::rules {

using namespace formula;

namespace {

/// The most bits of a pass's radix.
constexpr Integer widest_pass = 5;

Applicability applicable_ordered(const Formula& f) {
    const Wht* wht = f.get_if<Wht>();
    const bool is_ordered = wht != nullptr && wht->order != WalshOrder::natural;
    return is_ordered ? accepted() : not_a("WHT in dyadic or sequency order");
}

Applicability applicable_permuted(const Formula& f) {
    const Applicability applicability = applicable_ordered(f);
    if (applicability.ok() && f.rows() > largest_radix)
        return rejected("size {} is above {}, where the permutation would be a table", f.rows(),
                        largest_radix);
    return applicability;
}

Applicability applicable_ordered_split(const Formula& f) {
    const Applicability applicability = applicable_ordered(f);
    if (applicability.ok() && f.rows() < 4) return rejected("size {} is below 4", f.rows());
    return applicability;
}

Formula build_permuted(const Formula& f, const Choice&) {
    require(wht_permuted.name, f, applicable_permuted(f));
    const Integer n = f.rows();
    const WalshOrder order = f.get_if<Wht>()->order;
    std::vector<Integer> rows;
    for (Integer k = 0; k < n; ++k) rows.push_back(natural_row(order, n, k));
    return product_of({permutation_from(std::move(rows)), wht(n)});
}

/// Radices as equal as possible, in the fewest passes and in one more; falling and rising.
std::vector<Choice> wht_stockham_choices(const Formula& f) {
    require(wht_stockham.name, f, applicable_ordered_split(f));
    const Integer bits = std::countr_zero(static_cast<std::uint64_t>(f.rows()));
    const Integer fewest = ceil_divide(bits, widest_pass);
    std::vector<Choice> result;
    for (Integer passes = fewest; passes <= std::min(fewest + 1, bits); ++passes) {
        Choice falling;
        for (Integer pass = 0; pass < passes; ++pass)
            falling.push_back(Integer{1} << (bits / passes + (pass < bits % passes ? 1 : 0)));
        Choice rising(falling.rbegin(), falling.rend());
        const bool is_level = rising == falling;
        result.push_back(std::move(falling));
        if (!is_level) result.push_back(std::move(rising));
    }
    return result;
}

/// S_l: for each r a digit map of (i, k).
Formula wht_sorting(WalshOrder order, Integer M, Integer R, Integer K) {
    const Integer n = M * R * K;
    if (order == WalshOrder::dyadic || K == 1)
        return M == 1 ? I(n) : permutation(IndexMap(n, n, DigitMap{{M, R, K}, {K, M * K, 1}, 0, 0}));
    std::vector<DigitMap> targets;
    for (Integer r = 0; r < R; ++r) {
        const bool backwards = r % 2 == 1;
        targets.push_back({{M, K}, {R * K, backwards ? -1 : 1}, r * K + (backwards ? K - 1 : 0), 0});
    }
    return scatter(IndexMap::piecewise(std::move(targets), n));
}

Formula build_wht_stockham(const Formula& f, const Choice& choice) {
    require(wht_stockham.name, f, applicable_ordered_split(f));
    require_radices(wht_stockham.name, f, choice);
    const Integer n = f.rows();
    const WalshOrder order = f.get_if<Wht>()->order;
    return product(passes_of(choice, [&](Integer K, Integer R) {
        const Integer M = n / (K * R);
        std::vector<Formula> transforms{WHT(R, order)};
        if (M > 1) transforms.push_back(I(M));
        if (K > 1) transforms.push_back(I(K));
        return pass(product_of({wht_sorting(order, M, R, K), kron(std::move(transforms))}));
    }));
}

Formula build_ordered(const Formula& f, const Choice& choice) {
    require(wht_ordered.name, f, applicable_ordered_split(f));
    const auto [m, n] = split_of(wht_ordered.name, f, choice);
    const WalshOrder order = f.get_if<Wht>()->order;
    const Formula signs = order == WalshOrder::dyadic
                              ? I(m * n)
                              : diagonal(TwiddleFunction{2, {n, m}, {1, n}, Direction::forward}, m * n);
    return product_of({L(m * n, n), spread(WHT(m, order), n), signs, repeat(m, WHT(n, order))});
}

} // namespace

constinit const BreakdownRule wht_ordered = {
    .name = "wht-ordered",
    .identity = "WHT°_mn = L^{mn}_n · (WHT°_m ⊗ I_n) · D · (I_m ⊗ WHT°_n), dyadic or sequency",
    .applicable = applicable_ordered_split,
    .choices = split_choices,
    .build = build_ordered,
};

constinit const BreakdownRule wht_permuted = {
    .name = "wht-permuted",
    .identity = "WHT°_n = P · WHT_n, dyadic or sequency",
    .applicable = applicable_permuted,
    .choices = one_choice,
    .build = build_permuted,
};

constinit const BreakdownRule wht_stockham = {
    .name = "wht-stockham",
    .identity =
        "WHT°_n = ∏_l pass(S_l · (WHT°_{R_l} ⊗ I_{M_l} ⊗ I_{K_l})), n = R_1 ⋯ R_k, dyadic or sequency",
    .applicable = applicable_ordered_split,
    .choices = wht_stockham_choices,
    .build = build_wht_stockham,
};

} // namespace swirl::rules
