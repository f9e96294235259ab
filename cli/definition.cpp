#include "cli/definition.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace swirl::cli {
namespace {

std::size_t index_of(Integer n) { return static_cast<std::size_t>(n); }

Complex product_of(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

bool is_half_spectrum(const TransformDefinition& transform, std::size_t dimension, Direction of) {
    return transform.kind_along(dimension) == TransformKind::real_dft && transform.direction == of;
}

/// The angle of entry (j, k) of a cosine or sine transform is 2π·numerator/denominator.
struct Angle {
    Integer numerator, denominator;
};
Angle angle_of(TransformKind kind, Integer n, Integer j, Integer k) {
    switch (kind) {
    case TransformKind::dct1: return {j * k, 2 * (n - 1)};
    case TransformKind::dst1: return {(j + 1) * (k + 1), 2 * (n + 1)};
    case TransformKind::dct2: return {(2 * j + 1) * k, 4 * n};
    case TransformKind::dct3: return {j * (2 * k + 1), 4 * n};
    case TransformKind::dst2: return {(2 * j + 1) * (k + 1), 4 * n};
    case TransformKind::dst3: return {(j + 1) * (2 * k + 1), 4 * n};
    case TransformKind::dct5: return {j * k, 2 * n - 1};
    case TransformKind::dct6: return {(2 * j + 1) * k, 2 * (2 * n - 1)};
    case TransformKind::dct7: return {j * (2 * k + 1), 2 * (2 * n - 1)};
    case TransformKind::dct8: return {(2 * j + 1) * (2 * k + 1), 4 * (2 * n + 1)};
    case TransformKind::dst5: return {(j + 1) * (k + 1), 2 * n + 1};
    case TransformKind::dst6: return {(2 * j + 1) * (k + 1), 2 * (2 * n + 1)};
    case TransformKind::dst7: return {(j + 1) * (2 * k + 1), 2 * (2 * n + 1)};
    case TransformKind::dst8: return {(2 * j + 1) * (2 * k + 1), 4 * (2 * n - 1)};
    default: return {(2 * j + 1) * (2 * k + 1), 8 * n};
    }
}

/// The order of the roots of unity that entries are made of.
Integer order_of(TransformKind kind, Integer n) {
    switch (kind) {
    case TransformKind::dct1:
    case TransformKind::dct2:
    case TransformKind::dct3:
    case TransformKind::dct4:
    case TransformKind::dst1:
    case TransformKind::dst2:
    case TransformKind::dst3:
    case TransformKind::dst4:
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dct8:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7:
    case TransformKind::dst8: return angle_of(kind, n, 0, 0).denominator;
    default: return n;
    }
}

/// All roots of one order: a matrix has each of them many times.
class RootTable {
public:
    explicit RootTable(Integer order) {
        for (Integer k = 0; k < order; ++k) roots_.push_back(root_of_unity(k, order));
    }
    Complex operator()(Integer k, Integer order) const { return roots_[index_of(k % order)]; }

private:
    Values roots_;
};

/// `root_of(k, order)` is e^{2πi·k/order}.
template <class RootOf>
Complex entry(TransformKind kind, Direction direction, Integer n, Integer j, Integer k,
              const RootOf& root_of) {
    const auto cosine_or_sine = [&] {
        const Angle angle = angle_of(kind, n, j, k);
        return root_of(angle.numerator, angle.denominator);
    };
    switch (kind) {
    case TransformKind::wht:
    case TransformKind::wht_dyadic:
    case TransformKind::wht_sequency:
        return std::popcount(static_cast<std::uint64_t>(j & hadamard_row(kind, n, k))) % 2 ? -1 : 1;
    case TransformKind::dct1: return (j == 0 || j == n - 1 ? 1 : 2) * cosine_or_sine().real();
    case TransformKind::dct2:
    case TransformKind::dct4:
    case TransformKind::dct8: return 2 * cosine_or_sine().real();
    case TransformKind::dct3:
    case TransformKind::dct5:
    case TransformKind::dct7: return (j == 0 ? 1 : 2) * cosine_or_sine().real();
    case TransformKind::dct6: return (j == n - 1 ? 1 : 2) * cosine_or_sine().real();
    case TransformKind::dst1:
    case TransformKind::dst2:
    case TransformKind::dst4:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7: return 2 * cosine_or_sine().imag();
    case TransformKind::dst3:
    case TransformKind::dst8: return (j == n - 1 ? 1 : 2) * cosine_or_sine().imag();
    default: break;
    }
    const Complex root = root_of(j * k, n);
    if (kind == TransformKind::dht) return root.real() + root.imag();
    // Entry k ≤ n/2 of a halfcomplex vector is a real component, entry n − k the imaginary one.
    if (kind == TransformKind::r2hc) return 2 * k <= n ? root.real() : root.imag();
    if (kind == TransformKind::hc2r)
        return 2 * j > n ? 2 * root.imag() : (j == 0 || 2 * j == n ? 1 : 2) * root.real();
    return direction == Direction::forward ? std::conj(root) : root;
}

template <class RootOf>
Values row_of(const TransformDefinition& transform, std::size_t dimension, Integer k, const RootOf& root_of) {
    const Integer n = transform.lengths[dimension], inputs = transform.stored_input(dimension);
    const TransformKind kind = transform.kind_along(dimension);
    Values row(index_of(inputs));
    for (Integer j = 0; j < inputs; ++j) {
        row[index_of(j)] = entry(kind, transform.direction, n, j, k, root_of);
        // In a half spectrum, entry j also represents n − j.
        if (inputs != n && j != 0 && 2 * j != n) row[index_of(j)] *= 2;
    }
    return row;
}

} // namespace

TransformKind TransformDefinition::kind_along(std::size_t dimension) const {
    if (kind == TransformKind::mixed) return kinds[dimension];
    const bool is_last = dimension + 1 == lengths.size();
    return kind == TransformKind::real_dft && !is_last ? TransformKind::dft : kind;
}

Integer TransformDefinition::points() const {
    Integer product = 1;
    for (const Integer n : lengths) product *= n;
    return product;
}

Integer TransformDefinition::stored_input(std::size_t dimension) const {
    const Integer n = lengths[dimension];
    return is_half_spectrum(*this, dimension, Direction::backward) ? n / 2 + 1 : n;
}
Integer TransformDefinition::stored_output(std::size_t dimension) const {
    const Integer n = lengths[dimension];
    return is_half_spectrum(*this, dimension, Direction::forward) ? n / 2 + 1 : n;
}

Integer hadamard_row(TransformKind kind, Integer n, Integer k) {
    if (kind == TransformKind::wht) return k;
    if (kind == TransformKind::wht_sequency) k ^= k / 2;
    Integer row = 0;
    for (Integer bit = 1; bit < n; bit *= 2, k /= 2) row = 2 * row + k % 2;
    return row;
}

Complex root_of_unity(Integer k, Integer n) {
    k %= n;
    // Relative to the nearest multiple of π/2 the angle is at most π/4, where sine and cosine are accurate to about the
    // last bit.
    const Integer quarter = (8 * k / n + 1) / 2;
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

Values definition_row(const TransformDefinition& transform, std::size_t dimension, Integer k) {
    return row_of(transform, dimension, k, root_of_unity);
}

Complex output_by_definition(const TransformDefinition& transform, const Values& input,
                             const std::vector<Integer>& index) {
    // The last dimension's sums first: each dimension reduces each of its rows to one element.
    Values data = input;
    for (std::size_t d = transform.lengths.size(); d-- > 0;) {
        const Values row = definition_row(transform, d, index[d]);
        Values sums(data.size() / row.size());
        for (std::size_t line = 0; line < sums.size(); ++line)
            for (std::size_t j = 0; j < row.size(); ++j)
                sums[line] += product_of(row[j], data[line * row.size() + j]);
        data = std::move(sums);
    }
    return transform.makes_reals() ? data[0].real() : data[0];
}

Values transform_by_definition(const TransformDefinition& transform, const Values& input) {
    Values data = input;
    // Elements between neighbours along the dimension, counting the dimensions already summed.
    Integer inner = 1;
    for (std::size_t d = transform.lengths.size(); d-- > 0; inner *= transform.stored_output(d)) {
        const Integer from = transform.stored_input(d), to = transform.stored_output(d);
        const Integer outer = static_cast<Integer>(data.size()) / (from * inner);
        Values next(index_of(outer * to * inner));
        const RootTable roots(order_of(transform.kind_along(d), transform.lengths[d]));
        for (Integer k = 0; k < to; ++k) {
            const Values row = row_of(transform, d, k, roots);
            for (Integer o = 0; o < outer; ++o)
                for (Integer j = 0; j < from; ++j)
                    for (Integer i = 0; i < inner; ++i)
                        next[index_of((o * to + k) * inner + i)] +=
                            product_of(row[index_of(j)], data[index_of((o * from + j) * inner + i)]);
        }
        data = std::move(next);
    }
    if (transform.makes_reals())
        for (Complex& value : data) value = value.real();
    return data;
}

long double rounding_of_outputs(const TransformDefinition& transform, const Values& input) {
    long double norm = 0;
    for (const Complex& value : input) norm += std::norm(value);
    // Terms are up to 2^rank times the input elements; an algorithm has a few roundings in each of log n passes.
    constexpr long double roundings = 64;
    return std::numeric_limits<long double>::epsilon() * roundings *
           std::sqrt(static_cast<long double>(transform.points()) * norm) *
           std::exp2(static_cast<long double>(transform.lengths.size()));
}

double cost_by_definition(const TransformDefinition& transform) {
    double sum = 0, rows = 0;
    for (const Integer n : transform.lengths) {
        sum += static_cast<double>(n);
        rows += static_cast<double>(n) * static_cast<double>(n);
    }
    constexpr double sine_and_cosine = 20; // cost, in multiplications
    return static_cast<double>(transform.points()) * sum + sine_and_cosine * rows;
}

} // namespace swirl::cli
