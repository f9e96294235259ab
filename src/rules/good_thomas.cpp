//   DFT_mn = Q · (DFT_m ⊗ DFT_n) · P        for coprime m and n
//
//   P reads x[(n·i_1 + m·i_2) mod mn] at (i_1, i_2); Q writes (k_1, k_2) to the k with k ≡ k_1 mod m, k ≡ k_2 mod n.
//
// Good (1958), Thomas (1963): the prime-factor algorithm, without twiddle factors. Choice {m, n}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

#include <numeric>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_good_thomas(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (coprime_splits(f.rows()).empty()) return rejected("{} has no two coprime factors", f.rows());
    return accepted();
}

Formula build_good_thomas(const Formula& f, const Choice& choice) {
    require(good_thomas.name, f, applicable_good_thomas(f));
    const auto [m, n] = split_of(good_thomas.name, f, choice);
    require_choice(std::gcd(m, n) == 1, good_thomas.name, f, choice, "coprime factors");
    const Direction direction = f.get_if<Dft>()->direction;
    const Integer size = m * n;
    const IndexMap input(size, size, DigitMap{{m, n}, {n, m}, 0, size});
    const IndexMap output(size, size,
                          DigitMap{{m, n}, {n * inverse_modulo(n, m), m * inverse_modulo(m, n)}, 0, size});
    return scatter(output) * kron(DFT(m, direction), DFT(n, direction)) * permutation(input);
}

} // namespace

constinit const BreakdownRule good_thomas = {
    .name = "good-thomas",
    .identity = "DFT_mn = Q · (DFT_m ⊗ DFT_n) · P, m and n coprime",
    .applicable = applicable_good_thomas,
    .choices = coprime_split_choices,
    .build = build_good_thomas,
};

} // namespace swirl::rules
