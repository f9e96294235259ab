// Poisson's summation formula turns the sum over k into Σ_m ∫_{−n}^{n} e^{πi·(t−x)²/n − 2πi·mt} dt with x = jn/M: van der
// Corput (1921); Fiedler, Jurkat and Körner (1977). Two phases are stationary, at t = x and t = x − n; all else comes from
// the ends t = ±n. With y = j/M and s = (−1)ⁿ:
//
//   d_j = √n·e^{πi/4}·e^{−πi·x²/n}·(1 + s·e^{2πi·x}) − s·(cos 2πx − V(y)·sin 2πx)
//   V(y) = Σ_p (−i/(4πn))^p/p! · (d/dy)^{2p} cot πy
//
// The expansion V is asymptotic in n·y². Near y = 0 the second stationary point meets an end, and the pole of the cotangent
// stands for a Fresnel integral instead: Σ_p … (d/dy)^{2p} 1/(πy) becomes −2i·√n·Φ(√n·y), Φ(u) = e^{−πi·u²}·∫_u^∞ e^{πi·s²} ds.

#include "rules/chirp_spectrum.hpp"

#include "base/error.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

namespace swirl::rules {

using formula::Complex;
using formula::root_of_unity;

namespace {

__extension__ using Wide = __int128;
using Real = long double;

constexpr Real pi = std::numbers::pi_v<Real>;
constexpr Real negligible = 0x1p-66L; ///< error of an entry, relative to √n

/// Skips the checks for infinities and NaN that make operator* several times slower.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

struct Division {
    Integer quotient, rest;
};
/// Most operands have 64 bits, whose division is several times faster.
Division divided(Wide a, Integer b) {
    if (a <= std::numeric_limits<Integer>::max()) {
        const auto low = static_cast<std::uint64_t>(a), by = static_cast<std::uint64_t>(b);
        return {static_cast<Integer>(low / by), static_cast<Integer>(low % by)};
    }
    return {static_cast<Integer>(a / b), static_cast<Integer>(a % b)};
}

/// The roots of unity of one order, each the product of two tabulated ones.
class Roots {
public:
    explicit Roots(Integer order) : bits_(std::bit_width(static_cast<std::uint64_t>(order)) / 2) {
        const Integer step = Integer{1} << bits_;
        for (Integer k = 0; k < step; ++k) fine_.push_back(root_of_unity(order, k, Direction::backward));
        for (Integer k = 0; k < order; k += step)
            coarse_.push_back(root_of_unity(order, k, Direction::backward));
    }
    Complex operator()(Integer k) const {
        return times(coarse_[static_cast<std::size_t>(k >> bits_)],
                     fine_[static_cast<std::size_t>(k & ((Integer{1} << bits_) - 1))]);
    }

private:
    int bits_;
    std::vector<Complex> fine_, coarse_;
};

/// cot(π·k/m), 0 < k ≤ m/2, from two tabulated tangents.
class Cotangents {
public:
    explicit Cotangents(Integer m) : bits_(std::bit_width(static_cast<std::uint64_t>(m)) / 2) {
        const Integer step = Integer{1} << bits_;
        const auto tangent = [&](Integer k) {
            const Complex root = root_of_unity(2 * m, k, Direction::backward);
            return root.imag() / root.real();
        };
        for (Integer k = 0; k < step; ++k) fine_.push_back(tangent(k));
        for (Integer k = 0; 2 * k < m; k += step) coarse_.push_back(tangent(k));
    }
    Real operator()(Integer k) const {
        const auto high = static_cast<std::size_t>(k >> bits_);
        if (high == coarse_.size()) return 0; // π/2
        const Real a = coarse_[high], b = fine_[static_cast<std::size_t>(k & ((Integer{1} << bits_) - 1))];
        return (1 - a * b) / (a + b);
    }

private:
    int bits_;
    std::vector<Real> fine_, coarse_;
};

/// Φ(u) for 0 ≤ u ≤ largest, by Taylor series about equidistant nodes: Φ′ = −2πi·u·Φ − 1.
class FresnelTail {
public:
    static constexpr Real largest = 12;

