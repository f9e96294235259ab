//   DFT_mn = (DFT_m ⊗ I_n) · T^mn_n · (I_m ⊗ DFT_n) · L^mn_m        decimation in time
//   DFT_mn = L^mn_n · (I_m ⊗ DFT_n) · T^mn_n · (DFT_m ⊗ I_n)        decimation in frequency, its transpose
//
// Cooley and Tukey (1965); the tutorial's eq. 3. Choice {m, n}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Formula build_in_time(const Formula& f, const Choice& choice) {
    require(cooley_tukey.name, f, has_two_factors(f));
    const auto [m, n] = split_of(cooley_tukey.name, f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    return kron(DFT(m, direction), I(n)) * T(m * n, n, direction) * kron(I(m), DFT(n, direction)) *
           L(m * n, m);
}

Formula build_in_frequency(const Formula& f, const Choice& choice) {
    require(cooley_tukey_frequency.name, f, has_two_factors(f));
    const auto [m, n] = split_of(cooley_tukey_frequency.name, f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    return L(m * n, n) * kron(I(m), DFT(n, direction)) * T(m * n, n, direction) *
           kron(DFT(m, direction), I(n));
}

} // namespace

constinit const BreakdownRule cooley_tukey = {
    .name = "cooley-tukey",
    .identity = "DFT_mn = (DFT_m ⊗ I_n) · T^mn_n · (I_m ⊗ DFT_n) · L^mn_m",
    .applicable = has_two_factors,
    .choices = split_choices,
    .build = build_in_time,
};

constinit const BreakdownRule cooley_tukey_frequency = {
    .name = "cooley-tukey-frequency",
    .identity = "DFT_mn = L^mn_n · (I_m ⊗ DFT_n) · T^mn_n · (DFT_m ⊗ I_n)",
    .applicable = has_two_factors,
    .choices = split_choices,
    .build = build_in_frequency,
};

} // namespace swirl::rules
