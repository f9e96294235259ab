//   RDFT_4q = Q · (A_0 ⊕ A_{q/2} ⊕ RealOf(B)) · P · (RDFT_2q ⊕ RDFT_q ⊕ RDFT_q) · P'
//
// The conjugate-pair split radix for real data (rules/split_radix.cpp). P' reads x[2j], x[4j+1], x[4j−1]; their
// transforms are E, U, V. The ⌈q/2⌉−1 frequencies 0 < k < q/2 are complex and take the complex algorithm's last three
// factors,
//
//   B = (F_2 ⊗ I) · (I ⊕ (S ⊗ I)) · (I ⊕ D ⊕ D̄)   on E_k, E_{k+q}, U_k, V_k,  giving X_k, X_{k+q}, X_{k+2q}, X_{k+3q},
//
// where E_{k+q} is the conjugate of E_{q−k}. U and V are real at frequency 0 (A_0) and, for even q, at q/2 (A_{q/2}).
// Sorensen, Jones, Heideman and Burrus (1987).

#include "rules/building_blocks.hpp"
#include "rules/real_factors.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_split_radix(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() % 4 != 0) return rejected("4 does not divide {}", f.rows());
    return accepted();
}

/// (E_0, E_q, U_0, V_0) ↦ (X_0, X_2q, Re X_q, Im X_q); backward 4 times the inverse with E halved, since E's backward
/// transform has twice the size of the others.
Formula frequency_zero(Direction direction) {
    const Formula reorder = permutation_from({0, 2, 1, 3});
    if (direction == Direction::forward)
        return product_of({direct_sum(F2(), I(2)), reorder, direct_sum(I(2), matrix(2, 2, {1, 1, -1, 1}))});
    return product_of(
        {direct_sum(I(2), matrix(2, 2, {1, -1, 1, 1})), reorder, direct_sum(F2(), scaled_identity(2, 2))});
}

/// (Re E, Im E, U, V) at frequency q/2 ↦ (Re X_{q/2}, Re X_{3q/2}, Im X_{q/2}, −Im X_{3q/2}); backward the inverse
/// scaled as above. The twiddle factors are (1 ∓ i)·√½.
Formula frequency_middle(Direction direction) {
    const long double c = root_of_unity(8, 1, Direction::forward).real();
    const Formula reorder = permutation_from({0, 2, 1, 3});
    if (direction == Direction::forward) {
        const Formula twiddled = product_of({scaled_identity(2, c), matrix(2, 2, {1, 1, -1, 1})});
        return product_of({repeat(2, F2()), reorder, direct_sum(I(2), twiddled)});
    }
    const Formula twiddled = product_of({matrix(2, 2, {1, -1, 1, 1}), scaled_identity(2, 2 * c)});
    return product_of({direct_sum(I(2), twiddled), reorder, repeat(2, F2())});
}

/// B on E_k, conj E_{q−k}, U_k, V_k for 0 < k ≤ columns; backward the inverse scaled as above.
Formula complex_butterflies(Integer n, Integer columns, Direction direction) {
    const Complex i = root_of_unity(4, 1, direction);
    const Formula conjugation =
        direct_sum({I(2 * columns), repeat(columns, diagonal({1, -1})), I(4 * columns)});
    const Formula butterflies = spread(F2(), 2 * columns);
    const Formula twiddles = direct_sum({I(2 * columns), root_diagonal(n, columns, 1, 1, direction),
                                         root_diagonal(n, columns, 1, 1, reversed(direction))});
    const bool forward = direction == Direction::forward;
    const Formula inner = forward ? matrix(2, 2, {1, 1, i, -i}) : matrix(2, 2, {1, i, 1, -i});
    const Formula rotated = direct_sum(I(2 * columns), spread(inner, columns));
    return forward ? product_of({real_of(product_of({butterflies, rotated, twiddles})), conjugation})
                   : product_of({conjugation, real_of(product_of({twiddles, rotated, butterflies}))});
}

std::vector<Integer> input_order(Integer n) {
    std::vector<Integer> sources;
    for (Integer j = 0; j < n / 2; ++j) sources.push_back(2 * j);
    for (Integer j = 0; j < n / 4; ++j) sources.push_back(4 * j + 1);
    for (Integer j = 0; j < n / 4; ++j) sources.push_back(modulo(4 * j - 1, n));
    return sources;
}

/// Order of the entries of E, U and V after their transforms: E first, each halfcomplex.
std::vector<Integer> sorting(Integer q) {
    const Integer columns = complex_entries(q), u = 2 * q, v = 3 * q;
    std::vector<Integer> sources{0, q, u, v};
    if (q % 2 == 0) sources.insert(sources.end(), {q / 2, 2 * q - q / 2, u + q / 2, v + q / 2});
    for (Integer k = 1; k <= columns; ++k) sources.insert(sources.end(), {k, 2 * q - k});
    for (Integer k = 1; k <= columns; ++k) sources.insert(sources.end(), {q - k, q + k});
    for (const Integer first : {u, v})
        for (Integer k = 1; k <= columns; ++k) sources.insert(sources.end(), {first + k, first + q - k});
    return sources;
}

void record_outputs(HalfcomplexOutput& out, Integer q) {
    out.real(0);
    out.real(2 * q);
    out.real_part(q);
    out.imaginary_part(q, false);
    if (q % 2 == 0) {
        out.real_part(q / 2);
        out.real_part(3 * q / 2);
        out.imaginary_part(q / 2, false);
        out.imaginary_part(3 * q / 2, true);
    }
    for (Integer quarter = 0; quarter < 4; ++quarter)
        for (Integer k = 1; k <= complex_entries(q); ++k) out.pair(k + quarter * q);
}

Formula build_rdft_split_radix(const Formula& f, const Choice&) {
    require(rdft_split_radix.name, f, applicable_rdft_split_radix(f));
    const Direction direction = f.get_if<RealDft>()->direction;
    const Integer n = f.rows(), q = n / 4;
    HalfcomplexOutput out(n);
    record_outputs(out, q);
    Summands middle;
    middle.add(frequency_zero(direction));
    if (q % 2 == 0) middle.add(frequency_middle(direction));
    if (complex_entries(q) > 0) middle.add(complex_butterflies(n, complex_entries(q), direction));
    return assemble(
        {.output = out.take_output(),
         .negative = out.take_negative(),
         .middle = middle.sum(),
         .sorting = sorting(q),
         .transforms = direct_sum({RDFT(2 * q, direction), rdft(q, direction), rdft(q, direction)}),
         .input = input_order(n)},
        direction);
}

} // namespace

constinit const BreakdownRule rdft_split_radix = {
    .name = "rdft-split-radix",
    .identity = "RDFT_4q = Q · (A_0 ⊕ A_{q/2} ⊕ RealOf(B)) · P · (RDFT_2q ⊕ RDFT_q ⊕ RDFT_q) · P'",
    .applicable = applicable_rdft_split_radix,
    .choices = one_choice,
    .build = build_rdft_split_radix,
};

} // namespace swirl::rules
