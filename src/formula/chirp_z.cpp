#include "formula/chirp_z.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace swirl::formula {

namespace {

using Digits = Phase::Digits;

std::size_t at(Integer i) { return static_cast<std::size_t>(i); }

Digits square(Integer k) { return static_cast<Digits>(k) * static_cast<Digits>(k); }

/// k²·step/2
Phase half_square(const ChirpZ& transform, Integer k) {
    return Phase::of_turns(transform.step / 2) * square(k);
}

} // namespace

Phase Phase::of_turns(long double turns) {
    const long double fraction =
        std::fmod(std::fabs(turns), 1.0L); // exact, as is all that follows but the last digits
    const long double upper = std::ldexp(fraction, 64), whole = std::floor(upper);
    const auto digits =
        (static_cast<Digits>(whole) << 64U) + static_cast<Digits>(std::floor(std::ldexp(upper - whole, 64)));
    return Phase(std::signbit(turns) ? -digits : digits);
}

Complex Phase::root(Direction direction) const {
    __extension__ using Signed = __int128;
    constexpr unsigned quarter_bits = 126;
    const Digits quarter =
        (digits_ + (Digits{1} << (quarter_bits - 1))) >> quarter_bits; // the nearest; 4 is 0
    const auto rest = static_cast<Signed>(digits_ - (quarter << quarter_bits));
    const long double angle =
        std::ldexp(static_cast<long double>(rest), -128) * 2 * std::numbers::pi_v<long double>;
    const long double c = std::cos(angle), s = std::sin(angle);
    const Complex root = quarter % 4 == 0   ? Complex(c, s)
                         : quarter % 4 == 1 ? Complex(-s, c)
                         : quarter % 4 == 2 ? Complex(-c, -s)
                                            : Complex(s, -c);
    return direction == Direction::forward ? std::conj(root) : root;
}

Complex chirp_z_entry(const ChirpZ& transform, Integer k, Integer j) {
    const auto column = static_cast<Digits>(j);
    const Phase phase = Phase::of_turns(transform.start) * column +
                        Phase::of_turns(transform.step) * (column * static_cast<Digits>(k));
    return phase.root(Direction::forward);
}

Complex chirp_z_input(const ChirpZ& transform, Integer j) {
    const Phase phase = Phase::of_turns(transform.start) * static_cast<Digits>(j) + half_square(transform, j);
    return phase.root(Direction::forward);
}

Complex chirp_z_output(const ChirpZ& transform, Integer k) {
    return half_square(transform, k).root(Direction::forward);
}

std::vector<Complex> chirp_z_kernel(const ChirpZ& transform, Integer n, Integer m, Integer size) {
    ensure(size >= n + m - 1, "a convolution of {} points for {} inputs and {} outputs", size, n, m);
    std::vector<Complex> kernel(at(size));
    for (Integer l = 0; l < std::max(n, m); ++l) {
        const Complex value = std::conj(chirp_z_output(transform, l));
        if (l < m) kernel[at(l)] = value;
        if (0 < l && l < n) kernel[at(size - l)] = value;
    }
    return kernel;
}

} // namespace swirl::formula
