#pragma once

#include "formula/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

/// Matrices entry by entry from the textbook definitions, sharing nothing with the code under test.
namespace swirl::formula::reference {

struct Dense {
    Integer rows, columns;
    std::vector<Complex> entries;
    Complex& at(Integer i, Integer j) { return entries[static_cast<std::size_t>(i * columns + j)]; }
    const Complex& at(Integer i, Integer j) const {
        return entries[static_cast<std::size_t>(i * columns + j)];
    }
};

template <class Entry> Dense from(Integer rows, Integer columns, Entry&& entry) {
    Dense result{rows, columns, std::vector<Complex>(static_cast<std::size_t>(rows * columns))};
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j) result.at(i, j) = entry(i, j);
    return result;
}

inline Dense of(const Formula& formula) { return {formula.rows(), formula.columns(), dense(formula)}; }

inline Dense dft(Integer n, int sign) {
    return from(n, n, [&](Integer i, Integer j) {
        return std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> *
                                    static_cast<long double>(i * j % n) / static_cast<long double>(n));
    });
}

inline Dense multiply(const Dense& a, const Dense& b) {
    return from(a.rows, b.columns, [&](Integer i, Integer j) {
        Complex sum = 0;
        for (Integer k = 0; k < a.columns; ++k) sum += a.at(i, k) * b.at(k, j);
        return sum;
    });
}

inline Dense kron(const Dense& a, const Dense& b) {
    return from(a.rows * b.rows, a.columns * b.columns, [&](Integer i, Integer j) {
        return a.at(i / b.rows, j / b.columns) * b.at(i % b.rows, j % b.columns);
    });
}

inline Dense direct_sum(const Dense& a, const Dense& b) {
    return from(a.rows + b.rows, a.columns + b.columns, [&](Integer i, Integer j) {
        if (i < a.rows && j < a.columns) return a.at(i, j);
        if (i >= a.rows && j >= a.columns) return b.at(i - a.rows, j - a.columns);
        return Complex(0);
    });
}

inline Dense identity(Integer n) {
    return from(n, n, [](Integer i, Integer j) { return Complex(i == j ? 1 : 0); });
}

inline Dense transpose(const Dense& a) {
    return from(a.columns, a.rows, [&](Integer i, Integer j) { return a.at(j, i); });
}

/// Largest difference of two entries.
inline long double distance(const Dense& a, const Dense& b) {
    if (a.rows != b.rows || a.columns != b.columns) return INFINITY;
    long double largest = 0;
    for (std::size_t i = 0; i < a.entries.size(); ++i)
        largest = std::max(largest, std::abs(a.entries[i] - b.entries[i]));
    return largest;
}

} // namespace swirl::formula::reference

#define EXPECT_SAME_MATRIX(a, b) EXPECT_LT(::swirl::formula::reference::distance((a), (b)), 1e-16L)
