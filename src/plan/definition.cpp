#include "plan/definition.hpp"

#include "base/error.hpp"
#include "rules/number_theory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace swirl::planning {

namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

using Precise = std::complex<long double>;
using Value = std::complex<double>;

/// Finite factors need none of the library's care for infinities.
template <class T> std::complex<T> times(const std::complex<T>& a, const std::complex<T>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// step^j for j < count, each the product of two powers; `power(j)` gives step^j itself.
template <class Power> Row geometric(Integer count, Power&& power) {
    const auto stretch = std::max(static_cast<Integer>(std::sqrt(static_cast<double>(count))), Integer{1});
    Row row(static_cast<std::size_t>(count)), fine;
    for (Integer j = 0; j < std::min(count, stretch); ++j) fine.emplace_back(power(j));
    for (Integer first = 0; first < count; first += stretch) {
        const Value start(power(first));
        Value* const target = row.data() + first;
        for (Integer j = 0; j < std::min(count - first, stretch); ++j)
            target[j] = times(start, fine[static_cast<std::size_t>(j)]);
    }
    return row;
}

/// ω_n^{jk}, ω = e^{sign·2πi/n}.
Precise character(Integer n, Integer j, Integer k, int sign) {
    const auto exponent = static_cast<long double>(rules::multiply_modulo(j, k, n));
    return std::polar(1.0L, static_cast<long double>(sign) * 2 * pi * exponent / static_cast<long double>(n));
}

/// ω_n^{jk} for j < n.
Row characters(Integer n, Integer k, int sign) {
    return geometric(n, [=](Integer j) { return character(n, j, k, sign); });
}

/// 2·f(π·(j + a)·(k + b)/n), f the cosine or sine, and 1·… at the one j that the definition does not double.
template <class F> Row trigonometric(Integer n, double k, double a, double b, Integer undoubled, F&& f) {
    Row row(static_cast<std::size_t>(n));
    for (Integer j = 0; j < n; ++j)
        row[static_cast<std::size_t>(j)] = (j == undoubled ? 1 : 2) * f(pi * (static_cast<double>(j) + a) *
                                                                        (k + b) / static_cast<double>(n));
    return row;
}

/// Σ_{k<n} e^{i·angle·k} = e^{i(n−1)angle/2}·sin(n·angle/2) / sin(angle/2).
Precise geometric_sum(long double angle, Integer n) {
    const auto length = static_cast<long double>(n);
    return std::polar(1.0L, (length - 1) * angle / 2) * (std::sin(length * angle / 2) / std::sin(angle / 2));
}

/// The stored half of a row over a spectrum: entry k stands for its mirror image n−k too.
Row half_spectrum(Row row, Integer n) {
    row.resize(static_cast<std::size_t>(n / 2 + 1));
    for (std::size_t k = 1; k < row.size(); ++k)
        if (2 * static_cast<Integer>(k) != n) row[k] *= 2;
    return row;
}

Row signs(Integer n, Integer k) {
    Row row(static_cast<std::size_t>(n));
    for (Integer j = 0; j < n; ++j)
        row[static_cast<std::size_t>(j)] = std::popcount(static_cast<std::uint64_t>(j & k)) % 2 ? -1 : 1;
    return row;
}

} // namespace

Row definition_row(TransformKind kind, Direction direction, Integer n, Integer k) {
    const auto cosine = [](double x) { return std::cos(x); };
    const auto sine = [](double x) { return std::sin(x); };
    const auto at = static_cast<double>(k);
    switch (kind) {
    case TransformKind::dft: return characters(n, k, direction == Direction::forward ? -1 : 1);
    case TransformKind::real_dft:
        if (direction == Direction::forward) return characters(n, k, -1);
        return half_spectrum(characters(n, k, 1), n);
    case TransformKind::wht: return signs(n, k);
    case TransformKind::dct2: return trigonometric(n, at, 0.5, 0, -1, cosine);
    case TransformKind::dct3: return trigonometric(n, at, 0, 0.5, 0, cosine);
    case TransformKind::dct4: return trigonometric(n, at, 0.5, 0.5, -1, cosine);
    case TransformKind::dst2: return trigonometric(n, at, 0.5, 1, -1, sine);
    case TransformKind::dst3: return trigonometric(n, at, 1, 0.5, n - 1, sine);
    case TransformKind::dst4: return trigonometric(n, at, 0.5, 0.5, -1, sine);
    case TransformKind::convolution: throw InternalError("a convolution's rows depend on its spectrum");
    }
    throw InternalError("unknown kind of transform");
}

