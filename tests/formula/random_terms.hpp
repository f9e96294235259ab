#pragma once

#include "formula/formula.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace swirl::formula {

/// Random terms over every payload, of a wanted shape, small enough to look at densely.
class RandomTerms {
public:
    explicit RandomTerms(std::uint32_t seed) : random_(seed) {}

    Integer below(Integer n) { return static_cast<Integer>(random_() % static_cast<std::uint64_t>(n)); }
    Integer size() { return 1 + below(9); }
    Direction direction() { return below(2) == 0 ? Direction::forward : Direction::backward; }

    /// Numbers of all magnitudes, some of them short, with few or all bits of long double.
    long double value() {
        std::uniform_real_distribution<long double> uniform(-1, 1);
        switch (below(4)) {
        case 0: return static_cast<long double>(below(9)) - 4;
        case 1: return uniform(random_);
        case 2: return std::ldexp(uniform(random_), static_cast<int>(below(2000)) - 1000);
        default: return static_cast<double>(uniform(random_));
        }
    }
    Complex complex() { return {below(3) == 0 ? 0 : value(), below(3) == 0 ? 0 : value()}; }
    std::vector<Complex> values(Integer n) {
        std::vector<Complex> result;
        for (Integer i = 0; i < n; ++i) result.push_back(complex());
        return result;
    }

    IndexMap permutation_map(Integer n) {
        switch (below(4)) {
        case 0: {
            Integer stride = 1 + below(n);
            while (n % stride != 0) --stride;
            return IndexMap::stride_permutation(n, stride);
        }
        case 1: return IndexMap::reversal(n);
        case 2: {
            Integer stride = 1 + below(n);
            while (std::gcd(stride, n) != 1) --stride;
            return {n, n, DigitMap{{n}, {stride}, below(n), n}};
        }
        default: {
            std::vector<Integer> table(static_cast<std::size_t>(n));
            std::iota(table.begin(), table.end(), 0);
            std::shuffle(table.begin(), table.end(), random_);
            return IndexMap::table(std::move(table), n);
        }
        }
    }

    /// A map into a larger range; with the variables i0 (below 3) and i1 (below 2) where `with_variables`.
    IndexMap map(Integer domain, bool with_variables) {
        switch (below(with_variables ? 3 : 5)) {
        case 0: {
            const Integer stride = 1 + below(3), base = below(3);
            const Affine variables =
                with_variables ? Affine::of(0, 1 + below(4)) - Affine::of(1, 1) + 1 : Affine(0);
            return IndexMap::strided(domain, base + stride * domain + 12, variables + base, stride);
        }
        case 1: {
            const Integer range = domain + 1 + below(5);
            return {domain, range, DigitMap{{1, domain}, {0, 1 + below(range)}, below(range), range}};
        }
        case 2: {
            Integer radix = 1 + below(domain);
            while (domain % radix != 0) --radix;
            const Affine variables = with_variables ? Affine::of(1, -2) + 2 : Affine(0);
            return {domain, 3 * domain + 7,
                    DigitMap{{radix, domain / radix}, {-1, 2 * radix}, variables + radix}};
        }
        case 3: {
            std::vector<Integer> table;
            for (Integer i = 0; i < domain; ++i) table.push_back(below(13));
            return IndexMap::table(std::move(table), 13);
        }
        default: return {domain, 11 + below(2), PowerMap{2, 11}};
        }
    }

    DiagonalFunction function(Integer range) {
        switch (below(4)) {
        case 0:
            return TwiddleFunction{
                1 + below(40), {1 + below(4), 1 + below(6)}, {1 + below(4), size()}, direction()};
        case 1: return ChirpFunction{1 + below(20), direction()};
        case 2: return ConstantFunction{complex()};
        default:
            return ExplicitFunction{std::make_shared<const std::vector<Complex>>(values(range + below(2)))};
        }
    }

