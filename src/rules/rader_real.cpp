//   DFT_p = Q · (I_1 ⊕ Aᵀ) · ([1 1; 1 −1/n] ⊕ B) · (I_1 ⊕ A) · P        p prime, n = p − 1
//
//   A = RDFT_n, or S · (RDFT_{n/3} ⊗ V_3) · P_3 for coprime n/3 and 3;  V_3 = [1 1 1; 1 −½ −½; 0 1 −1]
//
// Rader's convolution (rules/rader.cpp) by real transforms, which act on real and imaginary components alike. Shifted
// by half a period the kernel ω_p^{g^{−i}} becomes its conjugate, so its real component has even frequencies only and
// its imaginary component odd ones. So B has a real or an imaginary 2×2 block [a −b; b a] per frequency instead of a
// complex multiplication. V_3 is RDFT_3 without its factor √¾, which B absorbs. The count for p = 13 equals that of
// genfft.
//
// A is a straight-line algorithm written out in full, since its transpose is needed too. Choice {1}, or {3} for V_3.

#include "rules/accurate_dft.hpp"
#include "rules/building_blocks.hpp"
#include "rules/cost.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/real_form.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rader_real(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() == 2 || !is_prime(f.rows())) return rejected("{} is not an odd prime", f.rows());
    if (f.rows() > largest_rader_real_prime)
        return rejected("{} is above {}", f.rows(), largest_rader_real_prime);
    return accepted();
}

bool splits_three(Integer n) { return n % 3 == 0 && n % 9 != 0; }

std::vector<Choice> rader_real_choices(const Formula& f) {
    if (splits_three(f.rows() - 1)) return {{3}, {1}};
    return {{1}};
}

/// The convolution's spectrum in two index digits (f1, f2) of [m][three], three = 1 or 3, sorted into blocks.
class Convolution {
public:
    Convolution(Integer p, Integer three, Direction direction);

    Formula transform() const;                       ///< A
    Formula blocks() const { return blocks_.sum(); } ///< [1 1; 1 −1/n] ⊕ B

private:
    void add_real_frequencies();
    void add_complex_frequencies();
    Complex spectrum(Integer f1, Integer f2) const;
    Formula block(Integer f1, Integer f2, long double scale) const;
    Formula double_block(Integer f1) const;
    void put(Integer position1, Integer position2) { sorting_.push_back(position1 * three_ + position2); }

    Integer n_, three_, m_;
    std::vector<Complex> spectrum_;
    Summands blocks_;
    std::vector<Integer> sorting_;
};

Convolution::Convolution(Integer p, Integer three, Direction direction)
    : n_(p - 1), three_(three), m_((p - 1) / three) {
    const Integer inverse = inverse_modulo(primitive_root(p), p);
    std::vector<Complex> kernel;
    for (Integer i = 0, power = 1; i < n_; ++i, power = power * inverse % p)
        kernel.push_back(root_of_unity(p, power, direction));
    spectrum_ = accurate_dft(std::move(kernel), Direction::forward);
    add_real_frequencies();
    add_complex_frequencies();
}

/// At frequency f ≡ f1 mod m, f ≡ f2 mod 3.
Complex Convolution::spectrum(Integer f1, Integer f2) const {
    Integer f = f1;
    while (f % three_ != modulo(f2, three_)) f += m_;
    return spectrum_[static_cast<std::size_t>(f)];
}

/// 2/n · diag(1, scale) · [a −b; b a] · diag(1, scale), where a + ib is the spectrum of the kernel's real component, or
/// i times that of its imaginary component: at even frequencies only the former is nonzero, at odd ones only the
/// latter.
Formula Convolution::block(Integer f1, Integer f2, long double scale) const {
    const Complex unit = f1 % 2 == 0 ? Complex(1) : Complex(0, 1);
    const Complex w = spectrum(f1, f2) * std::conj(unit) * (2 / static_cast<long double>(n_));
    return matrix(2, 2,
                  {unit * w.real(), -scale * w.imag() * unit, scale * w.imag() * unit,
                   scale * scale * w.real() * unit});
}

