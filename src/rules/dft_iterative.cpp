//   DFT_n = P_k · … · P_1 · pass( R ),   n = R_1 ⋯ R_k,   K_l = R_1 ⋯ R_{l−1},   M_l = n / (K_l·R_l)
//
//   P_l = pass( I_{M_l} ⊗ (DFT_{R_l} ⊗ I_{K_l}) · T^{R_l·K_l}_{K_l} )
//
// R reverses digits: output (d_k, …, d_1) of [R_k] … [R_1], row-major, comes from input (d_1, …, d_k) of [R_1] … [R_k].
// For radix 2 it is bit reversal, and this is the textbook algorithm of Cooley and Tukey (1965): Van Loan (1992),
// section 1.3; Numerical Schedules; the tutorial, section 2.3. The permutation takes a sweep of its own.
// Choice {R_1, …, R_k}, the first radix first.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

/// The prime factors, then each split into two factors.
std::vector<Choice> dft_iterative_choices(const Formula& f) {
    require(dft_iterative.name, f, has_two_factors(f));
    std::vector<Choice> result{prime_factors(f.rows())};
    for (const Choice& split : split_choices(f))
        if (split != result.front()) result.push_back(split);
    return result;
}

Formula digit_reversal(Integer n, const Choice& radices) {
    DigitMap digits;
    Integer stride = 1;
    for (std::size_t l = radices.size(); l-- > 0; stride *= radices[l]) {
        digits.radices.push_back(radices[l]);
        digits.strides.push_back(stride);
    }
    return permutation(IndexMap(n, n, std::move(digits)));
}

Formula iterative_pass(Integer n, Integer before, Integer radix, Direction direction) {
    const Formula butterflies = spread(DFT(radix, direction), before);
    const Formula twiddles = before == 1 ? I(radix) : T(radix * before, before, direction);
    return pass(repeat(n / (before * radix), product_of({butterflies, twiddles})));
}

Formula build_dft_iterative(const Formula& f, const Choice& choice) {
    require(dft_iterative.name, f, has_two_factors(f));
    const Integer n = f.rows();
    require_radices(dft_iterative.name, f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    std::vector<Formula> passes = passes_of(
        choice, [&](Integer before, Integer radix) { return iterative_pass(n, before, radix, direction); });
    if (choice.size() > 1) passes.push_back(pass(digit_reversal(n, choice)));
    return product(std::move(passes));
}

} // namespace

constinit const BreakdownRule dft_iterative = {
    .name = "dft-iterative",
    .identity =
        "DFT_n = ∏_l pass(I_{M_l} ⊗ (DFT_{R_l} ⊗ I_{K_l}) · T^{R_l·K_l}_{K_l}) · pass(R), n = R_1 ⋯ R_k",
    .applicable = has_two_factors,
    .choices = dft_iterative_choices,
    .build = build_dft_iterative,
};

} // namespace swirl::rules
