//   DFT_4q = (F_2 ⊗ I_2q) · (I_2q ⊕ (S ⊗ I_q)) · (I_2q ⊕ D ⊕ D̄) · (DFT_2q ⊕ DFT_q ⊕ DFT_q) · P
//
//   S = [1 1; ∓i ±i],  D = diag(ω_4q^k), k < q,  P reads x[2j], then x[4j+1], then x[4j−1].
//
// The conjugate-pair form of split radix: Kamar and Elcherif (1989), Van Buskirk. The two twiddle factors are
// conjugate, so a straight-line program loads one for both. 4·n·log₂n − 6n + 8 real operations for n a power of two.

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_split_radix(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() % 4 != 0) return rejected("4 does not divide {}", f.rows());
    return accepted();
}

Formula conjugate_pair_order(Integer n) {
    std::vector<Integer> sources;
    for (Integer j = 0; j < n / 2; ++j) sources.push_back(2 * j);
    for (Integer j = 0; j < n / 4; ++j) sources.push_back(4 * j + 1);
    for (Integer j = 0; j < n / 4; ++j) sources.push_back(modulo(4 * j - 1, n));
    return permutation_from(std::move(sources));
}

Formula build_split_radix(const Formula& f, const Choice&) {
    require(split_radix.name, f, applicable_split_radix(f));
    const Direction direction = f.get_if<Dft>()->direction;
    const Integer n = f.rows(), q = n / 4;
    const Complex i = root_of_unity(4, 1, direction);
    const Formula rotated_butterfly = matrix(2, 2, {1, 1, i, -i});
    return product_of({
        spread(F2(), 2 * q),
        direct_sum({I(2 * q), spread(rotated_butterfly, q)}),
        q == 1 ? I(n)
               : direct_sum({I(2 * q), root_diagonal(n, q, 0, 1, direction),
                             root_diagonal(n, q, 0, 1, reversed(direction))}),
        direct_sum({DFT(2 * q, direction), dft(q, direction), dft(q, direction)}),
        conjugate_pair_order(n),
    });
}

} // namespace

constinit const BreakdownRule split_radix = {
    .name = "split-radix",
    .identity = "DFT_4q = (F_2 ⊗ I_2q) · (I_2q ⊕ (S ⊗ I_q)) · (I_2q ⊕ D ⊕ D̄) · (DFT_2q ⊕ DFT_q ⊕ DFT_q) · P",
    .applicable = applicable_split_radix,
    .choices = one_choice,
    .build = build_split_radix,
};

} // namespace swirl::rules
