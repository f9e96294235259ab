#pragma once

#include "formula/formula.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

/// The transforms by their definitions, with sines and cosines of the C library: independent of formula/.
namespace swirl::reference {

using formula::Complex;
using formula::Formula;

/// cos and sin of 2π·k/n for every k below n; a definition asks for each of them many times.
inline const std::vector<Complex>& roots(Integer n) {
    static std::map<Integer, std::vector<Complex>> known;
    std::vector<Complex>& values = known[n];
    if (values.empty())
        for (Integer k = 0; k < n; ++k) {
            const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                      static_cast<long double>(n);
            values.emplace_back(std::cos(angle), std::sin(angle));
        }
    return values;
}

/// cos and sin of 2π·k/n, k reduced first.
inline Complex root(Integer k, Integer n) { return roots(n)[static_cast<std::size_t>(modulo(k, n))]; }

inline Complex real_dft_entry(Direction direction, Integer n, Integer row, Integer column) {
    const Integer frequency = direction == Direction::forward ? row : column;
    const Integer j = direction == Direction::forward ? column : row;
    const bool imaginary = 2 * frequency > n;
    const Complex w = root(j * (imaginary ? n - frequency : frequency), n);
    const bool once = direction == Direction::forward || frequency == 0 || 2 * frequency == n;
    return (once ? 1.0L : 2.0L) * (imaginary ? -w.imag() : w.real());
}

inline Complex cosine_entry(int type, Integer n, Integer row, Integer column) {
    if (type == 1) return (column == 0 || column == n - 1 ? 1 : 2) * root(column * row, 2 * (n - 1)).real();
    if (type == 2) return 2 * root((2 * column + 1) * row, 4 * n).real();
    if (type == 3) return (column == 0 ? 1 : 2) * root(column * (2 * row + 1), 4 * n).real();
    if (type == 4) return 2 * root((2 * column + 1) * (2 * row + 1), 8 * n).real();
    const Integer m = 2 * n - 1;
    if (type == 5) return (column == 0 ? 1 : 2) * root(column * row, m).real();
    if (type == 6) return (column == n - 1 ? 1 : 2) * root((2 * column + 1) * row, 2 * m).real();
    if (type == 7) return (column == 0 ? 1 : 2) * root(column * (2 * row + 1), 2 * m).real();
    return 2 * root((2 * column + 1) * (2 * row + 1), 4 * (2 * n + 1)).real();
}

inline Complex sine_entry(int type, Integer n, Integer row, Integer column) {
    if (type == 1) return 2 * root((column + 1) * (row + 1), 2 * (n + 1)).imag();
    if (type == 2) return 2 * root((2 * column + 1) * (row + 1), 4 * n).imag();
    if (type == 3) return (column == n - 1 ? 1 : 2) * root((column + 1) * (2 * row + 1), 4 * n).imag();
    if (type == 4) return 2 * root((2 * column + 1) * (2 * row + 1), 8 * n).imag();
    const Integer m = 2 * n + 1;
    if (type == 5) return 2 * root((column + 1) * (row + 1), m).imag();
    if (type == 6) return 2 * root((2 * column + 1) * (row + 1), 2 * m).imag();
    if (type == 7) return 2 * root((column + 1) * (2 * row + 1), 2 * m).imag();
    return (column == n - 1 ? 1 : 2) * root((2 * column + 1) * (2 * row + 1), 4 * (2 * n - 1)).imag();
}

/// Entry (k, 0) for every k of the circulant whose kernel is the argument: its transform's inverse, summed up.
inline const std::vector<Complex>& circulant_column(Integer n, bool of_reals) {
    static std::map<std::pair<Integer, bool>, std::vector<Complex>> known;
    std::vector<Complex>& column = known[{n, of_reals}];
    if (!column.empty()) return column;
    std::vector<Complex> spectrum;
    for (Integer k = 0; k < n; ++k)
        spectrum.push_back(formula::diagonal_value(formula::ArgumentFunction{}, k));
    if (of_reals)
        for (Integer k = 0; k < n; ++k) {
            const Complex value = spectrum[static_cast<std::size_t>(std::min(k, n - k) % n)];
            if (k == 0 || 2 * k == n)
                spectrum[static_cast<std::size_t>(k)] = value.real();
            else if (2 * k > n)
                spectrum[static_cast<std::size_t>(k)] = std::conj(value);
        }
    for (Integer row = 0; row < n; ++row) {
        Complex sum = 0;
        for (Integer k = 0; k < n; ++k) sum += root(row * k, n) * spectrum[static_cast<std::size_t>(k)];
        column.push_back(sum / static_cast<long double>(n));
    }
    return column;
}

/// Entry (row, column) of a transform, or of a Kronecker product of transforms.
inline Complex entry(const Formula& f, Integer row, Integer column) {
    const Integer n = f.rows();
    if (f.is<formula::Kronecker>()) {
        Complex value = 1;
        Integer rest = n;
        for (const Formula& factor : f.children()) {
            rest /= factor.rows();
            value *= entry(factor, row / rest % factor.rows(), column / rest % factor.rows());
        }
        return value;
    }
    if (const auto* p = f.get_if<formula::Dft>())
        return root(p->direction == Direction::forward ? -row * column : row * column, n);
    if (const auto* p = f.get_if<formula::Wht>()) {
        Integer code = p->order == formula::WalshOrder::sequency ? row ^ (row >> 1) : row, natural = 0;
        for (Integer bit = n / 2; bit > 0; bit /= 2, code /= 2) natural += code % 2 * bit;
        if (p->order == formula::WalshOrder::natural) natural = row;
        return std::popcount(static_cast<std::uint64_t>(natural & column)) % 2 == 0 ? 1 : -1;
    }
    if (const auto* p = f.get_if<formula::RealDft>()) return real_dft_entry(p->direction, n, row, column);
    if (const auto* p = f.get_if<formula::Dct>()) return cosine_entry(p->type, n, row, column);
    if (const auto* p = f.get_if<formula::Dst>()) return sine_entry(p->type, n, row, column);
    if (f.is<formula::Dht>()) return root(row * column, n).real() + root(row * column, n).imag();
    if (const auto* p = f.get_if<formula::Circulant>(); p && !p->kernel)
        return circulant_column(n, p->of_reals)[static_cast<std::size_t>(modulo(row - column, n))];
    if (const auto* p = f.get_if<formula::Circulant>())
        return (*p->kernel)[static_cast<std::size_t>(modulo(row - column, n))];
    throw InternalError("no definition of this term");
}

inline std::vector<Complex> dense(const Formula& f) {
    std::vector<Complex> matrix;
    for (Integer row = 0; row < f.rows(); ++row)
        for (Integer column = 0; column < f.columns(); ++column) matrix.push_back(entry(f, row, column));
    return matrix;
}

inline std::vector<Complex> random_vector(Integer n, std::mt19937& generator) {
    std::uniform_real_distribution<long double> uniform(-1, 1);
    std::vector<Complex> x;
    for (Integer i = 0; i < n; ++i) x.emplace_back(uniform(generator), uniform(generator));
    return x;
}

/// ‖a − b‖ / ‖b‖ in the Euclidean norm.
inline long double relative_error(const std::vector<Complex>& a, const std::vector<Complex>& b) {
    if (a.size() != b.size()) return 1;
    long double difference = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::norm(a[i] - b[i]);
        size += std::norm(b[i]);
    }
    return size == 0 ? std::sqrt(difference) : std::sqrt(difference / size);
}

} // namespace swirl::reference
