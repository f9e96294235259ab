// Discrete cosine and sine transforms of type 1, unnormalised as FFTW's REDFT00 and RODFT00.
//
//   DCT1_{2c+1} = S · (DCT3_c ⊕ DCT1_{c+1}) · (([1 −1; 1 1] ⊗ I_c) ⊕ [2]) · (I_c ⊕ J_{c+1})
//   DST1_{2c+1} = S · (DST1_c ⊕ DST3_{c+1}) · (([1 −1; 1 1] ⊗ I_c) ⊕ [2]) · (I_c ⊕ J_{c+1})
//
//   S writes the results of the first transform to odd positions, those of the second to even ones. Püschel and Moura
//   (2008), "Algebraic signal processing theory: Cooley–Tukey type algorithms for DCTs and DSTs".
//
//   DCT1_n = R · (F_2 ⊗ I) · G · RealOf(DFT_m) · E · P,                        m = n − 1 odd
//   DST1_n = R · ([1 1; −1 1] ⊗ I ⊕ [1 −1; −1 −1] ⊗ I) · G · RealOf(DFT_m) · E · P,      m = n + 1 odd
//
//   The even or odd extension has 2m points; DFT_2m = DFT_2 ⊗ DFT_m by the Chinese remainder theorem (Good 1958,
//   Thomas 1963). P pairs x[2j] with x[m−2j], or x[m−2j] with x[2j] of x[1] … x[n], as components of entry j of one complex
//   sequence, and E extends it to m entries by its symmetry. By that symmetry of each component its spectrum is real, or
//   imaginary: G reads entries k ≤ m/2 of the spectrum, even ones first, and R writes results k and m−k of each.
//
//   DCT1_n = [I_n 0] · RDFT_2m · E,  m = n − 1,        DST1_n = B · RDFT_2m · E,  m = n + 1
//
//   E is the even or (negated) odd extension, and B reads the imaginary components. Twice the work, but a single transform:
//   what serves a long real DFT serves these.

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace swirl::rules {

using namespace formula;

namespace {

Formula difference_and_sum() { return matrix(2, 2, {1, -1, 1, 1}); }

Applicability applicable_dct1(const Formula& f) {
    const Dct* dct = f.get_if<Dct>();
    return dct != nullptr && dct->type == 1 ? accepted() : not_a("DCT-I");
}
Applicability applicable_dst1(const Formula& f) {
    const Dst* dst = f.get_if<Dst>();
    return dst != nullptr && dst->type == 1 ? accepted() : not_a("DST-I");
}

Applicability of_odd_size(const Formula& f, Applicability applicability) {
    if (applicability.ok() && f.rows() % 2 == 0) return rejected("{} is even", f.rows());
    return applicability;
}
Applicability of_even_size(const Formula& f, Applicability applicability) {
    if (applicability.ok() && f.rows() % 2 != 0) return rejected("{} is odd", f.rows());
    return applicability;
}

Applicability applicable_dct1_dct3(const Formula& f) { return of_odd_size(f, applicable_dct1(f)); }
Applicability applicable_dct1_dft(const Formula& f) { return of_even_size(f, applicable_dct1(f)); }
Applicability applicable_dst1_dst3(const Formula& f) { return of_odd_size(f, applicable_dst1(f)); }
Applicability applicable_dst1_dft(const Formula& f) { return of_even_size(f, applicable_dst1(f)); }

/// The transforms of the differences, c, and of the sums, c + 1, as one of 2c + 1 points.
Formula halves(Integer c, const Formula& of_differences, const Formula& of_sums) {
    const Integer n = 2 * c + 1;
    const IndexMap targets = IndexMap::piecewise({{{c}, {2}, 1, 0}, {{c + 1}, {2}, 0, 0}}, n);
    return product_of({scatter(targets), direct_sum(of_differences, of_sums),
                       direct_sum(spread(difference_and_sum(), c), scaled_identity(1, 2)),
                       direct_sum(I(c), J(c + 1))});
}

Formula build_dct1_dct3(const Formula& f, const Choice&) {
    require(dct1_dct3.name, f, applicable_dct1_dct3(f));
    const Integer c = f.rows() / 2;
    return halves(c, DCT(3, c), DCT(1, c + 1));
}

Formula build_dst1_dst3(const Formula& f, const Choice&) {
    require(dst1_dst3.name, f, applicable_dst1_dst3(f));
    const Integer c = f.rows() / 2;
    if (c == 0) return scaled_identity(1, 2);
    return halves(c, DST(1, c), DST(3, c + 1));
}

Formula build_dct1_dft(const Formula& f, const Choice&) {
    require(dct1_dft.name, f, applicable_dct1_dft(f));
    const Integer n = f.rows(), m = n - 1, h = m / 2, even = h / 2 + 1, odd = (h + 1) / 2;
    if (m == 1) return F2();
    const IndexMap sources =
        IndexMap::piecewise({{{2}, {m}, 0, 0}, {{h}, {2}, 2, 0}, {{h}, {-2}, m - 2, 0}}, n);
    const IndexMap pairs = IndexMap::piecewise(
        {{{2}, {1}, 0, 0}, {{2, h}, {1, 2}, 2, 0}, {{2, h}, {1, -2}, 2 * m - 2, 0}}, 2 * m);
    const IndexMap spectrum =
        IndexMap::piecewise({{{2, even}, {1, 4}, 0, 0}, {{2, odd}, {1, 4}, 2, 0}}, 2 * m);
    const IndexMap results = IndexMap::piecewise(
        {{{even}, {2}, 0, 0}, {{even}, {-2}, m, 0}, {{odd}, {-2}, m - 1, 0}, {{odd}, {2}, 1, 0}}, n);
    return product_of({scatter(results), direct_sum(spread(F2(), even), spread(F2(), odd)), gather(spectrum),
                       real_of(DFT(m, Direction::forward)), scatter(pairs),
                       direct_sum(I(2), spread(matrix(4, 2, {1, 0, 0, 1, 1, 0, 0, 1}), h)),
                       permutation(sources)});
}

Formula build_dst1_dft(const Formula& f, const Choice&) {
    require(dst1_dft.name, f, applicable_dst1_dft(f));
    const Integer n = f.rows(), m = n + 1, h = n / 2, even = h / 2, odd = h - even;
    const IndexMap sources = IndexMap::piecewise({{{h}, {-2}, n - 2, 0}, {{h}, {2}, 1, 0}}, n);
    const IndexMap pairs =
        IndexMap::piecewise({{{2, h}, {1, 2}, 2, 0}, {{2, h}, {1, -2}, 2 * m - 2, 0}}, 2 * m);
    Summands butterflies;
    std::vector<DigitMap> spectrum, results;
    const auto add = [&](Integer count, Integer first, std::vector<Complex> entries) {
        if (count == 0) return;
        butterflies.add(spread(matrix(2, 2, std::move(entries)), count));
        spectrum.push_back({{2, count}, {1, 4}, 2 * first, 0});
        results.insert(results.end(), {{{count}, {2}, first - 1, 0}, {{count}, {-2}, m - first - 1, 0}});
    };
    add(even, 2, {1, 1, -1, 1});
    add(odd, 1, {1, -1, -1, -1});
    return product_of({scatter(IndexMap::piecewise(std::move(results), n)), butterflies.sum(),
                       gather(IndexMap::piecewise(std::move(spectrum), 2 * m)),
                       real_of(DFT(m, Direction::forward)), scatter(pairs),
                       spread(matrix(4, 2, {1, 0, 0, 1, -1, 0, 0, -1}), h), permutation(sources)});
}

Formula build_dct1_rdft(const Formula& f, const Choice&) {
    require(dct1_rdft.name, f, applicable_dct1(f));
    const Integer n = f.rows(), m = n - 1;
    if (m == 1) return F2();
    const IndexMap even = IndexMap::piecewise({{{n}, {1}, 0, 0}, {{m - 1}, {-1}, m - 1, 0}}, n);
    const IndexMap reals = IndexMap::piecewise({{{n}, {1}, 0, 0}}, 2 * m);
    return product_of({gather(reals), rdft(2 * m, Direction::forward), gather(even)});
}

Formula build_dst1_rdft(const Formula& f, const Choice&) {
    require(dst1_rdft.name, f, applicable_dst1(f));
    const Integer n = f.rows(), m = n + 1;
    const IndexMap odd =
        IndexMap::piecewise({{{1}, {0}, 0, 0}, {{n}, {1}, 0, 0}, {{1}, {0}, 0, 0}, {{n}, {-1}, n - 1, 0}}, n);
    const IndexMap signs =
        IndexMap::piecewise({{{1}, {0}, 0, 0}, {{n}, {0}, 1, 0}, {{1}, {0}, 0, 0}, {{n}, {0}, 2, 0}}, 3);
    const DiagonalFunction sign =
        ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::vector<Complex>{0, -1, 1})};
    const IndexMap imaginaries = IndexMap::piecewise({{{n}, {-1}, 2 * m - 1, 0}}, 2 * m);
    return product_of(
        {gather(imaginaries), rdft(2 * m, Direction::forward), diagonal(sign, signs), gather(odd)});
}

} // namespace

