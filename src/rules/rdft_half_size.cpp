//   RDFT_2m = Q · (F_2 ⊕ [1 0; 0 −1] ⊕ RealOf(pass(B))) · P · RealOf(DFT_m)
//
// The even entries of real data become real components, the odd ones imaginary components: Z = DFT_m. For 0 < k < m/2,
//
//   (X_k, conj X_{m−k}) = B (Z_k, conj Z_{m−k}),   B = (F_2 ⊗ I) · (½·I ⊕ ½·diag(ω_2m^k)) · ([1 1; −i i] ⊗ I),
//
// (X_0, X_m) = F_2 (Re Z_0, Im Z_0), and X_{m/2} = conj Z_{m/2} for even m. Backward: 2m times the inverse, without the
// ½.
//
//   circulant(h) = RealOf(DFT_m^{−1}) · P' · C · P · RealOf(DFT_m) · 1/2m       of 2m reals
//
// C is B, the product with the spectrum of h, which is given at execution, and B backward: one pass, which needs no order of the
// spectrum.
//
// Cooley, Lewis and Welch (1970).

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_half_size(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() % 2 != 0) return rejected("{} is odd", f.rows());
    if (f.rows() < 4) return rejected("size {} is below 4", f.rows());
    return accepted();
}

/// The spectrum in groups: X_0, X_m as reals, X_{m/2} as a pair for even m, the pairs X_1 … X_c, then X_{m−1} … X_{m−c}.
struct Groups {
    explicit Groups(Integer size)
        : n(size), m(size / 2), alone(m % 2 == 0 ? 4 : 2), columns(complex_entries(m)) {}

    /// Index of each group's entries among the pairs Z_0 … Z_{m−1}.
    IndexMap among_pairs() const {
        return IndexMap::piecewise(
            {DigitMap{{2}, {1}, 0, 0}, DigitMap{{alone - 2}, {1}, m, 0}, DigitMap{{columns, 2}, {2, 1}, 2, 0},
             DigitMap{{columns, 2}, {-2, 1}, 2 * (m - 1), 0}},
            n);
    }
    /// Index of each group's entries in halfcomplex order, real components before imaginary ones.
    IndexMap in_halfcomplex() const {
        std::vector<DigitMap> pieces{{{1}, {1}, 0, 0}, {{1}, {1}, m, 0}};
        if (alone == 4) pieces.insert(pieces.end(), {{{1}, {1}, m / 2, 0}, {{1}, {1}, n - m / 2, 0}});
        pieces.insert(pieces.end(), {{{columns}, {1}, 1, 0},
                                     {{columns}, {-1}, n - 1, 0},
                                     {{columns}, {-1}, m - 1, 0},
                                     {{columns}, {1}, m + 1, 0}});
        return IndexMap::piecewise(std::move(pieces), n);
    }
    IndexMap split_complex() const {
        return IndexMap::piecewise(
            {DigitMap{{alone}, {1}, 0, 0}, DigitMap{{2, columns, 2}, {2 * columns, 1, columns}, alone, 0}},
            n);
    }
    /// −1 at the imaginary components of X_{m−1} … X_{m−c}.
    Formula conjugation() const {
        const auto values = std::make_shared<const std::vector<Complex>>(std::vector<Complex>{1, -1});
        return diagonal(
            ExplicitFunction{values},
            IndexMap::piecewise(
                {DigitMap{{alone + 2 * columns}, {0}, 0, 0}, DigitMap{{columns, 2}, {0, 1}, 0, 0}}, 2));
    }

    Integer n, m, alone, columns;
};

/// B on (Z_k, conj Z_{m−k}), 0 < k ≤ columns; or 2 times its inverse.
Formula complex_columns(const Groups& groups, Direction direction) {
    const Integer columns = groups.columns, m = groups.m;
    const Complex i = root_of_unity(4, 1, direction);
    const Formula twiddles = diagonal(TwiddleFunction{groups.n, {m, 2}, {1, m}, direction},
                                      IndexMap(2 * columns, 2 * m, DigitMap{{2, columns}, {m, 1}, 1, 0}));
    if (direction == Direction::backward)
        return product_of({kron(matrix(2, 2, {1, i, 1, -i}), I(columns)), twiddles, kron(F2(), I(columns))});
    return product_of({kron(F2(), I(columns)), twiddles, scaled_identity(2 * columns, 0.5L),
                       kron(matrix(2, 2, {1, 1, i, -i}), I(columns))});
}

