//   DFT_mn = (DFT_m ⊗ I_n) · T^mn_n · L^mn_m · (DFT_n ⊗ I_m)                                    four-step
//   DFT_mn = L^mn_m · (I_n ⊗ DFT_m) · L^mn_n · T^mn_n · (I_m ⊗ DFT_n) · L^mn_m                  six-step
//
// Gentleman and Sande (1966), Bailey (1990); Van Loan (1992), section 3.3. All transforms of the four-step form act on
// columns, all of the six-step form on rows. Choice {m, n}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Formula build_four_step(const Formula& f, const Choice& choice) {
    require(four_step.name, f, has_two_factors(f));
    const auto [m, n] = split_of(four_step.name, f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    return kron(DFT(m, direction), I(n)) * T(m * n, n, direction) * L(m * n, m) *
           kron(DFT(n, direction), I(m));
}

Formula build_six_step(const Formula& f, const Choice& choice) {
    require(six_step.name, f, has_two_factors(f));
    const auto [m, n] = split_of(six_step.name, f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    return L(m * n, m) * kron(I(n), DFT(m, direction)) * L(m * n, n) * T(m * n, n, direction) *
           kron(I(m), DFT(n, direction)) * L(m * n, m);
}

} // namespace

constinit const BreakdownRule four_step = {
    .name = "four-step",
    .identity = "DFT_mn = (DFT_m ⊗ I_n) · T^mn_n · L^mn_m · (DFT_n ⊗ I_m)",
    .applicable = has_two_factors,
    .choices = split_choices,
    .build = build_four_step,
};

constinit const BreakdownRule six_step = {
    .name = "six-step",
    .identity = "DFT_mn = L^mn_m · (I_n ⊗ DFT_m) · L^mn_n · T^mn_n · (I_m ⊗ DFT_n) · L^mn_m",
    .applicable = has_two_factors,
    .choices = split_choices,
    .build = build_six_step,
};

} // namespace swirl::rules