    FresnelTail() : nodes_(nodes) {
        // Φ(0) = e^{πi/4}/2. Solutions of the homogeneous equation have constant magnitude, so errors do not grow.
        nodes_[0] = std::sqrt(Real(0.125)) * Complex(1, 1);
        for (std::size_t k = 1; k < nodes; ++k) nodes_[k] = from(k - 1, distance);
    }
    Complex operator()(Real u) const {
        const auto nearest = static_cast<std::size_t>(u / distance + Real(0.5));
        return from(nearest, u - static_cast<Real>(nearest) * distance);
    }

private:
    static constexpr Real distance = 0x1p-6L;
    static constexpr std::size_t nodes = static_cast<std::size_t>(largest / distance) + 2;

    Complex from(std::size_t node, Real step) const {
        const Real u = static_cast<Real>(node) * distance;
        Complex before = 0, term = nodes_[node], sum = term; // the terms of orders k − 1 and k
        for (int k = 0; k < 60; ++k) {
            Complex next = Complex(0, -2 * pi) * (u * term + step * before);
            if (k == 0) next -= 1;
            next *= step / static_cast<Real>(k + 1);
            sum += next;
            before = term;
            term = next;
            if (std::abs(term) < negligible / 16 && std::abs(before) < negligible / 16) break;
        }
        return sum;
    }

    std::vector<Complex> nodes_;
};

constexpr std::size_t orders = 12; ///< terms of V, p = 0, 1, …

/// (d/dy)^{2p} cot πy = π^{2p} · c·(Σ_k coefficients[k]·c^{2k}), with c = cot πy, because c′ = −π·(1 + c²).
using Polynomial = std::array<Real, orders + 1>;

std::array<Polynomial, orders> derivatives_of_cotangent() {
    std::array<Polynomial, orders> result{};
    result[0][0] = 1;
    for (std::size_t p = 1; p < orders; ++p)
        for (std::size_t k = 0; k < p; ++k) { // (1 + c²)·((1 + c²)·(c^{d})′)′ of one power d = 2k + 1
            const auto d = static_cast<Real>(2 * k + 1);
            const Real a = result[p - 1][k];
            if (k > 0) result[p][k - 1] += a * d * (d - 1);
            result[p][k] += a * 2 * d * d;
            result[p][k + 1] += a * d * (d + 1);
        }
    return result;
}

/// Coefficients of y^{2k−1}, k ≥ 1, in cot πy − 1/(πy): −(2/π)·ζ(2k).
constexpr int regular_terms = 16;

Real zeta(int s) {
    Real sum = 0;
    constexpr int direct = 40; // Euler–Maclaurin for the rest
    for (int k = direct - 1; k > 0; --k) sum += std::pow(static_cast<Real>(k), static_cast<Real>(-s));
    const Real n = direct, power = std::pow(n, static_cast<Real>(-s)), t = s;
    sum += power * n / (t - 1) + power / 2 + power * t / (12 * n);
    sum -= power * t * (t + 1) * (t + 2) / (720 * n * n * n);
    sum += power * t * (t + 1) * (t + 2) * (t + 3) * (t + 4) / (30240 * std::pow(n, Real(5)));
    return sum - power * t * (t + 1) * (t + 2) * (t + 3) * (t + 4) * (t + 5) * (t + 6) /
                     (1209600 * std::pow(n, Real(7)));
}

} // namespace

class ChirpSpectrum::Tables {
public:
    Tables(Integer n, Integer size)
        : n_(n),
          size_(size),
          root_(std::sqrt(static_cast<Real>(n))),
          amplitude_(std::sqrt(static_cast<Real>(n) / 2)),
          roots_(2 * size) {
        for (int k = 1; k <= regular_terms; ++k) regular_[k - 1] = -2 / pi * zeta(2 * k);
        Real factor = 1;
        for (std::size_t p = 1; p < orders; ++p) {
            factor *= pi / (4 * static_cast<Real>(n) * static_cast<Real>(p));
            const Real power = (p + 1) / 2 % 2 == 0 ? 1 : -1; // (−i)^p = power · i^{p mod 2}
            for (Real& coefficient : terms_[p]) coefficient *= power * factor;
        }
        if (size == 2 * n - 2) {
            const Integer square = divided(static_cast<Wide>(n - 1) * (n - 1), 2 * n).rest;
            counted_twice_ = root_of_unity(2 * n, square, Direction::backward);
        }
    }

