#include "rules/accurate_dft.hpp"

#include "rules/number_theory.hpp"

#include <algorithm>
#include <bit>

namespace swirl::rules {

using formula::Complex;
using formula::root_of_unity;

namespace {

/// Primes up to here are done by definition.
constexpr Integer longest_direct = 64;

using Vector = std::vector<Complex>;

/// Without the care for infinities and NaN that makes the operator's product several times slower.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::size_t index(Integer i) { return static_cast<std::size_t>(i); }

Vector dft_of_any_size(const Vector& x, Direction direction);

Vector all_roots(Integer n, Direction direction) {
    Vector roots(index(n));
    for (Integer k = 0; k < n; ++k) roots[index(k)] = root_of_unity(n, k, direction);
    return roots;
}

Vector by_definition(const Vector& x, Direction direction) {
    const auto n = static_cast<Integer>(x.size());
    const Vector roots = all_roots(n, direction);
    Vector y(x.size());
    for (Integer k = 0; k < n; ++k)
        for (Integer j = 0; j < n; ++j) y[index(k)] += times(roots[index(j * k % n)], x[index(j)]);
    return y;
}

/// Convolution with the chirp in a power of two, for large primes.
Vector by_chirp(const Vector& x, Direction direction) {
    const auto n = static_cast<Integer>(x.size());
    const auto size = std::bit_ceil(2 * x.size() - 1);
    Vector chirp(x.size()), data(size), kernel(size);
    for (Integer j = 0; j < n; ++j) {
        chirp[index(j)] = root_of_unity(2 * n, multiply_modulo(j, j, 2 * n), direction);
        data[index(j)] = times(x[index(j)], chirp[index(j)]);
        kernel[index(j)] = std::conj(chirp[index(j)]);
        if (j > 0) kernel[size - index(j)] = kernel[index(j)];
    }
    data = dft_of_any_size(data, Direction::forward);
    kernel = dft_of_any_size(kernel, Direction::forward);
    for (std::size_t k = 0; k < size; ++k)
        data[k] = times(data[k], kernel[k] / static_cast<long double>(size));
    data = dft_of_any_size(data, Direction::backward);
    Vector y(x.size());
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = times(data[k], chirp[k]);
    return y;
}

/// Decimation in time by the smallest prime factor; the roots of the whole size serve all sizes below it.
class MixedRadix {
public:
    MixedRadix(Integer n, Direction direction)
        : n_(n), direction_(direction), roots_(all_roots(n, direction)) {}

    /// `factors` are the primes of n, with multiplicity.
    Vector operator()(const Vector& x, const std::vector<Integer>& factors) const {
        Vector y(x.size()), column(index(factors.back()));
        transform(x.data(), 1, n_, y.data(), factors.data(), factors.data() + factors.size(), column);
        return y;
    }

private:
    /// Of the `size` entries x[0], x[stride], …; `column` has room for any factor.
    void transform(const Complex* x, Integer stride, Integer size, Complex* y, const Integer* factor,
                   const Integer* end, Vector& column) const {
        if (factor + 1 >= end) return of_prime(x, stride, size, y);
        const Integer p = *factor, m = size / p;
        for (Integer i = 0; i < p; ++i)
            transform(x + i * stride, p * stride, m, y + i * m, factor + 1, end, column);
        for (Integer j = 0; j < m; ++j) {
            for (Integer i = 0; i < p; ++i) column[index(i)] = times(y[i * m + j], root(size, i * j));
            if (p == 2) {
                y[j] = column[0] + column[1];
                y[m + j] = column[0] - column[1];
                continue;
            }
            for (Integer k = 0; k < p; ++k) {
                Complex sum = column[0];
                for (Integer i = 1; i < p; ++i) sum += times(column[index(i)], root(p, i * k % p));
                y[k * m + j] = sum;
            }
        }
    }

    void of_prime(const Complex* x, Integer stride, Integer p, Complex* y) const {
        if (p > longest_direct) {
            Vector part(index(p));
            for (Integer j = 0; j < p; ++j) part[index(j)] = x[j * stride];
            part = by_chirp(part, direction_);
            std::copy(part.begin(), part.end(), y);
            return;
        }
        for (Integer k = 0; k < p; ++k) {
            y[k] = 0;
            for (Integer j = 0; j < p; ++j) y[k] += times(root(p, j * k % p), x[j * stride]);
        }
    }

    const Complex& root(Integer order, Integer k) const { return roots_[index(n_ / order * k)]; }

    Integer n_;
    Direction direction_;
    Vector roots_;
};

Vector dft_of_any_size(const Vector& x, Direction direction) {
    const auto n = static_cast<Integer>(x.size());
    const std::vector<Integer> factors = prime_factors(n);
    // The chirp route splits its power of two here without end unless primes are taken out first.
    if (factors.size() <= 1)
        return n <= longest_direct ? by_definition(x, direction) : by_chirp(x, direction);
    return MixedRadix(n, direction)(x, factors);
}

} // namespace

std::vector<Complex> accurate_dft(std::vector<Complex> x, Direction direction) {
    return dft_of_any_size(x, direction);
}

} // namespace swirl::rules
