//   RDFT_n = P_k · … · P_1,   n = R_1 ⋯ R_k,   K_l = R_1 ⋯ R_{l−1},   M_l = n / (K_l·R_l)
//
//   P_l = Q_l · (RDFT_R ⊗ I_M ⊕ ODFT_R ⊗ I_M ⊕ RealOf(pass((DFT_R ⊗ I_M ⊗ I_S) · D_l))) · G_l      R = R_l, …
//
// Before pass l the vector is [R_l][M_l][K_l]; the last index runs over the spectra of K_l reals. Frequency 0 of the
// R_l spectra is real and takes a real transform. Frequency K_l/2 (K_l even) is real too and takes ODFT (see
// rules/real_columns.hpp). The S = ⌊(K_l−1)/2⌋ frequencies between are complex and take the twiddle factors and
// transforms of the complex algorithm (rules/stockham.cpp). G_l gathers them; Q_l stores the results as [M_l][R_l·K_l],
// conjugated where they stand for the upper half of the spectrum. Each spectrum is stored as its real components, then
// its imaginary components, both by ascending frequency, with r_{K/2} in place of i_0; after the last pass in
// halfcomplex order. P_1 consists of RDFT_R alone. Backward: the inverses times R_l in reverse order.
//
// Half the work of the complex transform of n points for any n. Sorensen, Jones, Heideman and Burrus (1987), with the
// data order of Stockham (1966). Choice {R_1, …, R_k}, the first radix first.

#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/real_stockham.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_stockham(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() == 1 || is_prime(f.rows())) return rejected("{} has no two factors to split into", f.rows());
    if (const Integer p = largest_prime_factor(f.rows()); p > largest_base_prime)
        return rejected("the prime factor {} of {} is above {}", p, f.rows(), largest_base_prime);
    return accepted();
}

/// Choices of the complex transform with at least two radices.
std::vector<Choice> rdft_stockham_choices(const Formula& f) {
    require(rdft_stockham.name, f, applicable_rdft_stockham(f));
    std::vector<Choice> result = stockham.choices(DFT(f.rows()));
    std::erase_if(result, [](const Choice& choice) { return choice.size() < 2; });
    return result;
}

Formula build_rdft_stockham(const Formula& f, const Choice& choice) {
    require(rdft_stockham.name, f, applicable_rdft_stockham(f));
    require_radices(rdft_stockham.name, f, choice);
    require_choice(choice.size() > 1, rdft_stockham.name, f, choice, "two radices or more");
    const Direction direction = f.get_if<RealDft>()->direction;
    std::vector<Formula> passes;
    Integer before = 1;
    for (const Integer radix : choice) {
        passes.push_back(RealStockhamPass(f.rows(), before, radix).formula(direction));
        before *= radix;
    }
    if (direction == Direction::forward) std::reverse(passes.begin(), passes.end());
    return product(std::move(passes));
}

} // namespace

constinit const BreakdownRule rdft_stockham = {
    .name = "rdft-stockham",
    .identity =
        "RDFT_n = ∏_l Q_l · (RDFT_R ⊗ I_M ⊕ ODFT_R ⊗ I_M ⊕ RealOf(pass((DFT_R ⊗ I_M ⊗ I_S) · D_l))) · G_l",
    .applicable = applicable_rdft_stockham,
    .choices = rdft_stockham_choices,
    .build = build_rdft_stockham,
};

} // namespace swirl::rules
