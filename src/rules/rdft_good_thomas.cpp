//   RDFT_mn = Q · (I ⊕ (I ⊗ ([1 −1; 1 1] ⊕ [1 1; −1 1]))) · P · (RDFT_m ⊗ RDFT_n) · P'      for coprime m and n
//
// The prime-factor algorithm (rules/good_thomas.cpp) on real data. For each pair of complex frequencies, RDFT_m ⊗
// RDFT_n gives the four products of real and imaginary components; naming them rr, ii, ri, ir,
//
//   X(k_1, k_2) = (rr − ii) + i·(ri + ir),     X(k_1, −k_2) = (rr + ii) + i·(ir − ri).
//
// Choice {m, n}.

#include "rules/number_theory.hpp"
#include "rules/real_factors.hpp"
#include "rules/rule_list.hpp"

#include <numeric>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_good_thomas(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (coprime_splits(f.rows()).empty()) return rejected("{} has no two coprime factors", f.rows());
    return accepted();
}

/// The real frequencies of RDFT_n: 0 and, for even n, n/2.
std::vector<Integer> real_frequencies(Integer n) {
    return n % 2 == 0 ? std::vector<Integer>{0, n / 2} : std::vector<Integer>{0};
}

/// The input positions and output frequencies of the pair butterflies.
class Spectrum {
public:
    Spectrum(Integer m, Integer n)
        : m_(m), n_(n), first_(n * inverse_modulo(n, m)), second_(m * inverse_modulo(m, n)), out_(m * n) {
        for (const Integer k1 : real_frequencies(m))
            for (const Integer k2 : real_frequencies(n)) {
                put(k1, k2);
                out_.real(frequency(k1, k2));
            }
        for (const Integer k1 : real_frequencies(m))
            for (Integer k2 = 1; k2 <= complex_entries(n); ++k2) {
                put(k1, k2);
                put(k1, n - k2);
                out_.pair(frequency(k1, k2));
            }
        for (Integer k1 = 1; k1 <= complex_entries(m); ++k1)
            for (const Integer k2 : real_frequencies(n)) {
                put(k1, k2);
                put(m - k1, k2);
                out_.pair(frequency(k1, k2));
            }
        singles_ = static_cast<Integer>(sorting_.size());
        for (Integer k1 = 1; k1 <= complex_entries(m); ++k1)
            for (Integer k2 = 1; k2 <= complex_entries(n); ++k2) {
                put(k1, k2);
                put(m - k1, n - k2);
                put(k1, n - k2);
                put(m - k1, k2);
                record_products(frequency(k1, k2), frequency(k1, n - k2));
            }
    }

    Integer singles() const { return singles_; }
    std::vector<Integer> sorting() const { return sorting_; }
    HalfcomplexOutput& out() { return out_; }

private:
    Integer frequency(Integer k1, Integer k2) const { return (first_ * k1 + second_ * k2) % (m_ * n_); }
    void put(Integer position1, Integer position2) { sorting_.push_back(position1 * n_ + position2); }

    /// The butterflies yield Re X(k), Re X(k'), Im X(k), Im X(k').
    void record_products(Integer k, Integer mirrored) {
        const Integer n = m_ * n_;
        const auto folded = [&](Integer f) { return f > n / 2 ? n - f : f; };
        out_.real_part(folded(k));
        out_.real_part(folded(mirrored));
        out_.imaginary_part(folded(k), k > n / 2);
        out_.imaginary_part(folded(mirrored), mirrored > n / 2);
    }

    Integer m_, n_, first_, second_, singles_ = 0;
    std::vector<Integer> sorting_;
    HalfcomplexOutput out_;
};

/// (rr, ii, ri, ir) ↦ (rr − ii, rr + ii, ri + ir, ir − ri), or its inverse.
Formula products_to_spectrum(Direction direction) {
    if (direction == Direction::forward)
        return direct_sum(matrix(2, 2, {1, -1, 1, 1}), matrix(2, 2, {1, 1, -1, 1}));
    return product_of(
        {scaled_identity(4, 0.5L), direct_sum(matrix(2, 2, {1, 1, -1, 1}), matrix(2, 2, {1, -1, 1, 1}))});
}

Formula build_rdft_good_thomas(const Formula& f, const Choice& choice) {
    require(rdft_good_thomas.name, f, applicable_rdft_good_thomas(f));
    const auto [m, n] = split_of(rdft_good_thomas.name, f, choice);
    require_choice(std::gcd(m, n) == 1, rdft_good_thomas.name, f, choice, "coprime factors");
    const Direction direction = f.get_if<RealDft>()->direction;
    Spectrum spectrum(m, n);
    Summands middle;
    middle.add_identity(spectrum.singles());
    const Integer pairs = complex_entries(m) * complex_entries(n);
    if (pairs > 0) middle.add(repeat(pairs, products_to_spectrum(direction)));
    std::vector<Integer> input;
    for (Integer i1 = 0; i1 < m; ++i1)
        for (Integer i2 = 0; i2 < n; ++i2) input.push_back((n * i1 + m * i2) % (m * n));
    return assemble({.output = spectrum.out().take_output(),
                     .negative = spectrum.out().take_negative(),
                     .middle = middle.sum(),
                     .sorting = spectrum.sorting(),
                     .transforms = kron(RDFT(m, direction), RDFT(n, direction)),
                     .input = std::move(input)},
                    direction);
}

} // namespace

constinit const BreakdownRule rdft_good_thomas = {
    .name = "rdft-good-thomas",
    .identity =
        "RDFT_mn = Q · (I ⊕ (I ⊗ ([1 −1; 1 1] ⊕ [1 1; −1 1]))) · P · (RDFT_m ⊗ RDFT_n) · P', m and n coprime",
    .applicable = applicable_rdft_good_thomas,
    .choices = coprime_split_choices,
    .build = build_rdft_good_thomas,
};

} // namespace swirl::rules
