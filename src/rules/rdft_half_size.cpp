//   RDFT_2m = Q · (F_2 ⊕ I_2 ⊕ RealOf(B)) · P · RealOf(DFT_m)
//
// The even entries of real data as real parts, the odd ones as imaginary parts: Z = DFT_m. Then, for 0 < k < m/2,
//
//   (X_k, conj X_{m−k}) = B (Z_k, conj Z_{m−k}),   B = (F_2 ⊗ I) · (½·I ⊕ ½·diag(ω_2m^k)) · ([1 1; −i i] ⊗ I),
//
// (X_0, X_m) = F_2 (Re Z_0, Im Z_0), and X_{m/2} = conj Z_{m/2} for even m. Backward the inverse times 2m, without ½.
//
// Cooley, Lewis and Welch (1970).

#include "rules/real_factors.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable(const Formula& f) {
    if (!f.is<RealDft>()) return rejected("not a real DFT");
    if (f.rows() % 2 != 0) return rejected("{} is odd", f.rows());
    if (f.rows() < 4) return rejected("size {} is below 4", f.rows());
    return accepted();
}

std::vector<Choice> choices(const Formula&) { return {{}}; }

/// B on Z_k and Z_{m−k} (conjugated here), 0 < k ≤ columns; or 2 times its inverse.
Formula complex_columns(Integer n, Integer columns, Direction direction) {
    const Complex i = root_of_unity(4, 1, direction);
    const Formula conjugation = direct_sum(I(2 * columns), repeat(columns, diagonal({1, -1})));
    const Formula butterflies = spread(F2(), columns);
    const Formula twiddles = root_diagonal(n, columns, 1, 1, direction);
    if (direction == Direction::backward) {
        const Formula inner = spread(matrix(2, 2, {1, i, 1, -i}), columns);
        return product_of(
            {conjugation, real_of(product_of({inner, direct_sum(I(columns), twiddles), butterflies}))});
    }
    const Formula half = scaled_identity(columns, 0.5L);
    const Formula inner = spread(matrix(2, 2, {1, 1, i, -i}), columns);
    return product_of(
        {real_of(product_of({butterflies, direct_sum(half, product_of({twiddles, half})), inner})),
         conjugation});
}

Formula build(const Formula& f, const Choice&) {
    require(rdft_half_size.name, f, applicable(f));
    const Direction direction = f.get_if<RealDft>()->direction;
    const bool forward = direction == Direction::forward;
    const Integer n = f.rows(), m = n / 2, columns = complex_entries(m);
    HalfcomplexOutput out(n);
    std::vector<Integer> sorting{0, 1};
    Summands middle;
    middle.add(F2());
    out.real(0);
    out.real(m);
    if (m % 2 == 0) {
        sorting.insert(sorting.end(), {m, m + 1});
        middle.add(forward ? I(2) : scaled_identity(2, 2));
        out.real_part(m / 2);
        out.imaginary_part(m / 2, true);
    }
    for (Integer k = 1; k <= columns; ++k) sorting.insert(sorting.end(), {2 * k, 2 * k + 1});
    for (Integer k = 1; k <= columns; ++k) sorting.insert(sorting.end(), {2 * (m - k), 2 * (m - k) + 1});
    if (columns > 0) middle.add(complex_columns(n, columns, direction));
    for (Integer k = 1; k <= columns; ++k) out.pair(k);
    for (Integer k = 1; k <= columns; ++k) {
        out.real_part(m - k);
        out.imaginary_part(m - k, true);
    }
    std::vector<Integer> in_order;
    for (Integer j = 0; j < n; ++j) in_order.push_back(j);
    return assemble({.output = out.take_output(),
                     .negative = out.take_negative(),
                     .middle = middle.sum(),
                     .sorting = std::move(sorting),
                     .transforms = real_of(DFT(m, direction)),
                     .input = std::move(in_order)},
                    direction);
}

} // namespace

constinit const BreakdownRule rdft_half_size = {
    .name = "rdft-half-size",
    .identity = "RDFT_2m = Q · (F_2 ⊕ I_2 ⊕ RealOf(B)) · P · RealOf(DFT_m)",
    .applicable = applicable,
    .choices = choices,
    .build = build,
};

} // namespace swirl::rules
