// Poisson's summation formula turns the sum over k into Σ_m ∫_{−n}^{n} e^{πi·(t−x)²/n − 2πi·mt} dt with x = jn/M: van der
// Corput (1921); Fiedler, Jurkat and Körner (1977). Two phases are stationary, at t = x and t = x − n; all else comes from
// the ends t = ±n. With y = j/M and s = (−1)ⁿ:
//
//   d_j = √n·e^{πi/4}·e^{−πi·x²/n}·(1 + s·e^{2πi·x}) − s·(cos 2πx − V(y)·sin 2πx)
//   V(y) = Σ_p (−i/(4πn))^p/p! · (d/dy)^{2p} cot πy
//
// The expansion V is asymptotic in n·y². Near y = 0 the second stationary point meets an end, and the pole of the cotangent
// stands for a Fresnel integral instead: Σ_p … (d/dy)^{2p} 1/(πy) becomes −2i·√n·Φ(√n·y), Φ(u) = e^{−πi·u²}·∫_u^∞ e^{πi·s²} ds.

#include "formula/chirp_spectrum.hpp"

#include "base/error.hpp"
#include "formula/unit_circle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace swirl::formula {

namespace {

using Real = long double;

constexpr Real pi = std::numbers::pi_v<Real>;
constexpr double negligible = 0x1p-66; ///< error of an entry, relative to √n

} // namespace

namespace chirp_spectrum {

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

} // namespace chirp_spectrum

namespace {

using chirp_spectrum::FresnelTail;

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
          amplitude_(unit * root_),
          first_by_cotangent_(static_cast<Integer>(FresnelTail::largest / root_ * static_cast<Real>(size))),
          x_(Turns::fraction(wide(n), wide(size))),
          phase_(Turns::fraction(wide(n), 2 * wide(size) * wide(size))) {
        for (int k = 1; k <= regular_terms; ++k) regular_[k - 1] = -2 / pi * zeta(2 * k);
        make_terms();
        if (size == 2 * n - 2) {
            const auto square = static_cast<Integer>(wide(n - 1) * wide(n - 1) % wide(2 * n));
            counted_twice_ = root_of_unity(2 * n, square, Direction::backward);
        }
    }

    Complex operator()(Integer j) const {
        const Turns x = x_ * wide(j);
        const Turns phase = eighth - phase_ * (wide(j) * wide(j));
        const UnitCircle::Point first = circle_(phase), second = circle_(phase + x), turn = circle_(x);
        const Real sign = n_ % 2 == 0 ? 1 : -1;
        const Real cosine = unit * static_cast<Real>(turn.re),
                   sine = sign * unit * static_cast<Real>(turn.im);
        const std::array<Real, 2> v = expansion(j);
        const Real re = amplitude_ * (static_cast<Real>(first.re) + sign * static_cast<Real>(second.re)) -
                        sign * cosine + v[0] * sine;
        const Real im =
            amplitude_ * (static_cast<Real>(first.im) + sign * static_cast<Real>(second.im)) + v[1] * sine;
        const Complex d(re, im);
        return j % 2 == 0 ? d - counted_twice_ : d + counted_twice_; // e^{−2πi·j(n−1)/M} is (−1)^j then
    }

private:
    static constexpr Real unit = Real(1) / UnitCircle::one;
    static constexpr Turns eighth = Turns::fraction(1, 8);
    static Turns::Digits wide(Integer i) { return static_cast<Turns::Digits>(i); }

    /// V(y).
    std::array<Real, 2> expansion(Integer j) const {
        return j < first_by_cotangent_ ? near_zero(static_cast<Real>(j) / static_cast<Real>(size_))
                                       : by_cotangent(j);
    }

    /// All orders but the first together are below √n/10⁴: double precision suffices.
    std::array<Real, 2> by_cotangent(Integer j) const {
        const Real c = cotangents_(j);
        std::array<double, 2> small{}; // real and imaginary
        for (std::size_t p = 1; p < orders && c > largest_negligible_[p]; ++p)
            small[p % 2] += term(p, static_cast<double>(c));
        return {c + static_cast<Real>(small[0]), static_cast<Real>(small[1])};
    }

    /// Of V, at cot πy = c, without the factor i^{p mod 2}.
    double term(std::size_t p, double c) const {
        const std::array<double, orders>& coefficients = terms_[p];
        const double square = c * c;
        double sum = coefficients[p];
        for (std::size_t k = p; k-- > 0;) sum = sum * square + coefficients[k];
        return sum * c;
    }

    void make_terms() {
        const std::array<Polynomial, orders> derivatives = derivatives_of_cotangent();
        Real factor = 1;
        for (std::size_t p = 1; p < orders; ++p) {
            factor *= pi / (4 * static_cast<Real>(n_) * static_cast<Real>(p));
            const Real power = (p + 1) / 2 % 2 == 0 ? 1 : -1; // (−i)^p = power · i^{p mod 2}
            for (std::size_t k = 0; k <= p; ++k)
                terms_[p][k] = static_cast<double>(power * factor * derivatives[p][k]);
            double& c = largest_negligible_[p];
            constexpr double finely = 0.9;
            for (c = static_cast<double>(root_);
                 std::abs(term(p, c)) > negligible * static_cast<double>(root_);)
                c *= finely;
        }
    }

    std::array<Real, 2> near_zero(Real y) const {
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
        return {sum.real(), sum.imag()};
    }