    Complex operator()(Integer j) const {
        const Real sign = n_ % 2 == 0 ? 1 : -1;
        const Division x = divided(static_cast<Wide>(j) * n_, size_); // rest/M is x, but for whole turns
        const Complex turn = roots_(2 * x.rest);
        const Complex both(amplitude_ * (1 + sign * turn.real()), amplitude_ * sign * turn.imag());
        const Complex stationary =
            times(Complex(both.real() - both.imag(), both.real() + both.imag()), stationary_phase(j, x));
        const Complex v = expansion(j);
        const Complex d(stationary.real() - sign * (turn.real() - v.real() * turn.imag()),
                        stationary.imag() + sign * v.imag() * turn.imag());
        return j % 2 == 0 ? d - counted_twice_ : d + counted_twice_; // e^{−2πi·j(n−1)/M} is (−1)^j then
    }

private:
    /// e^{−πi·j²·n/M²}, with j·n = x.quotient·M + x.rest. The angle is a multiple of π/M and a rest below it.
    Complex stationary_phase(Integer j, const Division& x) const {
        const Division low = divided(static_cast<Wide>(j) * x.rest, size_);
        const Integer turns = divided(static_cast<Wide>(j) * x.quotient + low.quotient, 2 * size_).rest;
        const Real rest = static_cast<Real>(low.rest) * smallest_angle_;
        const Complex near(1 - rest * rest / 2 * (1 - rest * rest / 12), -rest * (1 - rest * rest / 6));
        return times(std::conj(roots_(turns)), near);
    }

    /// V(y).
    Complex expansion(Integer j) const {
        const Real y = static_cast<Real>(j) / static_cast<Real>(size_);
        return y * root_ < FresnelTail::largest ? near_zero(y) : by_cotangent(j);
    }

    Complex by_cotangent(Integer j) const {
        const Real c = cotangents_(j), square = c * c;
        std::array<Real, 2> sum{c, 0}; // real and imaginary
        for (std::size_t p = 1; p < orders; ++p) {
            const Polynomial& derivative = terms_[p];
            Real term = derivative[p];
            for (std::size_t k = p; k-- > 0;) term = term * square + derivative[k];
            term *= c;
            sum[p % 2] += term;
            if (std::abs(term) < negligible_) break;
        }
        return {sum[0], sum[1]};
    }

    Complex near_zero(Real y) const {
        Complex sum = Complex(0, -2 * root_) * fresnel_(root_ * y);
        const Complex scale(0, -1 / (4 * pi * static_cast<Real>(n_)));
        Complex factor = 1;
        for (int p = 0; 2 * p < regular_terms; ++p) {
            if (p > 0) factor *= scale / static_cast<Real>(p);
            Real value = 0;
            for (int k = regular_terms; k > p; --k) { // the derivative of y^{2k−1} of order 2p
                Real coefficient = regular_[k - 1];
                for (int power = 2 * k - 1; power > 2 * k - 1 - 2 * p; --power)
                    coefficient *= static_cast<Real>(power);
                value = value * y * y + coefficient;
            }
            sum += factor * value * y;
        }
        return sum;
    }

    Integer n_, size_;
    Real root_, amplitude_; ///< √n, √(n/2)
    Real smallest_angle_ = pi / static_cast<Real>(size_) / static_cast<Real>(size_);
    Roots roots_; ///< e^{πi·k/M}
    Cotangents cotangents_{size_};
    Real negligible_ = negligible * root_;
    std::array<Polynomial, orders> terms_ =
        derivatives_of_cotangent(); ///< of V, without the factor i^{p mod 2}
    std::array<Real, regular_terms> regular_;
    FresnelTail fresnel_;
    Complex counted_twice_ = 0; ///< the chirp at k = n − 1, if that entry is also k = 1 − n
};

ChirpSpectrum::ChirpSpectrum(Integer n, Integer size) : n_(n), size_(size) {
    ensure(n >= shortest && size >= 2 * n - 2, "the spectrum of a chirp of {} points in {}", n, size);
}

const ChirpSpectrum::Tables& ChirpSpectrum::tables() const {
    std::call_once(once_, [this] { tables_ = std::make_shared<const Tables>(n_, size_); });
    return *tables_;
}

Complex ChirpSpectrum::operator()(Integer j) const { return tables()(j); }

} // namespace swirl::rules