constinit const BreakdownRule dct1_dct3 = {
    .name = "dct1-dct3",
    .identity = "DCT1_{2c+1} = S · (DCT3_c ⊕ DCT1_{c+1}) · (([1 −1; 1 1] ⊗ I_c) ⊕ [2]) · (I_c ⊕ J_{c+1})",
    .applicable = applicable_dct1_dct3,
    .choices = one_choice,
    .build = build_dct1_dct3,
};

constinit const BreakdownRule dct1_dft = {
    .name = "dct1-dft",
    .identity = "DCT1_n = R · (F_2 ⊗ I) · G · RealOf(DFT_{n−1}) · E · P, n even",
    .applicable = applicable_dct1_dft,
    .choices = one_choice,
    .build = build_dct1_dft,
};

constinit const BreakdownRule dct1_rdft = {
    .name = "dct1-rdft",
    .identity = "DCT1_n = [I_n 0] · RDFT_2m · E, m = n − 1",
    .applicable = applicable_dct1,
    .choices = one_choice,
    .build = build_dct1_rdft,
};

constinit const BreakdownRule dst1_dft = {
    .name = "dst1-dft",
    .identity = "DST1_n = R · ([1 1; −1 1] ⊗ I ⊕ [1 −1; −1 −1] ⊗ I) · G · RealOf(DFT_{n+1}) · E · P, n even",
    .applicable = applicable_dst1_dft,
    .choices = one_choice,
    .build = build_dst1_dft,
};

constinit const BreakdownRule dst1_dst3 = {
    .name = "dst1-dst3",
    .identity = "DST1_{2c+1} = S · (DST1_c ⊕ DST3_{c+1}) · (([1 −1; 1 1] ⊗ I_c) ⊕ [2]) · (I_c ⊕ J_{c+1})",
    .applicable = applicable_dst1_dst3,
    .choices = one_choice,
    .build = build_dst1_dst3,
};

constinit const BreakdownRule dst1_rdft = {
    .name = "dst1-rdft",
    .identity = "DST1_n = B · RDFT_2m · E, m = n + 1",
    .applicable = applicable_dst1,
    .choices = one_choice,
    .build = build_dst1_rdft,
};

} // namespace swirl::rules
