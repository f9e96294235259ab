#include "rules/accurate_transform.hpp"

#include "base/error.hpp"
#include "formula/chirp_z.hpp"
#include "rules/accurate_dft.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

using Vector = std::vector<Complex>;

std::size_t size(Integer n) { return static_cast<std::size_t>(n); }

Vector dft_of(Vector x, Direction direction) { return accurate_dft(std::move(x), direction); }

Vector wht_of(Vector x) {
    for (std::size_t half = 1; half < x.size(); half *= 2)
        for (std::size_t i = 0; i < x.size(); ++i)
            if ((i & half) == 0) {
                const Complex a = x[i], b = x[i + half];
                x[i] = a + b;
                x[i + half] = a - b;
            }
    return x;
}

/// Calls f with the real and the imaginary components, and puts the real results together.
template <class F> Vector by_components(std::span<const Complex> x, F&& f) {
    std::vector<long double> re, im;
    for (const Complex& value : x) re.push_back(value.real()), im.push_back(value.imag());
    const std::vector<long double> of_re = f(re), of_im = f(im);
    Vector y;
    for (std::size_t i = 0; i < of_re.size(); ++i) y.emplace_back(of_re[i], of_im[i]);
    return y;
}

using Reals = std::vector<long double>;

Reals real_dft_of(const Reals& x) {
    const auto n = static_cast<Integer>(x.size());
    const Vector spectrum = dft_of(Vector(x.begin(), x.end()), Direction::forward);
    Reals y(x.size());
    for (Integer k = 0; 2 * k <= n; ++k) {
        y[size(k)] = spectrum[size(k)].real();
        if (k > 0 && 2 * k < n) y[size(n - k)] = spectrum[size(k)].imag();
    }
    return y;
}

Reals reals_of_halfcomplex(const Reals& x) {
    const auto n = static_cast<Integer>(x.size());
    Vector spectrum(x.size());
    for (Integer k = 0; 2 * k <= n; ++k) {
        const bool is_real = k == 0 || 2 * k == n;
        const Complex value(x[size(k)], is_real ? 0 : x[size(n - k)]);
        spectrum[size(k)] = value;
        if (!is_real) spectrum[size(n - k)] = std::conj(value);
    }
    Reals y;
    for (const Complex& value : dft_of(std::move(spectrum), Direction::backward)) y.push_back(value.real());
    return y;
}

/// Y_k = Re S_k − Im S_k of the spectrum S of reals.
Reals hartley_of(const Reals& x) {
    Reals y;
    for (const Complex& value : dft_of(Vector(x.begin(), x.end()), Direction::forward))
        y.push_back(value.real() - value.imag());
    return y;
}

/// 2·Σ_j x_j·cos or sin of 2π·index(j)·index'(k)/length: one DFT of the entries at these indices. The definition counts
/// the symmetric points of types 1, 3 and 5 to 8 once.
Reals waves_of(const Reals& x, bool sine, int type) {
    const auto n = static_cast<Integer>(x.size());
    const Integer odd_period = sine != (type == 8) ? 2 * n + 1 : 2 * n - 1;
    const Integer length = type == 1   ? 2 * (sine ? n + 1 : n - 1)
                           : type == 4 ? 8 * n
                           : type < 5  ? 4 * n
                           : type == 5 ? odd_period
                           : type == 8 ? 4 * odd_period
                                       : 2 * odd_period;
    const auto index = [&](Integer j, bool at_halves) { return at_halves ? 2 * j + 1 : sine ? j + 1 : j; };
    Vector spread(size(length));
    for (Integer j = 0; j < n; ++j) {
        const bool once =
            (type == 3 && j == (sine ? n - 1 : 0)) || (type == 1 && !sine && (j == 0 || j == n - 1)) ||
            (!sine && (type == 5 || type == 7) && j == 0) || (type == (sine ? 8 : 6) && j == n - 1);
        spread[size(index(j, type % 2 == 0))] += (once ? 1 : 2) * x[size(j)];
    }
    const Vector spectrum = dft_of(std::move(spread), Direction::forward);
    Reals y;
    for (Integer k = 0; k < n; ++k) {
        const Complex& value = spectrum[size(index(k, type == 3 || type == 4 || type > 6))];
        y.push_back(sine ? -value.imag() : value.real());
    }
    return y;
}

/// By a convolution of a power of two.
Vector chirp_z_of(const ChirpZ& chirp, Integer outputs, Vector x) {
    const auto inputs = static_cast<Integer>(x.size());
    Integer points = 1;
    while (points < inputs + outputs - 1) points *= 2;
    for (Integer j = 0; j < inputs; ++j) x[size(j)] *= chirp_z_input(chirp, j);
    x.resize(size(points));
    const Vector kernel = dft_of(chirp_z_kernel(chirp, inputs, outputs, points), Direction::forward);
    Vector spectrum = dft_of(std::move(x), Direction::forward);
    for (std::size_t k = 0; k < spectrum.size(); ++k)
        spectrum[k] *= kernel[k] / static_cast<long double>(points);
    Vector y = dft_of(std::move(spectrum), Direction::backward);
    y.resize(size(outputs));
    for (Integer k = 0; k < outputs; ++k) y[size(k)] *= chirp_z_output(chirp, k);
    return y;
}

} // namespace

std::vector<Complex> accurate_transform(const Formula& nonterminal, std::span<const Complex> x) {
    Vector all(x.begin(), x.end());
    if (const auto* dft = nonterminal.get_if<Dft>()) return dft_of(std::move(all), dft->direction);
    if (const auto* wht = nonterminal.get_if<Wht>()) {
        const Vector natural = wht_of(std::move(all));
        const auto n = static_cast<Integer>(natural.size());
        Vector ordered;
        for (Integer k = 0; k < n; ++k) ordered.push_back(natural[size(natural_row(wht->order, n, k))]);
        return ordered;
    }
    if (const auto* rdft = nonterminal.get_if<RealDft>())
        return by_components(x, rdft->direction == Direction::forward ? real_dft_of : reals_of_halfcomplex);
    if (const auto* dct = nonterminal.get_if<Dct>())
        return by_components(x, [&](const Reals& reals) { return waves_of(reals, false, dct->type); });
    if (const auto* dst = nonterminal.get_if<Dst>())
        return by_components(x, [&](const Reals& reals) { return waves_of(reals, true, dst->type); });
    if (nonterminal.is<Dht>()) return by_components(x, hartley_of);
    if (const auto* chirp = nonterminal.get_if<ChirpZ>())
        return chirp_z_of(*chirp, nonterminal.rows(), std::move(all));
    const auto* circulant = nonterminal.get_if<Circulant>();
    ensure(circulant != nullptr && circulant->kernel, "a transform without known entries");
    const Vector kernel = dft_of(*circulant->kernel, Direction::forward);
    Vector spectrum = dft_of(std::move(all), Direction::forward);
    for (std::size_t k = 0; k < spectrum.size(); ++k)
        spectrum[k] *= kernel[k] / static_cast<long double>(spectrum.size());
    return dft_of(std::move(spectrum), Direction::backward);
}

} // namespace swirl::rules