    Integer n_, size_;
    Real root_, amplitude_;      ///< √n, and in units of the circle's points
    Integer first_by_cotangent_; ///< j where √n·y reaches the end of Φ's tables
    Turns x_, phase_;            ///< n/M and n/2M²: the turns of x at j = 1 and of half of x²/n
    UnitCircle circle_;
    chirp_spectrum::Cotangents cotangents_{size_};
    std::array<std::array<double, orders>, orders> terms_; ///< of V by order, coefficients of c^{2k+1}
    std::array<double, orders> largest_negligible_;        ///< of each order, a cotangent
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

Complex ChirpSpectrum::of_function(Integer j, Direction direction) const {
    const Complex value = (*this)(std::min(j, size_ - j));
    const long double scale = 1 / static_cast<long double>(size_);
    return {value.real() * scale, value.imag() * (direction == Direction::forward ? scale : -scale)};
}

namespace {

/// Coefficients by rising powers of the polynomial that interpolates f on [−1, 1], without terms that stay below the
/// error.
std::vector<double> interpolated(const std::function<Real(Real)>& f, double error) {
    constexpr int nodes = 64;
    std::array<Real, nodes> values{}, chebyshev{};
    const auto angle = [](int k) { return pi * (static_cast<Real>(k) + Real(0.5)) / nodes; };
    for (int k = 0; k < nodes; ++k) values[static_cast<std::size_t>(k)] = f(std::cos(angle(k)));
    for (int m = 0; m < nodes; ++m)
        for (int k = 0; k < nodes; ++k)
            chebyshev[static_cast<std::size_t>(m)] += (m == 0 ? Real(1) : Real(2)) / nodes *
                                                      values[static_cast<std::size_t>(k)] *
                                                      std::cos(static_cast<Real>(m) * angle(k));
    std::size_t count = nodes;
    Real left_out = 0;
    while (count > 0 && (left_out += std::abs(chebyshev[count - 1])) < static_cast<Real>(error)) --count;
    std::vector<Real> before(nodes), current(nodes), sum(count); // T_{m−1}, T_m
    current[0] = 1;
    for (std::size_t m = 0; m < count; ++m) {
        std::vector<Real> next(nodes);
        for (std::size_t k = 0; k < count; ++k) {
            sum[k] += chebyshev[m] * current[k];
            if (k + 1 < nodes) next[k + 1] += (m == 0 ? 1 : 2) * current[k];
            if (m > 0) next[k] -= before[k];
        }
        before = std::exchange(current, std::move(next));
    }
    return {sum.begin(), sum.end()};
}

/// Φ(u) for u above the range of FresnelTail: i/(2πu)·Σ_k (2k − 1)!!/(2πi·u²)^k.
Complex far_tail(Real u) {
    const Complex step = Complex(0, -1 / (2 * pi * u * u));
    Complex term(0, 1 / (2 * pi * u)), sum = term;
    for (int k = 1; k < 20; ++k) {
        term *= step * static_cast<Real>(2 * k - 1);
        sum += term;
    }
    return sum;
}

} // namespace

EndsOfChirp ends_of_chirp(Integer n, Integer size, double error) {
    const Real root = std::sqrt(static_cast<Real>(n)), m = static_cast<Real>(size);
    constexpr Real pole = 2; // of u: takes the fewest coefficients
    const FresnelTail near;
    const auto tail = [&](Real t) { // −2i·Φ(u)
        if (t >= 1) return Complex(0);
        const Real u = pole * (1 + t) / (1 - t);
        return Complex(0, -2) * (u <= FresnelTail::largest ? near(u) : far_tail(u));
    };
    constexpr int terms = 40, derivatives = 4;
    std::array<Real, terms> of_cotangent{};
    for (int k = 1; k <= terms; ++k) of_cotangent[static_cast<std::size_t>(k - 1)] = -2 / pi * zeta(2 * k);
    // What the pole leaves of V, divided by y, as in Tables::near_zero; v = 2(2y)² − 1.
    const auto regular = [&](Real v) {
        const Real square = (v + 1) / 8;
        Complex sum = 0, factor = 1;
        const Complex scale(0, -1 / (4 * pi * static_cast<Real>(n)));
        for (int p = 0; p < derivatives; ++p) {
            if (p > 0) factor *= scale / static_cast<Real>(p);
            Real value = 0;
            for (int k = terms; k > p; --k) {
                Real coefficient = of_cotangent[static_cast<std::size_t>(k - 1)];
                for (int power = 2 * k - 1; power > 2 * k - 1 - 2 * p; --power)
                    coefficient *= static_cast<Real>(power);
                value = value * square + coefficient;
            }
            sum += factor * value;
        }
        return sum;
    };
    EndsOfChirp ends;
    ends.pole = static_cast<double>(pole * m / root);
    ends.square = static_cast<double>(8 / (m * m));
    const Real amplitude = root / m;
    const auto scaled = [](std::vector<double> coefficients, Real scale) {
        for (double& c : coefficients) c = static_cast<double>(static_cast<Real>(c) * scale);
        return coefficients;
    };
    ends.re = scaled(interpolated([&](Real t) { return tail(t).real(); }, error), amplitude);
    ends.im = scaled(interpolated([&](Real t) { return tail(t).imag(); }, error), amplitude);
    const double error_of_regular = error * static_cast<double>(root);
    ends.regular_re =
        scaled(interpolated([&](Real v) { return regular(v).real(); }, error_of_regular), 1 / (m * m));
    ends.regular_im =
        scaled(interpolated([&](Real v) { return regular(v).imag(); }, error_of_regular), 1 / (m * m));
    return ends;
}

} // namespace swirl::formula
