#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "library.hpp"

/// Matrices in memory, random ones, and the definition of products in long double.
namespace swirl::test {

using Index = std::int64_t;
using Wide = std::complex<long double>;

template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<std::complex<T>> { using type = T; };
template <class T> using Real = typename RealOf<T>::type;
template <class T> constexpr long double epsilon = std::numeric_limits<Real<T>>::epsilon();

template <class T> Wide wide(T x) { return Wide(x); }
template <class T> T scalar_of(double re, double im) {
    if constexpr (is_complex_type<T>)
        return {static_cast<Real<T>>(re), static_cast<Real<T>>(im)};
    else
        return static_cast<T>(re);
}
template <class T> T quiet_nan() { return scalar_of<T>(std::nan(""), std::nan("")); }

using Random = std::mt19937_64;
inline double uniform(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }
template <class T> T random_value(Random& random) { return scalar_of<T>(uniform(random), uniform(random)); }
template <class Choice> Choice one_of(Random& random, const std::vector<Choice>& choices) {
    return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random)];
}

/// Rows × columns elements, column- or row-major, with NaN in the padding.
template <class T> struct Stored {
    Index rows, columns, leading;
    bool by_rows;
    std::vector<T> data;

    Stored(Random& random, bool stored_by_rows, Index r, Index c)
        : rows(r), columns(c), by_rows(stored_by_rows) {
        leading = std::max<Index>(1, by_rows ? c : r) + one_of<Index>(random, {0, 1, 5});
        data.assign(static_cast<std::size_t>(leading * (by_rows ? r : c) + 1), quiet_nan<T>());
        fill([&](Index, Index) { return random_value<T>(random); });
    }
    T& at(Index i, Index j) {
        return data[static_cast<std::size_t>(by_rows ? i * leading + j : i + j * leading)];
    }
    const T& at(Index i, Index j) const { return const_cast<Stored&>(*this).at(i, j); }
    void fill(const std::function<T(Index, Index)>& entry) {
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) at(i, j) = entry(i, j);
    }
    /// NaN on the other side of the diagonal.
    void keep_triangle(char uplo) {
        for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j)
                if (!in_triangle(uplo, i, j)) at(i, j) = quiet_nan<T>();
    }
    static bool in_triangle(char uplo, Index i, Index j) { return uplo == 'L' ? i >= j : i <= j; }
};

/// A matrix of long doubles.
struct Dense {
    Index rows, columns;
    std::vector<Wide> entries;
    Dense(Index r, Index c) : rows(r), columns(c), entries(static_cast<std::size_t>(r * c)) {}
    template <class F> Dense(Index r, Index c, F&& entry) : Dense(r, c) {
        for (Index i = 0; i < r; ++i)
            for (Index j = 0; j < c; ++j) (*this)(i, j) = entry(i, j);
    }
    Wide& operator()(Index i, Index j) { return entries[static_cast<std::size_t>(i * columns + j)]; }
    const Wide& operator()(Index i, Index j) const {
        return entries[static_cast<std::size_t>(i * columns + j)];
    }
};

