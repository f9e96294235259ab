//   DFT_p = Q · (I_1 ⊕ DFT_{p−1}^{−}) · ([1 1; 1 d_0] ⊕ diag(d_1 … d_{p−2})) · (I_1 ⊕ DFT_{p−1}) · P     for p prime
//
//   P reads x[0], then x[g^i], i = 0…p−2, for a generator g of the multiplicative group modulo p; Q writes entry 1+k
//   to g^{−k}; d = DFT_{p−1}(ω_p^{g^{−i}}) / (p−1); DFT^{−} is the transform in the other direction.
//
// Rader (1968): without entry 0, a prime DFT is a cyclic convolution of length p−1. The row and column of d_0 sum the
// input for entry 0 and add x[0] to every output.

#include "formula/roots_of_unity.hpp"
#include "rules/accurate_dft.hpp"
#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rader(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() == 2 || !is_prime(f.rows())) return rejected("{} is not an odd prime", f.rows());
    return accepted();
}

Formula build_rader(const Formula& f, const Choice&) {
    require(rader.name, f, applicable_rader(f));
    const Direction direction = f.get_if<Dft>()->direction;
    const Integer p = f.rows(), n = p - 1, g = primitive_root(p);
    const std::vector<Integer> input = zero_and_powers(g, p),
                               output = zero_and_powers(inverse_modulo(g, p), p);
    const RootsOfUnity roots(p, direction);
    std::vector<Complex> kernel;
    kernel.reserve(static_cast<std::size_t>(n));
    for (Integer i = 0; i < n; ++i) kernel.push_back(roots(output[static_cast<std::size_t>(i + 1)]));
    std::vector<Complex> d = accurate_dft(std::move(kernel), direction);
    for (Complex& value : d) value /= static_cast<long double>(n);
    d[0] = -1 / static_cast<long double>(n); // the roots sum to −1
    const Formula edge = matrix(2, 2, {1, 1, 1, d[0]});
    d.erase(d.begin());
    return product_of({
        scatter(IndexMap::table(output, p)),
        direct_sum(I(1), DFT(n, reversed(direction))),
        direct_sum(edge, diagonal(std::move(d))),
        direct_sum(I(1), DFT(n, direction)),
        permutation(IndexMap::table(input, p)),
    });
}

} // namespace

constinit const BreakdownRule rader = {
    .name = "rader",
    .identity =
        "DFT_p = Q · (I_1 ⊕ DFT_{p−1}^{−}) · ([1 1; 1 d_0] ⊕ diag(d)) · (I_1 ⊕ DFT_{p−1}) · P, p prime",
    .applicable = applicable_rader,
    .choices = one_choice,
    .build = build_rader,
};

} // namespace swirl::rules
