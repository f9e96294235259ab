#include "plan/definition.hpp"

#include "base/error.hpp"
#include "rules/number_theory.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace swirl::planning {

namespace {

using std::numbers::pi;

/// ω_n^{jk} for j < n by repeated rotation, restarted often enough to stay accurate to about 1e-13.
Row characters(Integer n, Integer k, double sign) {
    constexpr Integer stretch = 256;
    Row row(static_cast<std::size_t>(n));
    const auto root = [&](Integer exponent) {
        return std::polar(1.0, sign * 2 * pi * static_cast<double>(exponent) / static_cast<double>(n));
    };
    const std::complex<double> step = root(k % n);
    for (Integer j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(j);
        row[at] = j % stretch == 0 ? root(rules::multiply_modulo(j, k, n)) : row[at - 1] * step;
    }
    return row;
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
std::complex<double> geometric_sum(double angle, Integer n) {
    const double bottom = std::sin(angle / 2), length = static_cast<double>(n);
    if (std::abs(bottom) < 1e-14) return length;
    return std::polar(1.0, (length - 1) * angle / 2) * (std::sin(length * angle / 2) / bottom);
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
    }
    throw InternalError("unknown kind of transform");
}

Row functional_row(TransformKind kind, Direction direction, Integer n, double angle) {
    const auto at = [](Integer j) { return static_cast<double>(j); };
    const double length = at(n);
    Row row(static_cast<std::size_t>(n));
    const bool half = kind == TransformKind::real_dft && direction == Direction::forward;
    const Integer outputs = half ? n / 2 + 1 : n;
    // Σ_k e^{iα(k+shift)}·r^k
    const auto turned = [&](double alpha, double shift) {
        return std::polar(1.0, alpha * shift) * geometric_sum(alpha + angle, outputs);
    };
    const auto cosines = [&](double phase, double shift) {
        return turned(phase, shift) + turned(-phase, shift);
    };
    const auto sines = [&](double phase, double shift) {
        return std::complex<double>(0, -1) * (turned(phase, shift) - turned(-phase, shift));
    };
    for (Integer j = 0; j < n; ++j) {
        std::complex<double>& value = row[static_cast<std::size_t>(j)];
        const double whole = pi * at(j) / length, middle = pi * (at(j) + 0.5) / length,
                     next = pi * (at(j) + 1) / length;
        switch (kind) {
        case TransformKind::dft:
        case TransformKind::real_dft:
            value = turned((direction == Direction::forward ? -2 : 2) * whole, 0);
            break;
        case TransformKind::wht:
            value = 1;
            for (Integer bit = 1; bit < n; bit *= 2)
                value *= 1.0 + (j & bit ? -1.0 : 1.0) * std::polar(1.0, angle * at(bit));
            break;
        case TransformKind::dct2: value = cosines(middle, 0); break;
        case TransformKind::dct3: value = cosines(whole, 0.5) * (j == 0 ? 0.5 : 1.0); break;
        case TransformKind::dct4: value = cosines(middle, 0.5); break;
        case TransformKind::dst2: value = sines(middle, 1); break;
        case TransformKind::dst3: value = sines(next, 0.5) * (j == n - 1 ? 0.5 : 1.0); break;
        case TransformKind::dst4: value = sines(middle, 0.5); break;
        }
    }
    const bool backward_real = kind == TransformKind::real_dft && !half;
    return backward_real ? half_spectrum(std::move(row), n) : row;
}

} // namespace swirl::planning
