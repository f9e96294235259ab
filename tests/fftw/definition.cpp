#include "fftw/definition.hpp"

#include <swirl-fftw/fftw3.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace swirl::test {
namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

/// cos and sin of π·numerator/denominator, the numerator reduced first.
long double cosine(std::int64_t numerator, std::int64_t denominator) {
    return std::cos(pi * static_cast<long double>(numerator % (2 * denominator)) /
                    static_cast<long double>(denominator));
}
long double sine(std::int64_t numerator, std::int64_t denominator) {
    return std::sin(pi * static_cast<long double>(numerator % (2 * denominator)) /
                    static_cast<long double>(denominator));
}

long double r2r_entry(int kind, std::int64_t n, std::int64_t k, std::int64_t j) {
    const long double alternating = k % 2 == 0 ? 1 : -1;
    switch (kind) {
    case FFTW_R2HC: return k <= n / 2 ? cosine(2 * j * k, n) : -sine(2 * j * (n - k), n);
    case FFTW_HC2R:
        if (j == 0) return 1;
        if (2 * j == n) return alternating;
        return j < n - j ? 2 * cosine(2 * j * k, n) : -2 * sine(2 * (n - j) * k, n);
    case FFTW_DHT: return cosine(2 * j * k, n) + sine(2 * j * k, n);
    case FFTW_REDFT00:
        if (j == 0) return 1;
        if (j == n - 1) return alternating;
        return 2 * cosine(j * k, n - 1);
    case FFTW_REDFT10: return 2 * cosine((2 * j + 1) * k, 2 * n);
    case FFTW_REDFT01: return j == 0 ? 1 : 2 * cosine(j * (2 * k + 1), 2 * n);
    case FFTW_REDFT11: return 2 * cosine((2 * j + 1) * (2 * k + 1), 4 * n);
    case FFTW_RODFT00: return 2 * sine((j + 1) * (k + 1), n + 1);
    case FFTW_RODFT10: return 2 * sine((2 * j + 1) * (k + 1), 2 * n);
    case FFTW_RODFT01: return j == n - 1 ? alternating : 2 * sine((j + 1) * (2 * k + 1), 2 * n);
    case FFTW_RODFT11: return 2 * sine((2 * j + 1) * (2 * k + 1), 4 * n);
    default: throw std::logic_error("no such kind");
    }
}

} // namespace

Matrix dft_matrix(std::int64_t n, int sign) {
    Matrix matrix{n, n, {}};
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t j = 0; j < n; ++j)
            matrix.entries.push_back({cosine(2 * j * k, n), sign * sine(2 * j * k, n)});
    return matrix;
}

Matrix r2r_matrix(int kind, std::int64_t n) {
    Matrix matrix{n, n, {}};
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t j = 0; j < n; ++j) matrix.entries.emplace_back(r2r_entry(kind, n, k, j));
    return matrix;
}

Numbers multiplied(const Numbers& data, Lengths& lengths, std::size_t axis, const Matrix& matrix) {
    std::int64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= lengths[i];
    for (std::size_t i = axis + 1; i < lengths.size(); ++i) inner *= lengths[i];
    Numbers result(static_cast<std::size_t>(outer * matrix.rows * inner));
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t k = 0; k < matrix.rows; ++k)
            for (std::int64_t j = 0; j < matrix.columns; ++j) {
                const Number entry = matrix.entries[static_cast<std::size_t>(k * matrix.columns + j)];
                for (std::int64_t i = 0; i < inner; ++i)
                    result[static_cast<std::size_t>((o * matrix.rows + k) * inner + i)] +=
                        entry * data[static_cast<std::size_t>((o * matrix.columns + j) * inner + i)];
            }
    lengths[axis] = matrix.rows;
    return result;
}

Numbers half_of(const Numbers& data, Lengths& lengths, std::size_t axis) {
    const std::int64_t n = lengths[axis], rows = n / 2 + 1;
    Matrix selection{rows, n, Numbers(static_cast<std::size_t>(rows * n))};
    for (std::int64_t k = 0; k < rows; ++k) selection.entries[static_cast<std::size_t>(k * n + k)] = 1;
    return multiplied(data, lengths, axis, selection);
}

} // namespace swirl::test