    Formula square_leaf(Integer n) {
        switch (below(15)) {
        case 0: return I(n);
        case 1: return DFT(n, direction());
        case 2: return (n & (n - 1)) == 0 ? WHT(n, static_cast<WalshOrder>(below(3))) : J(n);
        case 3: return RDFT(n, direction());
        case 4: return DCT(n > 1 ? 1 + static_cast<int>(below(8)) : 2, n);
        case 5: return DST(1 + static_cast<int>(below(8)), n);
        case 6: return circulant(values(n));
        case 7:
        case 8: return permutation(permutation_map(n));
        case 9: {
            const IndexMap index = map(n, false);
            return diagonal(function(index.range()), index);
        }
        case 10: return n % 2 == 0 ? T(n, n / 2, direction()) : T(n, 1, direction());
        case 11: return diagonal(values(n));
        case 12: return DHT(n);
        case 13: return n == 2 ? F2() : diagonal(function(n), n);
        default: return matrix(n, n, values(n * n));
        }
    }

    /// A wavelet transform, a filter, or the transpose of one.
    Formula filter() {
        const Integer n = size();
        const auto ends = static_cast<Ends>(below(4));
        const int order = static_cast<int>(below(Wavelet::most_moments + 2)) - 1;
        const Wavelet wavelet = order > 0    ? Wavelet{Wavelet::Family::daubechies, order}
                                : order == 0 ? Wavelet{Wavelet::Family::cdf5_3}
                                             : Wavelet{Wavelet::Family::cdf9_7};
        const int levels = 1 + static_cast<int>(below(3));
        const Formula drawn = below(3) == 0   ? DWT(n, wavelet, levels, ends)
                              : below(2) == 0 ? IDWT(n, wavelet, levels, ends)
                                              : FIR(n, values(1 + below(n)), ends);
        return below(3) == 0 ? transpose(drawn) : drawn;
    }

    /// Some rows and columns of a matrix.
    static Formula between(Integer rows, const Formula& inner, Integer columns) {
        const auto indices = [](Integer count, Integer range) {
            return IndexMap(count, range, DigitMap{{count}, {1}, 0, range});
        };
        return gather(indices(rows, inner.rows())) * inner * scatter(indices(columns, inner.columns()));
    }

    Formula leaf(Integer rows, Integer columns) {
        if (rows == columns && below(4) != 0) return square_leaf(rows);
        if (below(4) == 0) return CZT(columns, rows, value(), value());
        if (below(4) == 0) return between(rows, filter(), columns);
        if (below(2) == 0) return matrix(rows, columns, values(rows * columns));
        const IndexMap into = map(rows, false), from = map(columns, false);
        return gather(into) * matrix(into.range(), from.range(), values(into.range() * from.range())) *
               scatter(from);
    }

    Formula term(Integer rows, Integer columns, int depth) {
        if (depth == 0) return leaf(rows, columns);
        const auto deeper = [&](Integer r, Integer c) { return term(r, c, depth - 1); };
        Integer common = 1 + below(std::min(rows, columns));
        while (rows % common != 0 || columns % common != 0) --common;
        switch (below(12)) {
        case 0: {
            const Integer inner = size();
            return product({deeper(rows, inner), deeper(inner, inner), deeper(inner, columns)});
        }
        case 1: return deeper(rows, columns) * deeper(columns, columns);
        case 2: return kron(I(common), deeper(rows / common, columns / common));
        case 3: return kron({deeper(rows / common, columns / common), deeper(common, common)});
        case 4:
            if (rows == 1 || columns == 1) return pass(deeper(rows, columns));
            return direct_sum({deeper(1, 1), deeper(rows - 1, columns - 1)});
        case 5: {
            const IndexMap to = map(columns, true);
            return iterative_sum(0, 3, iterative_sum(1, 2, deeper(rows, columns) * gather(to) * scatter(to)));
        }
        case 6: return tagged(static_cast<Tag>(below(3)), deeper(rows, columns));
        case 7:
            if (rows % 2 != 0 || columns % 2 != 0) return pass(deeper(rows, columns));
            return real_of(deeper(rows / 2, columns / 2));
        default: return deeper(rows, columns);
        }
    }

    Formula term() { return term(size(), size(), static_cast<int>(below(5))); }

    std::mt19937& generator() { return random_; }

private:
    std::mt19937 random_;
};

} // namespace swirl::formula
