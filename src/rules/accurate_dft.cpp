#include "rules/accurate_dft.hpp"

#include "base/interrupt_scope.hpp"
#include "formula/roots_of_unity.hpp"
#include "rules/number_theory.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace swirl::rules {

using formula::Complex;
using formula::root_of_unity;

namespace {

/// Primes up to this are transformed by definition.
constexpr Integer longest_direct = 64;

using Vector = std::vector<Complex>;

/// Skips the checks for infinities and NaN that make operator* several times slower.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::size_t index(Integer i) { return static_cast<std::size_t>(i); }

Vector dft_of_any_size(const Vector& x, Direction direction);

/// Computes a quarter or half of the roots; the others follow by reflection (angles that sum to π or 2π).
Vector all_roots(Integer n, Direction direction) {
    Vector roots(index(n));
    const Integer own = n % 2 == 0 ? n / 4 : n / 2;
    for (Integer k = 0; k <= own; ++k) roots[index(k)] = root_of_unity(n, k, direction);
    for (Integer k = own + 1; 2 * k <= n; ++k) roots[index(k)] = -std::conj(roots[index(n / 2 - k)]);
    for (Integer k = n / 2 + 1; k < n; ++k) roots[index(k)] = std::conj(roots[index(n - k)]);
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

/// Bluestein: convolution with a chirp in a power of two, for large primes.
Vector by_chirp(const Vector& x, Direction direction) {
    const auto n = static_cast<Integer>(x.size());
    const auto size = std::bit_ceil(2 * x.size() - 1);
    Vector chirp(x.size()), data(size), kernel(size);
    InterruptCounter counter;
    for (Integer j = 0; j < n; ++j) {
        chirp[index(j)] = root_of_unity(2 * n, multiply_modulo(j, j, 2 * n), direction);
        data[index(j)] = times(x[index(j)], chirp[index(j)]);
        kernel[index(j)] = std::conj(chirp[index(j)]);
        if (j > 0) kernel[size - index(j)] = kernel[index(j)];
        counter.after_element();
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

/// Decimation in time, one prime factor or 4 at a time. One table of roots serves its size and all smaller ones; roots
/// of larger sizes are products of two tabulated roots.
class MixedRadix {
public:
    /// `factors` are the prime factors of n, with multiplicity.
    MixedRadix(Integer n, Direction direction, const std::vector<Integer>& factors) : direction_(direction) {
        Integer size = n, of_roots = 0;
        for (std::size_t k = 0; k < factors.size(); ++k) {
            const bool is_four = factors[k] == 2 && k + 1 < factors.size() && factors[k + 1] == 2;
            const Integer p = is_four ? 4 : factors[k];
            k += is_four ? 1 : 0;
            if (of_roots == 0 && size <= most_roots) {
                of_roots = size;
                roots_ = all_roots(size, direction);
            }
            Level& level = levels_.emplace_back(Level{p, size / p, of_roots / size, {}, {}});
            if (of_roots == 0) level.long_roots.emplace(size, direction);
            if (loads_from_global(level)) level.roots = all_roots(p, direction);
            size /= p;
        }
    }

    void operator()(const Complex* x, Complex* y) const {
        Integer longest = 0;
        for (const Level& level : levels_) longest = std::max(longest, level.p);
        Vector column(index(longest)), sums(index(longest));
        transform(x, 1, y, 0, {column.data(), sums.data()});
    }

private:
    static constexpr Integer most_roots = 1 << 16;
    static constexpr Integer shortest_asked = 1 << 14; ///< columns of a level that may take milliseconds

    /// Splits vectors of p·m entries into p vectors of every p-th entry.
    struct Level {
        Integer p, m;
        Integer step; ///< in the table of roots, between consecutive roots of this vector's order
        Vector roots; ///< of order p, if the factor is done by definition
        std::optional<formula::RootsOfUnity> long_roots; ///< of a vector longer than the table
    };

    /// Scratch for one level's entries; the levels below do not use it at the same time.
    struct ScratchSpace {
        Complex* column;
        Complex* sums;
    };

    static bool loads_from_global(const Level& level) { return level.m > 1 || level.p <= longest_direct; }

    /// Transforms the entries x[0], x[stride], …
    void transform(const Complex* x, Integer stride, Complex* y, std::size_t depth,
                   const ScratchSpace& scratch) const {
        const Level& level = levels_[depth];
        const auto [p, m] = std::pair(level.p, level.m);
        if (!loads_from_global(level)) return of_large_prime(x, stride, p, y);
        if (m == 1) {
            for (Integer i = 0; i < p; ++i) scratch.column[i] = x[i * stride];
            return of_factor(level, scratch, y, 1);
        }
        for (Integer i = 0; i < p; ++i) transform(x + i * stride, p * stride, y + i * m, depth + 1, scratch);
        InterruptCounter counter; // of the columns: each has a few entries
        for (Integer j = 0; j < m; ++j) {
            scratch.column[0] = y[j];
            for (Integer i = 1; i < p; ++i)
                scratch.column[i] = times(y[i * m + j], level.long_roots ? (*level.long_roots)(i * j)
                                                                         : roots_[index(level.step * i * j)]);
            of_factor(level, scratch, y + j, m);
            if (m >= shortest_asked) counter.after_element();
        }
    }

    /// Transforms a column to y[0], y[stride], …. Entries i and p − i have conjugate roots: their sum times a real
    /// number and their difference times an imaginary number serve results k and p − k.
    static void of_factor(const Level& level, const ScratchSpace& scratch, Complex* y, Integer stride) {
        const Integer p = level.p;
        const auto [column, sums] = scratch;
        if (p == 2) {
            y[0] = column[0] + column[1];
            y[stride] = column[0] - column[1];
            return;
        }
        if (p == 4) {
            const Complex difference = column[1] - column[3];
            const long double sign = level.roots[1].imag();
            const Complex rotated(-sign * difference.imag(), sign * difference.real());
            const Complex first = column[0] + column[2], second = column[1] + column[3];
            const Complex other = column[0] - column[2];
            y[0] = first + second;
            y[stride] = other + rotated;
            y[2 * stride] = first - second;
            y[3 * stride] = other - rotated;
            return;
        }
        Complex all = column[0];
        for (Integer i = 1; 2 * i < p; ++i) {
            sums[i] = column[i] + column[p - i];
            sums[p - i] = column[i] - column[p - i];
            all += sums[i];
        }
        y[0] = all;
        for (Integer k = 1; 2 * k < p; ++k) {
            Complex even = column[0], odd = 0;
            Integer at = 0; // i·k modulo p
            for (Integer i = 1; 2 * i < p; ++i) {
                at = at + k < p ? at + k : at + k - p;
                even += level.roots[index(at)].real() * sums[i];
                odd += level.roots[index(at)].imag() * sums[p - i];
            }
            const Complex rotated(-odd.imag(), odd.real());
            y[k * stride] = even + rotated;
            y[(p - k) * stride] = even - rotated;
        }
    }

    void of_large_prime(const Complex* x, Integer stride, Integer p, Complex* y) const {
        Vector column(index(p));
        for (Integer j = 0; j < p; ++j) column[index(j)] = x[j * stride];
        column = by_chirp(column, direction_);
        std::copy(column.begin(), column.end(), y);
    }

    Direction direction_;
    Vector roots_;
    std::vector<Level> levels_;
};

void dft_of_any_size(const Vector& x, Complex* y, Direction direction) {
    const auto n = static_cast<Integer>(x.size());
    const std::vector<Integer> factors = prime_factors(n);
    // Bluestein's power of two comes back here; without splitting off primes first the recursion would not end.
    if (factors.size() > 1) return MixedRadix(n, direction, factors)(x.data(), y);
    const Vector all = n <= longest_direct ? by_definition(x, direction) : by_chirp(x, direction);
    std::copy(all.begin(), all.end(), y);
}

Vector dft_of_any_size(const Vector& x, Direction direction) {
    Vector y(x.size());
    dft_of_any_size(x, y.data(), direction);
    return y;
}

/// C_k = 2 Σ_j x_j·cos(π(2j + 1)k / 2n) for k < n, by one DFT of n points: Makhoul (1980). `sorted` holds
/// x_0, x_2, …, …, x_3, x_1.
void cosine_sums(Vector sorted, Complex* sums) {
    const auto n = static_cast<Integer>(sorted.size());
    dft_of_any_size(sorted, sums, Direction::forward);
    const formula::RootsOfUnity roots(4 * n, Direction::forward);
    for (Integer k = 0; 2 * k <= n; ++k) { // y_k and y_{n−k} give both C_k and C_{n−k}
        const Integer other = k == 0 ? 0 : n - k;
        const Complex y = sums[k], y_other = sums[other], root = roots(k), root_other = roots(other);
        sums[k] = times(root, y) + times(std::conj(root), y_other);
        if (other != k) sums[other] = times(root_other, y_other) + times(std::conj(root_other), y);
    }
}

/// Odd entries by cosine sums, even entries by recursion; in place, with scratch of half the size.
void even_dft(Complex* half, Integer n) {
    if (n % 4 != 0) {
        Vector all(index(n));
        for (Integer j = 0; j < n; ++j) all[index(j)] = half[std::min(j, n - j)];
        all = dft_of_any_size(all, Direction::forward);
        std::copy_n(all.begin(), n / 2 + 1, half);
        return;
    }
    const Integer quarter = n / 4;
    Vector sorted(index(quarter));
    for (Integer j = 0; j < quarter; ++j)
        sorted[index(j % 2 == 0 ? j / 2 : quarter - 1 - j / 2)] = half[2 * j + 1];
    for (Integer j = 0; j <= quarter; ++j) half[j] = half[2 * j];
    Complex* const odd = half + quarter + 1;
    cosine_sums(std::move(sorted), odd);
    even_dft(half, n / 2);
    for (Integer k = 0; 2 * k < quarter; ++k) { // odd sum k occupies the location of the other's difference
        const Integer other = quarter - 1 - k;
        const Complex even_k = half[k], odd_k = odd[k], even_other = half[other], odd_other = odd[other];
        half[k] = even_k + odd_k;
        half[n / 2 - k] = even_k - odd_k;
        half[other] = even_other + odd_other;
        half[n / 2 - other] = even_other - odd_other;
    }
}

} // namespace

std::vector<Complex> accurate_even_dft(std::vector<Complex> half, Integer n) {
    ensure(std::ssize(half) == n / 2 + 1, "half of an even sequence of {} has {} entries", n, half.size());
    even_dft(half.data(), n);
    return half;
}

std::vector<Complex> accurate_dft(std::vector<Complex> x, Direction direction) {
    return dft_of_any_size(x, direction);
}

} // namespace swirl::rules
