#include "distributed/factors.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::distributed {

namespace {

void check_supported(const Transform& problem) {
    validate(problem);
    const auto refuse = [&](const char* what, const char* remedy) {
        throw Unsupported("{}\n  problem: {}\n  {}", what, to_text(problem), remedy);
    };
    if (is_convolution(problem) || has_formula(problem))
        refuse("convolutions and formulas are not divided among ranks",
               "use dft, rdft, or real kinds such as dct2");
    if (problem.layout != ComplexLayout::interleaved)
        refuse("planar data is not divided among ranks", "use interleaved data");
    if (!problem.load.is_identity() || !problem.store.is_identity())
        refuse("transforms with load or store callbacks are not divided among ranks",
               "leave the callbacks out");
    TransformOptions plain;
    plain.placement = problem.placement;
    plain.direction = problem.direction;
    plain.precision = problem.precision;
    plain.scale = problem.scale;
    plain.kinds = problem.kinds;
    std::vector<Integer> lengths;
    for (const Dimension& axis : problem.dimensions) lengths.push_back(axis.length);
    for (const Dimension& loop : problem.batches) plain.batches.push_back({loop.length, {}, {}});
    if (Transform::make(problem.kind, lengths, plain) != problem)
        throw UserError(
            "a problem for several ranks has no strides, but {}\n  boxes and the order of their axes say "
            "where elements are",
            to_text(problem));
}

/// The factor of n nearest to its root, at most the root.
Integer rows_of(Integer n) {
    auto rows = static_cast<Integer>(std::sqrt(static_cast<double>(n)));
    while (rows * rows > n) --rows;
    while (rows > 1 && n % rows != 0) --rows;
    return rows;
}

} // namespace

bool Factors::may_follow(std::size_t axis, const std::vector<bool>& done) const {
    if (!kinds[axis] || done[axis]) return false;
    if (is_four_step && axis == last()) return done[axis - 1];
    if (problem.kind != TransformKind::real_dft) return true;
    const bool is_forward = problem.direction == Direction::forward;
    if (axis != last()) return !is_forward || done[last()];
    for (std::size_t other = 0; other < last(); ++other)
        if (!is_forward && kinds[other] && !done[other]) return false;
    return true;
}

bool Factors::is_complete(const std::vector<bool>& done) const {
    for (std::size_t axis = 0; axis < axes(); ++axis)
        if (kinds[axis] && !done[axis]) return false;
    return true;
}

std::vector<Integer> Factors::lengths_after(const std::vector<bool>& done) const {
    return changes_elements(last()) && done[last()] ? output_lengths : input_lengths;
}

bool Factors::has_complex_elements_after(const std::vector<bool>& done) const {
    if (problem.kind == TransformKind::dft) return true;
    return problem.kind == TransformKind::real_dft &&
           done[last()] == (problem.direction == Direction::forward);
}

Integer Factors::element_bytes_after(const std::vector<bool>& done) const {
    return bytes_of(problem.precision) * (has_complex_elements_after(done) ? 2 : 1);
}

Factors factors_of(const Transform& problem, bool divide) {
    check_supported(problem);
    Factors factors{problem, distributed::input_lengths(problem), distributed::output_lengths(problem), {}};
    factors.kinds.resize(problem.batches.size());
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        factors.kinds.emplace_back(problem.kind == TransformKind::real_dft &&
                                           d + 1 == problem.dimensions.size()
                                       ? TransformKind::real_dft
                                       : kind_along(problem, d));
    const Integer n = problem.dimensions.back().length, rows = rows_of(n);
    const bool is_matrix = problem.dimensions.size() == 1 && problem.kind == TransformKind::dft && rows > 1 &&
                           bytes_of(problem.precision) >= 4;
    if (divide && is_matrix) {
        factors.is_four_step = true;
        factors.kinds.emplace_back(TransformKind::dft);
        factors.input_lengths.back() = rows;
        factors.input_lengths.push_back(n / rows);
        factors.output_lengths = factors.input_lengths;
    }
    return factors;
}

Pieces pieces_of(const Factors& factors, const Box& box, bool is_input) {
    if (elements(box) == 0) return {};
    if (!factors.is_four_step) return {box};
    // index = slow·fast_length + fast: rows and columns of the input, columns and rows of the output
    const std::size_t first = factors.axes() - 2;
    const std::size_t slow = is_input ? first : first + 1, fast = is_input ? first + 1 : first;
    const Integer fast_length = factors.input_lengths[fast];
    std::vector<int> order;
    for (const int axis : order_of(box)) {
        order.push_back(static_cast<int>(axis));
        if (static_cast<std::size_t>(axis) != first) continue;
        order.back() = static_cast<int>(slow);
        order.push_back(static_cast<int>(fast));
    }
    Pieces pieces;
    const auto add = [&](Integer slow_begin, Integer slow_end, Integer fast_begin, Integer fast_end) {
        if (slow_begin >= slow_end || fast_begin >= fast_end) return;
        Box piece{box.lower, box.upper, order};
        piece.lower.resize(factors.axes());
        piece.upper.resize(factors.axes());
        piece.lower[slow] = slow_begin;
        piece.upper[slow] = slow_end;
        piece.lower[fast] = fast_begin;
        piece.upper[fast] = fast_end;
        pieces.push_back(piece);
    };
    const Integer begin = box.lower[first], end = box.upper[first];
    const Integer first_row = begin / fast_length, last_row = end / fast_length;
    if (first_row == last_row) {
        add(first_row, first_row + 1, begin % fast_length, end % fast_length);
    } else {
        const Integer whole = ceil_divide(begin, fast_length);
        add(first_row, whole, begin % fast_length, fast_length);
        add(whole, last_row, 0, fast_length);
        add(last_row, last_row + 1, 0, end % fast_length);
    }
    if (pieces.size() == 1) return pieces;
    // axes slower than the transform's: the pieces of each of their indices lie one after the other
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[i]);
        const bool is_slower = std::find(order.begin(), order.end(), static_cast<int>(slow)) - order.begin() >
                               static_cast<std::ptrdiff_t>(i);
        if (!is_slower || length(box, axis) == 1) continue;
        Pieces repeated;
        for (Integer index = box.lower[axis]; index < box.upper[axis]; ++index)
            for (Box piece : pieces) {
                piece.lower[axis] = index;
                piece.upper[axis] = index + 1;
                repeated.push_back(std::move(piece));
            }
        pieces = std::move(repeated);
    }
    return pieces;
}

} // namespace swirl::distributed