template <class T> Dense dense(const Stored<T>& m) {
    return {m.rows, m.columns, [&](Index i, Index j) { return wide(m.at(i, j)); }};
}
/// op(m) for Fortran's letter.
inline Dense op(char letter, const Dense& m) {
    if (letter == 'N') return m;
    return {m.columns, m.rows,
            [&](Index i, Index j) { return letter == 'C' ? std::conj(m(j, i)) : m(j, i); }};
}
inline Dense magnitudes(const Dense& m) {
    return {m.rows, m.columns, [&](Index i, Index j) { return Wide(std::abs(m(i, j))); }};
}
/// Without the checks for infinities and NaN that make operator* several times slower; NaN stays NaN.
inline Wide times(const Wide& a, const Wide& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline bool is_real(const Dense& m) {
    return std::all_of(m.entries.begin(), m.entries.end(), [](const Wide& x) { return x.imag() == 0; });
}
/// One component of all entries, by columns: what a sum over a column's entries reads lies together.
inline std::vector<long double> component_by_columns(const Dense& m, long double (*component)(const Wide&)) {
    std::vector<long double> result;
    result.reserve(m.entries.size());
    for (Index j = 0; j < m.columns; ++j)
        for (Index i = 0; i < m.rows; ++i) result.push_back(component(m(i, j)));
    return result;
}
/// Sums stay in registers, as storing a long double takes longer than an addition, and end at a factor that is NaN, with
/// which processors compute a hundred times slower than with numbers.
inline Dense product(const Dense& a, const Dense& b) {
    const auto real_part = [](const Wide& x) { return x.real(); };
    const auto imaginary_part = [](const Wide& x) { return x.imag(); };
    const bool real = is_real(a) && is_real(b);
    const std::vector<long double> b_re = component_by_columns(b, real_part),
                                   b_im = component_by_columns(b, imaginary_part);
    return {a.rows, b.columns, [&](Index i, Index j) {
                const Wide* const row = a.entries.data() + i * a.columns;
                const long double *const re = b_re.data() + j * b.rows, *const im = b_im.data() + j * b.rows;
                long double sum = 0, imaginary = 0;
                for (Index l = 0; l < a.columns; ++l) {
                    if (std::isnan(row[l].real()) || std::isnan(re[l]))
                        return Wide(std::nan(""), std::nan(""));
                    sum += row[l].real() * re[l];
                    if (real) continue;
                    sum -= row[l].imag() * im[l];
                    imaginary += row[l].real() * im[l] + row[l].imag() * re[l];
                }
                return Wide(sum, imaginary);
            }};
}
/// x·a + y·b; a zero factor gives zero, for NaN too.
inline Dense combined(Wide x, const Dense& a, Wide y, const Dense& b) {
    const auto part = [](const Wide& factor, const Wide& entry) {
        return factor == Wide(0) ? Wide(0) : times(factor, entry);
    };
    return {a.rows, a.columns, [&](Index i, Index j) { return part(x, a(i, j)) + part(y, b(i, j)); }};
}
/// The full matrix behind a stored triangle.
template <class T> Dense mirrored(const Stored<T>& m, char uplo, bool hermitian) {
    return {m.rows, m.columns, [&](Index i, Index j) {
                if (i == j && hermitian) return Wide(wide(m.at(i, i)).real());
                if (Stored<T>::in_triangle(uplo, i, j)) return wide(m.at(i, j));
                return hermitian ? std::conj(wide(m.at(j, i))) : wide(m.at(j, i));
            }};
}
template <class T> Dense triangular(const Stored<T>& m, char uplo, char diag) {
    return {m.rows, m.columns, [&](Index i, Index j) {
                if (i == j && diag == 'U') return Wide(1);
                return Stored<T>::in_triangle(uplo, i, j) ? wide(m.at(i, j)) : Wide(0);
            }};
}

/// Which entries of a result are to be compared: all, or those of a triangle.
enum class Region { all, upper, lower };
inline Region region_of(char uplo) { return uplo == 'U' ? Region::upper : Region::lower; }

/// |found − expected| ≤ factor·ε·bound in the region; all other memory as it was, bit for bit.
template <class T>
void expect_near(const Stored<T>& found, const Stored<T>& before, const Dense& expected, const Dense& bound,
                 long double factor, Region region, const std::string& what) {
    Stored<T> rest = found;
    int failures = 0;
    for (Index i = 0; i < found.rows; ++i)
        for (Index j = 0; j < found.columns; ++j) {
            if (region != Region::all && !Stored<T>::in_triangle(region == Region::upper ? 'U' : 'L', i, j))
                continue;
            rest.at(i, j) = before.at(i, j);
            const long double error = std::abs(wide(found.at(i, j)) - expected(i, j));
            const long double allowed = factor * epsilon<T> * std::abs(bound(i, j));
            if (!(error <= allowed) && ++failures <= 3)
                ADD_FAILURE() << what << ": entry (" << i << ", " << j << ") is " << found.at(i, j)
                              << ", not " << expected(i, j) << "; error " << error << ", allowed " << allowed;
        }
    EXPECT_EQ(std::memcmp(rest.data.data(), before.data.data(), before.data.size() * sizeof(T)), 0)
        << what << ": wrote outside the result";
}

} // namespace swirl::test
