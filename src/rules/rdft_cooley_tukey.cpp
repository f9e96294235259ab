//   RDFT_km = Q · (RDFT_k ⊕ ODFT_k ⊕ RealOf((DFT_k ⊗ I_S) · T)) · P · (I_k ⊗ RDFT_m) · L^km_k
//
// Decimation in time of real data. Frequency 0 of the k subproblems is real and takes a real transform. Frequency m/2
// (m even) is real and takes ODFT_k, the transform with ω_2k^{j(2t+1)}. The S = ⌊(m−1)/2⌋ frequencies between are
// complex and take the twiddle factors and complex DFTs of the complex algorithm. P and Q are permutations; Q has signs
// where a result stands for its conjugate.
//
// Sorensen, Jones, Heideman and Burrus (1987); Voronenko and Püschel (2009), who call ODFT rDFT(½). Choice {k, m}.

#include "rules/number_theory.hpp"
#include "rules/real_columns.hpp"
#include "rules/real_factors.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_cooley_tukey(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() == 1 || is_prime(f.rows())) return rejected("{} has no two factors to split into", f.rows());
    return accepted();
}

/// (DFT_k ⊗ I_S) · T on the complex columns s = 1…S, or its inverse times k.
Formula twiddled_transforms(Integer k, Integer m, Direction direction) {
    const Integer columns = complex_entries(m);
    const IndexMap entry(k * columns, k * m, DigitMap{{k, columns}, {m, 1}, 1, 0});
    const Formula twiddles = diagonal(TwiddleFunction{k * m, {m, k}, {1, m}, direction}, entry);
    const Formula transforms = spread(DFT(k, direction), columns);
    return real_of(direction == Direction::forward ? product_of({transforms, twiddles})
                                                   : product_of({twiddles, transforms}));
}

std::vector<Integer> sorting(Integer k, Integer m) {
    std::vector<Integer> sources;
    for (Integer j = 0; j < k; ++j) sources.push_back(j * m);
    if (m % 2 == 0) {
        if (k % 2 == 1)
            for (Integer j = 0; j < k; ++j) sources.push_back(j * m + m / 2);
        else
            for (Integer j = 0; j < k / 2; ++j)
                for (const Integer half : {Integer{0}, k / 2}) sources.push_back((j + half) * m + m / 2);
    }
    for (Integer j = 0; j < k; ++j)
        for (Integer s = 1; s <= complex_entries(m); ++s) {
            sources.push_back(j * m + s);
            sources.push_back(j * m + m - s);
        }
    return sources;
}

void record_outputs(HalfcomplexOutput& out, Integer k, Integer m) {
    const Integer n = k * m;
    // RDFT_k in halfcomplex order: its frequency t is frequency m·t of the result.
    out.real(0);
    for (Integer t = 1; t <= k / 2; ++t) 2 * t == k ? out.real(n / 2) : out.real_part(m * t);
    for (Integer t = complex_entries(k); t >= 1; --t) out.imaginary_part(m * t, false);
    if (m % 2 == 0 && k % 2 == 1) {
        out.real(n / 2);
        for (Integer t = 1; t <= k / 2; ++t) out.real_part(n / 2 - m * t);
        for (Integer t = k / 2; t >= 1; --t) out.imaginary_part(n / 2 - m * t, true);
    } else if (m % 2 == 0) {
        for (Integer u = 0; u < k / 2; ++u) out.pair((1 + 4 * u) * m / 2 % n);
    }
    for (Integer t = 0; t < k; ++t)
        for (Integer s = 1; s <= complex_entries(m); ++s) out.pair(s + m * t);
}

Formula build_rdft_cooley_tukey(const Formula& f, const Choice& choice) {
    require(rdft_cooley_tukey.name, f, applicable_rdft_cooley_tukey(f));
    const auto [k, m] = split_of(rdft_cooley_tukey.name, f, choice);
    const Direction direction = f.get_if<RealDft>()->direction;
    HalfcomplexOutput out(f.rows());
    record_outputs(out, k, m);
    Summands middle;
    middle.add(rdft(k, direction));
    if (m % 2 == 0) middle.add(odd_frequencies(k, direction));
    if (complex_entries(m) > 0) middle.add(twiddled_transforms(k, m, direction));
    std::vector<Integer> input;
    for (Integer j = 0; j < k; ++j)
        for (Integer i = 0; i < m; ++i) input.push_back(i * k + j);
    return assemble({.output = out.take_output(),
                     .negative = out.take_negative(),
                     .middle = middle.sum(),
                     .sorting = sorting(k, m),
                     .transforms = repeat(k, rdft(m, direction)),
                     .input = std::move(input)},
                    direction);
}

} // namespace

constinit const BreakdownRule rdft_cooley_tukey = {
    .name = "rdft-cooley-tukey",
    .identity = "RDFT_km = Q · (RDFT_k ⊕ ODFT_k ⊕ RealOf((DFT_k ⊗ I_S) · T)) · P · (I_k ⊗ RDFT_m) · L^km_k",
    .applicable = applicable_rdft_cooley_tukey,
    .choices = split_choices,
    .build = build_rdft_cooley_tukey,
};

} // namespace swirl::rules
