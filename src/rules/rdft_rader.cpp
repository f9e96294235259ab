//   RDFT_p = Q · (I_1 ⊕ F_2 ⊗ I_h) · (I_1 ⊕ RDFT_M^{−}) · ([1 1; ½ b_0] ⊕ B) · (I_1 ⊕ RDFT_M) · P
//
//   p an odd prime, n = p − 1 = 2h. P reads x[0], then x[g^i]; Q writes both components of z_k to frequency g^{−k} or
//   its mirror.
//
//   With u_i = x[g^i] and c_j = ω_p^{g^{−j}}, output g^{−k} is x[0] + z_k, z = c ∗ u cyclically (Rader 1968). Since
//   c_{j+h} is the conjugate of c_j, one real convolution y = (Re c + Im c) ∗ u gives both components of z:
//
//   Re z_k = ½·(y_k + y_{k+h}),   Im z_k = ½·(y_k − y_{k+h}),   k < h.
//
//   The convolution is RDFT_M^{−} · B · RDFT_M, where B is the spectrum of the kernel. M = n points; if n has large
//   prime factors, M ≥ 2n − 1 points between a scatter and a gather. Frequency 0 carries x[0], as in rules/rader.cpp.
//   Backward, F_2 ⊗ I_h comes first and B is conjugated.
//
// Choice {M}.

#include "formula/roots_of_unity.hpp"
#include "rules/accurate_dft.hpp"
#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/pairing.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_rader(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() == 2 || !is_prime(f.rows())) return rejected("{} is not an odd prime", f.rows());
    return accepted();
}

/// M = n if its prime factors are small; and always the convolution padded to a product of 2, 3 and 5.
std::vector<Choice> rdft_rader_choices(const Formula& f) {
    const Integer n = f.rows() - 1;
    std::vector<Choice> result;
    if (largest_prime_factor(n) <= largest_base_prime) result.push_back({n});
    result.push_back({convolution_length(2 * n - 1)});
    return result;
}

class RealRader {
public:
    RealRader(Integer prime, Integer length, Direction direction)
        : p_(prime), n_(prime - 1), M_(length), forward_(direction == Direction::forward) {}

    Formula formula() const {
        const Formula butterflies = direct_sum(I(1), spread(F2(), n_ / 2));
        // Index tables address the intermediate array. The spectrum in memory is accessed in contiguous ranges,
        // possibly with its components in separate arrays.
        if (forward_)
            return product_of({permutation(frequencies().inverse()), signs(negative()), butterflies,
                               convolution(), permutation(indices())});
        return product_of({scatter(indices()), convolution(), butterflies, signs(negative()),
                           scatter(frequencies().inverse())});
    }

private:
    Formula convolution() const;
    std::vector<Complex> spectrum() const;

    IndexMap indices() const { return IndexMap::table(zero_and_powers(primitive_root(p_), p_), p_); }
    /// Halfcomplex indices of X_0 and the components of z_0 … z_{h−1}; `negative` marks those with sign −1.
    IndexMap frequencies() const;
    std::vector<bool> negative() const;

    Integer p_, n_, M_;
    bool forward_;
};

std::vector<Complex> RealRader::spectrum() const {
    std::vector<Complex> kernel(static_cast<std::size_t>(M_));
    const std::vector<Integer> powers = zero_and_powers(inverse_modulo(primitive_root(p_), p_), p_);
    const RootsOfUnity roots(p_, Direction::forward);
    for (Integer j = 0; j < n_; ++j) {
        const Complex c = roots(powers[static_cast<std::size_t>(j + 1)]);
        const Complex value = c.real() + c.imag();
        kernel[static_cast<std::size_t>(j)] = value;
        if (M_ != n_ && j > 0) kernel[static_cast<std::size_t>(M_ - n_ + j)] = value;
    }
    std::vector<Complex> result = accurate_dft(std::move(kernel), Direction::forward);
    const long double scale = (forward_ ? 0.5L : 1.0L) / static_cast<long double>(M_);
    for (Complex& value : result) value = scale * (forward_ ? value : std::conj(value));
    return result;
}

Formula RealRader::convolution() const {
    const std::vector<Complex> w = spectrum();
    const Integer columns = complex_entries(M_);
    Summands middle;
    middle.add(matrix(2, 2, {1, 1, forward_ ? 0.5L : 1.0L, w[0].real()}));
    middle.add(scaled_identity(1, w[static_cast<std::size_t>(M_ / 2)].real()));
    if (columns > 0)
        middle.add(real_of(diagonal(std::vector<Complex>(w.begin() + 1, w.begin() + 1 + columns))));
    const Pairing pairs = pairs_of_spectrum(M_);
    const Formula padding = M_ == n_ ? I(n_) : scatter(IndexMap::strided(n_, M_, 0, 1));
    const Formula cut = M_ == n_ ? I(n_) : gather(IndexMap::strided(n_, M_, 0, 1));
    return product_of({direct_sum(I(1), product_of({cut, RDFT(M_, Direction::backward), pairs.unpack()})),
                       middle.sum(),
                       direct_sum(I(1), product_of({pairs.pack(), RDFT(M_, Direction::forward), padding}))});
}

IndexMap RealRader::frequencies() const {
    const Integer h = n_ / 2;
    std::vector<Integer> locations(static_cast<std::size_t>(p_));
    const std::vector<Integer> powers = zero_and_powers(inverse_modulo(primitive_root(p_), p_), p_);
    for (Integer k = 0; k < h; ++k) {
        const Integer f =
            std::min(powers[static_cast<std::size_t>(k + 1)], p_ - powers[static_cast<std::size_t>(k + 1)]);
        locations[static_cast<std::size_t>(k + 1)] = f;
        locations[static_cast<std::size_t>(k + 1 + h)] = p_ - f;
    }
    return IndexMap::table(std::move(locations), p_);
}

std::vector<bool> RealRader::negative() const {
    const Integer h = n_ / 2;
    std::vector<bool> result(static_cast<std::size_t>(p_));
    const std::vector<Integer> powers = zero_and_powers(inverse_modulo(primitive_root(p_), p_), p_);
    for (Integer k = 0; k < h; ++k)
        result[static_cast<std::size_t>(k + 1 + h)] = 2 * powers[static_cast<std::size_t>(k + 1)] > p_;
    return result;
}

Formula build_rdft_rader(const Formula& f, const Choice& choice) {
    require(rdft_rader.name, f, applicable_rdft_rader(f));
    const Integer p = f.rows(), n = p - 1;
    const bool valid =
        choice.size() == 1 && (choice[0] == n || (choice[0] >= 2 * n - 1 && choice[0] % 2 == 0));
    require_choice(valid, rdft_rader.name, f, choice,
                   fmt::format("{}, or an even length from {} on", n, 2 * n - 1));
    return RealRader(p, choice[0], f.get_if<RealDft>()->direction).formula();
}

} // namespace

constinit const BreakdownRule rdft_rader = {
    .name = "rdft-rader",
    .identity =
        "RDFT_p = Q · (I_1 ⊕ F_2 ⊗ I_h) · (I_1 ⊕ RDFT_M^{−}) · ([1 1; ½ b_0] ⊕ B) · (I_1 ⊕ RDFT_M) · P, p "
        "prime",
    .applicable = applicable_rdft_rader,
    .choices = rdft_rader_choices,
    .build = build_rdft_rader,
};

} // namespace swirl::rules
