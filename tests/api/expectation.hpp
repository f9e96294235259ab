#pragma once

#include "api/definition.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

/// What problems of every kind should give.
namespace definition {

using swirl::TransformKind;

inline Integer points_of(const swirl::Transform& problem) {
    Integer points = 1;
    for (const auto& dimension : problem.dimensions) points *= dimension.length;
    return points;
}

/// Entry (k, j) of the matrix of a real transform, as FFTW's manual has it in "1d Discrete Cosine Transforms" and "1d
/// Discrete Sine Transforms". There the first or last element stands outside the sum for the types 3.
inline long double entry(TransformKind kind, Integer n, Integer k, Integer j) {
    const auto row = static_cast<long double>(k), column = static_cast<long double>(j);
    const long double angle = std::numbers::pi_v<long double> / static_cast<long double>(n);
    const long double turn = 2 * angle;
    const auto wave = [&](long double (*f)(long double), long double a, long double b, long double points) {
        return f(std::numbers::pi_v<long double> * (column + a) * (row + b) / points);
    };
    const auto cosine = [](long double x) { return std::cos(x); };
    const auto sine = [](long double x) { return std::sin(x); };
    const long double less = static_cast<long double>(n) - 0.5L, more = less + 1;
    switch (kind) {
    case TransformKind::dct1:
        if (j == 0) return 1;
        if (j == n - 1) return k % 2 == 0 ? 1 : -1;
        return 2 * std::cos(std::numbers::pi_v<long double> * column * row / static_cast<long double>(n - 1));
    case TransformKind::dst1:
        return 2 * std::sin(std::numbers::pi_v<long double> * (column + 1) * (row + 1) /
                            static_cast<long double>(n + 1));
    case TransformKind::dht: return std::cos(turn * row * column) + std::sin(turn * row * column);
    case TransformKind::r2hc: // "The Halfcomplex-format DFT": imaginary components of k in element n − k
        return 2 * k <= n ? std::cos(turn * row * column)
                          : -std::sin(turn * static_cast<long double>(n - k) * column);
    case TransformKind::hc2r:
        if (2 * j > n) return -2 * std::sin(turn * static_cast<long double>(n - j) * row);
        return (j == 0 || 2 * j == n ? 1 : 2) * std::cos(turn * row * column);
    case TransformKind::dct2: return 2 * std::cos(angle * (column + 0.5L) * row);
    case TransformKind::dct3: return j == 0 ? 1 : 2 * std::cos(angle * column * (row + 0.5L));
    case TransformKind::dct4: return 2 * std::cos(angle * (column + 0.5L) * (row + 0.5L));
    case TransformKind::dst2: return 2 * std::sin(angle * (column + 0.5L) * (row + 1));
    case TransformKind::dst3:
        return j == n - 1 ? (k % 2 == 0 ? 1 : -1) : 2 * std::sin(angle * (column + 1) * (row + 0.5L));
    case TransformKind::dst4: return 2 * std::sin(angle * (column + 0.5L) * (row + 0.5L));
    // Püschel and Moura (2008), table 1, times two but at the symmetric points.
    case TransformKind::dct5: return (j == 0 ? 1 : 2) * wave(cosine, 0, 0, less);
    case TransformKind::dct6: return (j == n - 1 ? 1 : 2) * wave(cosine, 0.5L, 0, less);
    case TransformKind::dct7: return (j == 0 ? 1 : 2) * wave(cosine, 0, 0.5L, less);
    case TransformKind::dct8: return 2 * wave(cosine, 0.5L, 0.5L, more);
    case TransformKind::dst5: return 2 * wave(sine, 1, 1, more);
    case TransformKind::dst6: return 2 * wave(sine, 0.5L, 1, more);
    case TransformKind::dst7: return 2 * wave(sine, 1, 0.5L, more);
    case TransformKind::dst8: return (j == n - 1 ? 1 : 2) * wave(sine, 0.5L, 0.5L, less);
    case TransformKind::wht: return std::popcount(static_cast<std::uint64_t>(j & k)) % 2 == 0 ? 1 : -1;
    case TransformKind::wht_dyadic:
    case TransformKind::wht_sequency: {
        // Paley: products of Rademacher functions. Walsh: row k has k changes of sign, the sign of row k at j is that of
        // dyadic row k ^ (k >> 1).
        long double sign = 1;
        Integer code = kind == TransformKind::wht_sequency ? k ^ (k >> 1) : k;
        for (Integer half = n / 2; code > 0; half /= 2, code >>= 1)
            if (code % 2 == 1 && j / half % 2 == 1) sign = -sign;
        return sign;
    }
    default: ADD_FAILURE() << "not a transform from reals to reals"; return 0;
    }
}

/// One transform of row-major data, of a kind with as many real results.
inline std::vector<LongComplex> real_to_real(const swirl::Transform& problem,
                                             const std::vector<LongComplex>& x) {
    std::vector<LongComplex> y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t j = 0; j < x.size(); ++j) {
            auto row = static_cast<Integer>(k), column = static_cast<Integer>(j);
            long double product = static_cast<long double>(problem.scale);
            for (std::size_t d = problem.dimensions.size(); d-- > 0;) {
                const Integer n = problem.dimensions[d].length;
                product *=
                    entry(problem.kinds.empty() ? problem.kind : problem.kinds[d], n, row % n, column % n);
                row /= n;
                column /= n;
            }
            y[k] += product * x[j];
        }
    return y;
}

/// What an rdft stores of whole spectra, of one transform or a batch.
inline std::vector<LongComplex> stored_half(const swirl::Transform& problem,
                                            const std::vector<LongComplex>& spectra) {
    const Integer n = problem.dimensions.back().length;
    std::vector<LongComplex> half;
    for (std::size_t i = 0; i < spectra.size(); ++i)
        if (static_cast<Integer>(i) % n <= n / 2) half.push_back(spectra[i]);
    return half;
}

struct Expectation {
    std::vector<LongComplex> input, output;
};

/// Random input of the problem, exact in every precision, and what its definition gives. A backward rdft is given spectra of random reals x, of
/// which it makes N·x.
inline Expectation expectation_for(const swirl::Transform& problem) {
    std::mt19937 generator(11);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::size_t each = static_cast<std::size_t>(points_of(problem)), count = each;
    for (const auto& loop : problem.batches) count *= static_cast<std::size_t>(loop.length);
    std::vector<LongComplex> reals(count);
    for (LongComplex& real : reals) real = uniform(generator);
    if (problem.kind == TransformKind::dft) {
        for (LongComplex& value : reals) value = {value.real(), uniform(generator)};
        return {reals, dft(problem, reals)};
    }

    swirl::Transform forward = problem;
    forward.direction = swirl::Direction::forward;
    if (problem.kind == TransformKind::real_dft) {
        if (problem.direction == swirl::Direction::forward)
            return {reals, stored_half(problem, dft(problem, reals))};
        forward.scale = 1;
        Expectation result{stored_half(problem, dft(forward, reals)), reals};
        for (LongComplex& real : result.output)
            real *= static_cast<long double>(each) * static_cast<long double>(problem.scale);
        return result;
    }
    Expectation result{reals, {}};
    for (auto start = reals.begin(); start != reals.end(); start += static_cast<std::ptrdiff_t>(each)) {
        const auto one = real_to_real(problem, {start, start + static_cast<std::ptrdiff_t>(each)});
        result.output.insert(result.output.end(), one.begin(), one.end());
    }
    return result;
}

} // namespace definition
