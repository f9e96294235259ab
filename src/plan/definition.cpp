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
    case TransformKind::dft:
    case TransformKind::real_dft: return characters(n, k, direction == Direction::forward ? -1 : 1);
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

Row inverse_row(TransformKind kind, Direction direction, Integer n, Integer j) {
    switch (kind) {
    case TransformKind::dct2: return definition_row(TransformKind::dct3, direction, n, j);
    case TransformKind::dct3: return definition_row(TransformKind::dct2, direction, n, j);
    case TransformKind::dst2: return definition_row(TransformKind::dst3, direction, n, j);
    case TransformKind::dst3: return definition_row(TransformKind::dst2, direction, n, j);
    default: return definition_row(kind, reversed(direction), n, j);
    }
}

double inverse_norm(TransformKind kind, Integer n) {
    const bool trigonometric_kind = kind >= TransformKind::dct2;
    return static_cast<double>(n) * (trigonometric_kind ? 2 : 1);
}

} // namespace swirl::planning
