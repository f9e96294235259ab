#include "cli/reference_dft.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace swirl::cli {
namespace {

/// For larger prime factors a convolution costs less than the definition.
constexpr Integer largest_direct_prime = 61;

Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// e^{2πi·k/n}, 0 ≤ k < n, from an angle of at most π/4, where sine and cosine are accurate to about the last bit.
Complex root(Integer k, Integer n) {
    const Integer octant = 8 * k / n;
    // The angle from the nearest multiple of π/2 is 2π·(4k − m·n)/(4n).
    const Integer quarter = (octant + 1) / 2;
    const auto numerator = static_cast<long double>(4 * k - quarter * n);
    const long double angle = std::numbers::pi_v<long double> * numerator / (2 * static_cast<long double>(n));
    const long double c = std::cos(angle), s = std::sin(angle);
    switch (quarter % 4) {
    case 0: return {c, s};
    case 1: return {-s, c};
    case 2: return {-c, -s};
    default: return {s, -c};
    }
}

std::vector<Complex> roots_of_unity(Integer n, Direction direction) {
    std::vector<Complex> roots(static_cast<std::size_t>(n));
    for (Integer k = 0; k < n; ++k) {
        const Complex value = root(k, n);
        roots[static_cast<std::size_t>(k)] = direction == Direction::forward ? std::conj(value) : value;
    }
    return roots;
}

std::vector<Integer> prime_factors(Integer n) {
    std::vector<Integer> factors;
    for (Integer p = 2; p * p <= n; ++p)
        for (; n % p == 0; n /= p) factors.push_back(p);
    if (n > 1) factors.push_back(n);
    return factors;
}

} // namespace

/// Bluestein's algorithm for a prime p: with c_j = ω_{2p}^{j²}, y_k = c_k · Σ_j (x_j c_j) · conj(c_{k−j}).
struct ReferenceDft::Chirp {
    Integer prime;
    Integer length; ///< of the convolution, a power of two ≥ 2p − 1
    std::vector<Complex> chirp;
    std::vector<Complex> kernel; ///< the transform of conj(c), scaled by 1/length
    ReferenceDft forward, backward;

    Chirp(Integer p, Direction direction)
        : prime(p),
          length(power_of_two_from(2 * p - 1)),
          forward(length, Direction::forward),
          backward(length, Direction::backward) {
        const std::vector<Complex> roots = roots_of_unity(2 * p, direction);
        std::vector<Complex> padded(static_cast<std::size_t>(length));
        for (Integer j = 0; j < p; ++j) {
            chirp.push_back(roots[static_cast<std::size_t>(j * j % (2 * p))]);
            const Complex value = std::conj(chirp.back()) / static_cast<long double>(length);
            padded[static_cast<std::size_t>(j)] = value;
            padded[static_cast<std::size_t>((length - j) % length)] = value;
        }
        kernel.resize(padded.size());
        forward.apply(padded.data(), kernel.data());
    }

    static Integer power_of_two_from(Integer least) {
        Integer power = 1;
        while (power < least) power *= 2;
        return power;
    }

    void apply(const Complex* in, Integer stride, Complex* out) const {
        std::vector<Complex> data(static_cast<std::size_t>(length)), spectrum(data.size());
        for (Integer j = 0; j < prime; ++j)
            data[static_cast<std::size_t>(j)] = times(in[j * stride], chirp[static_cast<std::size_t>(j)]);
        forward.apply(data.data(), spectrum.data());
        for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] = times(spectrum[k], kernel[k]);
        backward.apply(spectrum.data(), data.data());
        for (Integer k = 0; k < prime; ++k)
            out[k] = times(data[static_cast<std::size_t>(k)], chirp[static_cast<std::size_t>(k)]);
    }
};

ReferenceDft::ReferenceDft(Integer n, Direction direction)
    : n_(n), factors_(prime_factors(n)), roots_(roots_of_unity(n, direction)) {
    for (const Integer prime : factors_)
        if (prime > largest_direct_prime && !chirps_.contains(prime))
            chirps_.emplace(prime, std::make_unique<Chirp>(prime, direction));
}

ReferenceDft::~ReferenceDft() = default;
ReferenceDft::ReferenceDft(ReferenceDft&&) noexcept = default;

void ReferenceDft::apply(const Complex* in, Complex* out) const { transform(in, 1, out, n_, 0); }

void ReferenceDft::transform(const Complex* in, Integer stride, Complex* out, Integer length,
                             std::size_t level) const {
    if (length == 1) {
        *out = *in;
        return;
    }
    const Integer radix = factors_[level];
    if (length == radix && radix > largest_direct_prime) {
        chirps_.at(radix)->apply(in, stride, out);
        return;
    }
    const Integer m = length / radix;
    for (Integer r = 0; r < radix; ++r) transform(in + r * stride, stride * radix, out + r * m, m, level + 1);
    combine(out, radix, length);
}

/// Decimation in time: out[k + q·m] = Σ_r ω_length^{r·k} · ω_radix^{r·q} · out[r·m + k].
void ReferenceDft::combine(Complex* out, Integer radix, Integer length) const {
    if (radix == 2)
        combine_pairs(out, length);
    else if (radix > largest_direct_prime)
        combine_by_chirp(out, radix, length);
    else
        combine_by_definition(out, radix, length);
}

void ReferenceDft::combine_pairs(Complex* out, Integer length) const {
    const Integer m = length / 2, root_stride = n_ / length; // ω_length = ω_n^root_stride
    for (Integer k = 0; k < m; ++k) {
        const Complex a = out[k], b = times(out[m + k], roots_[static_cast<std::size_t>(k * root_stride)]);
        out[k] = a + b;
        out[m + k] = a - b;
    }
}

void ReferenceDft::combine_by_chirp(Complex* out, Integer radix, Integer length) const {
    const Chirp& chirp = *chirps_.at(radix);
    const Integer m = length / radix, root_stride = n_ / length;
    std::vector<Complex> terms(static_cast<std::size_t>(radix)), sums(terms.size());
    for (Integer k = 0; k < m; ++k) {
        for (Integer r = 0; r < radix; ++r)
            terms[static_cast<std::size_t>(r)] =
                times(out[r * m + k], roots_[static_cast<std::size_t>(r * k * root_stride)]);
        chirp.apply(terms.data(), 1, sums.data());
        for (Integer q = 0; q < radix; ++q) out[k + q * m] = sums[static_cast<std::size_t>(q)];
    }
}

void ReferenceDft::combine_by_definition(Complex* out, Integer radix, Integer length) const {
    const Integer m = length / radix, root_stride = n_ / length;
    std::array<Complex, largest_direct_prime> terms;
    for (Integer k = 0; k < m; ++k) {
        for (Integer r = 0; r < radix; ++r)
            terms[static_cast<std::size_t>(r)] =
                times(out[r * m + k], roots_[static_cast<std::size_t>(r * k * root_stride)]);
        for (Integer q = 0; q < radix; ++q) {
            Complex sum = terms[0];
            for (Integer r = 1; r < radix; ++r)
                sum += times(terms[static_cast<std::size_t>(r)],
                             roots_[static_cast<std::size_t>(r * q % radix * (n_ / radix))]);
            out[k + q * m] = sum;
        }
    }
}

} // namespace swirl::cli