long double functional_angle(Integer n, Integer which) {
    constexpr long double off_grid = 0.37L; // grids are multiples of a quarter of 2π/n
    return 2 * pi * (static_cast<long double>(which) + off_grid) / static_cast<long double>(n);
}

Row powers(long double angle, Integer count) {
    return geometric(count, [=](Integer k) { return std::polar(1.0L, angle * static_cast<long double>(k)); });
}

namespace {

/// Σ_{k<outputs} (r·ω^j)^k = (1 − (r·ω^j)^outputs) / (1 − r·ω^j) for every j.
Row dft_functional(Direction direction, Integer n, Integer outputs, long double angle) {
    constexpr double cancelled = 1e-4; // below this |1 − r·ω^j|² two digits are lost
    const int sign = direction == Direction::forward ? -1 : 1;
    const Row roots = characters(n, 1, sign), ends = characters(n, outputs % n, sign);
    const Precise r = std::polar(1.0L, angle),
                  end = std::polar(1.0L, angle * static_cast<long double>(outputs));
    const Value rounded_r(r), rounded_end(end);
    Row row(roots.size());
    for (std::size_t j = 0; j < row.size(); ++j) {
        const Value above = 1.0 - times(rounded_end, ends[j]), below = 1.0 - times(rounded_r, roots[j]);
        row[j] = times(above, std::conj(below)) / std::norm(below);
        if (std::norm(below) > cancelled) continue;
        const auto at = static_cast<Integer>(j);
        row[j] = Value((1.0L - times(end, character(n, at, outputs % n, sign))) /
                       (1.0L - times(r, character(n, at, 1, sign))));
    }
    return row;
}

/// One entry of a real kind's functional: K(k, j) = 2·cos or 2·sin of phase·(k + shift).
struct Wave {
    long double angle;
    Integer n;
    /// Σ_k e^{iα(k+shift)}·r^k
    Precise turned(long double alpha, long double shift) const {
        return std::polar(1.0L, alpha * shift) * geometric_sum(alpha + angle, n);
    }
    Precise cosines(long double phase, long double shift) const {
        return turned(phase, shift) + turned(-phase, shift);
    }
    Precise sines(long double phase, long double shift) const {
        return Precise(0, -1) * (turned(phase, shift) - turned(-phase, shift));
    }
};

Precise real_kind_entry(TransformKind kind, const Wave& wave, Integer j) {
    const auto at = static_cast<long double>(j), length = static_cast<long double>(wave.n);
    const long double whole = pi * at / length, middle = pi * (at + 0.5L) / length,
                      next = pi * (at + 1) / length;
    switch (kind) {
    case TransformKind::wht: {
        Precise value = 1;
        for (Integer bit = 1; bit < wave.n; bit *= 2)
            value *= 1.0L +
                     (j & bit ? -1.0L : 1.0L) * std::polar(1.0L, wave.angle * static_cast<long double>(bit));
        return value;
    }
    case TransformKind::dct2: return wave.cosines(middle, 0);
    case TransformKind::dct3: return wave.cosines(whole, 0.5L) * (j == 0 ? 0.5L : 1.0L);
    case TransformKind::dct4: return wave.cosines(middle, 0.5L);
    case TransformKind::dst2: return wave.sines(middle, 1);
    case TransformKind::dst3: return wave.sines(next, 0.5L) * (j == wave.n - 1 ? 0.5L : 1.0L);
    case TransformKind::dst4: return wave.sines(middle, 0.5L);
    case TransformKind::dft:
    case TransformKind::real_dft:
    case TransformKind::convolution: break;
    }
    throw InternalError("not a kind whose entries are real");
}

} // namespace

Row functional_row(TransformKind kind, Direction direction, Integer n, long double angle) {
    if (kind == TransformKind::dft) return dft_functional(direction, n, n, angle);
    if (kind == TransformKind::real_dft) {
        if (direction == Direction::forward) return dft_functional(direction, n, n / 2 + 1, angle);
        return half_spectrum(dft_functional(direction, n, n, angle), n);
    }
    Row row(static_cast<std::size_t>(n));
    for (Integer j = 0; j < n; ++j)
        row[static_cast<std::size_t>(j)] = std::complex<double>(real_kind_entry(kind, {angle, n}, j));
    return row;
}

} // namespace swirl::planning