/// The frequency m/2 of a spectrum; or twice that.
Formula middle_frequency(Direction direction) {
    const long double weight = direction == Direction::forward ? 1 : 2;
    return matrix(2, 2, {weight, 0, 0, -weight});
}

Formula build_rdft_half_size(const Formula& f, const Choice&) {
    require(rdft_half_size.name, f, applicable_rdft_half_size(f));
    const Direction direction = f.get_if<RealDft>()->direction;
    const bool forward = direction == Direction::forward;
    const Groups groups(f.rows());
    Summands middle;
    middle.add(F2());
    if (groups.alone == 4) middle.add(middle_frequency(direction));
    if (groups.columns > 0) middle.add(real_of(pass(complex_columns(groups, direction))));
    const Formula conjugation = groups.columns > 0 ? groups.conjugation() : I(groups.n);
    const Formula transform = real_of(DFT(groups.m, direction));
    if (forward)
        return product_of({scatter(groups.in_halfcomplex()), scatter(groups.split_complex()), conjugation,
                           middle.sum(), conjugation, gather(groups.among_pairs()), transform});
    return product_of({transform, scatter(groups.among_pairs()), conjugation, middle.sum(), conjugation,
                       gather(groups.split_complex()), gather(groups.in_halfcomplex())});
}

Applicability applicable_circulant_half_size(const Formula& f) {
    const auto* circulant = f.get_if<Circulant>();
    if (circulant == nullptr || !circulant->of_reals) return not_a("circulant of reals");
    return rdft_half_size.applicable(RDFT(f.rows()));
}

Formula build_circulant_half_size(const Formula& f, const Choice&) {
    require(circulant_half_size.name, f, applicable_circulant_half_size(f));
    const Direction there = Direction::forward, back = Direction::backward;
    const Groups groups(f.rows());
    const Integer n = groups.n, m = groups.m, columns = groups.columns;
    const ArgumentFunction spectrum{n};
    Summands middle;
    middle.add(product_of({F2(), diagonal(spectrum, IndexMap(2, n, DigitMap{{2}, {m}, 0, 0})), F2()}));
    if (groups.alone == 4)
        middle.add(product_of({middle_frequency(back),
                               real_of(diagonal(spectrum, IndexMap(1, n, DigitMap{{1}, {0}, m / 2, 0}))),
                               middle_frequency(there)}));
    if (columns > 0)
        middle.add(real_of(pass(
            product_of({complex_columns(groups, back),
                        diagonal(spectrum, IndexMap(2 * columns, n, DigitMap{{2, columns}, {m, 1}, 1, 0})),
                        complex_columns(groups, there)}))));
    const Formula conjugation = columns > 0 ? groups.conjugation() : I(n);
    return product_of({diagonal(ConstantFunction{1 / static_cast<long double>(n)}, n), real_of(DFT(m, back)),
                       scatter(groups.among_pairs()), conjugation, middle.sum(), conjugation,
                       gather(groups.among_pairs()), real_of(DFT(m, there))});
}

} // namespace

constinit const BreakdownRule circulant_half_size = {
    .name = "circulant-half-size",
    .identity = "circulant(h) = RealOf(DFT_m^{−1}) · P' · C · P · RealOf(DFT_m) · 1/2m, of 2m reals",
    .applicable = applicable_circulant_half_size,
    .choices = one_choice,
    .build = build_circulant_half_size,
};

constinit const BreakdownRule rdft_half_size = {
    .name = "rdft-half-size",
    .identity = "RDFT_2m = Q · (F_2 ⊕ I_2 ⊕ RealOf(B)) · P · RealOf(DFT_m)",
    .applicable = applicable_rdft_half_size,
    .choices = one_choice,
    .build = build_rdft_half_size,
};

} // namespace swirl::rules