/// For complex f1 and f2 = 1, on rr, ri, ir, ii: forms X(f1, 1) and X(f1, −1), multiplies, and transforms back.
Formula Convolution::double_block(Integer f1) const {
    const long double sine = root_of_unity(3, 1, Direction::forward).imag();
    const Formula scaling = diagonal({1, sine, 1, sine});
    // (rr, ri, ir, ii) ↦ (rr − ii, ri + ir, rr + ii, ir − ri)
    const Formula combine = product_of({permutation_from({0, 2, 1, 3}),
                                        direct_sum(matrix(2, 2, {1, -1, 1, 1}), matrix(2, 2, {1, 1, -1, 1})),
                                        permutation_from({0, 3, 1, 2})});
    return product_of(
        {scaling, transpose(combine), direct_sum(block(f1, 1, 1), block(f1, -1, 1)), combine, scaling});
}

/// f1 = 0 and, for even m, m/2: the entry is a real number for f2 = 0, a pair for f2 = 1.
void Convolution::add_real_frequencies() {
    const auto total = static_cast<long double>(n_);
    const long double sine = root_of_unity(3, 1, Direction::forward).imag();
    blocks_.add(matrix(2, 2, {1, 1, 1, -1 / total}));
    put(0, 0);
    if (m_ % 2 == 0) {
        const Complex w = spectrum(m_ / 2, 0) / total;
        blocks_.add(scaled_identity(1, m_ / 2 % 2 == 0 ? Complex(w.real()) : Complex(0, w.imag())));
        put(m_ / 2, 0);
    }
    if (three_ == 1) return;
    for (Integer f1 = 0; f1 < m_; f1 += ceil_divide(m_, 2)) {
        blocks_.add(block(f1, 1, sine));
        put(f1, 1);
        put(f1, 2);
    }
}

void Convolution::add_complex_frequencies() {
    for (Integer f1 = 1; f1 <= complex_entries(m_); ++f1) {
        blocks_.add(block(f1, 0, 1));
        put(f1, 0);
        put(m_ - f1, 0);
        if (three_ == 1) continue;
        blocks_.add(double_block(f1));
        for (const Integer position1 : {f1, m_ - f1})
            for (const Integer position2 : {1, 2}) put(position1, position2);
    }
}

Formula Convolution::transform() const {
    Formula a = I(1);
    if (m_ > 1) {
        const Formula whole = RDFT(m_, Direction::forward);
        a = without_real_of(expand(whole, cheapest_straight_line(whole)));
    }
    if (three_ == 1) return product_of({permutation_from(sorting_), a});
    const Formula v = direct_sum(matrix(2, 2, {1, 1, 1, -0.5L}), I(1)) * direct_sum(I(1), F2());
    std::vector<Integer> input;
    for (Integer i1 = 0; i1 < m_; ++i1)
        for (Integer i2 = 0; i2 < 3; ++i2) input.push_back((3 * i1 + m_ * i2) % n_);
    return product_of(
        {permutation_from(sorting_), spread(a, 3), repeat(m_, v), permutation_from(std::move(input))});
}

Formula build_rader_real(const Formula& f, const Choice& choice) {
    require(rader_real.name, f, applicable_rader_real(f));
    const Integer p = f.rows(), g = primitive_root(p);
    const bool valid = choice == Choice{1} || (choice == Choice{3} && splits_three(p - 1));
    require_choice(valid, rader_real.name, f, choice, splits_three(p - 1) ? "1 or 3" : "1");
    const Convolution convolution(p, choice[0], f.get_if<Dft>()->direction);
    const Formula a = direct_sum(I(1), convolution.transform());
    return product_of({scatter(IndexMap::table(zero_and_powers(inverse_modulo(g, p), p), p)), transpose(a),
                       convolution.blocks(), a, permutation(IndexMap::table(zero_and_powers(g, p), p))});
}

} // namespace

constinit const BreakdownRule rader_real = {
    .name = "rader-real",
    .identity = "DFT_p = Q · (I_1 ⊕ Aᵀ) · ([1 1; 1 −1/(p−1)] ⊕ B) · (I_1 ⊕ A) · P, A of real DFTs, p prime",
    .applicable = applicable_rader_real,
    .choices = rader_real_choices,
    .build = build_rader_real,
};

} // namespace swirl::rules
