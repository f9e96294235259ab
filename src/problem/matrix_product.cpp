#include "problem/matrix_product.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/overlap.hpp"

#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace swirl {

namespace {

/// What offsets in bytes must stay below.
constexpr Integer address_limit = Integer{1} << 61;

struct Operand {
    const char* name;
    const MatrixLayout& layout;
    std::array<Axis, 3> axes; ///< rows, columns, batch
};

Operand operand(const char* name, const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    return {name,
            layout,
            {Axis{rows, layout.row_stride}, Axis{columns, layout.column_stride},
             Axis{batch, layout.batch_stride}}};
}

void check_extents(const MatrixProduct& product) {
    const auto check = [](const char* name, Integer value) {
        if (value < 0) throw UserError("{} is {}; use 0 or more", name, value);
    };
    check("rows", product.rows);
    check("columns", product.columns);
    check("depth", product.depth);
    check("batch", product.batch);
    if (static_cast<int>(product.number) > static_cast<int>(Number::complex64))
        throw UserError("number is {}, which is not one of Number's values",
                        static_cast<int>(product.number));
}

/// Offsets of all elements, in bytes, must be numbers with room to spare.
void check_addresses(const Operand& operand, Integer bytes) {
    Integer reach = bytes;
    for (const Axis& axis : operand.axes) {
        if (axis.length <= 1) continue;
        const bool is_lowest = axis.stride == std::numeric_limits<Integer>::min();
        const std::optional<Integer> along =
            is_lowest ? std::nullopt
                      : checked_multiply(axis.length - 1, axis.stride < 0 ? -axis.stride : axis.stride);
        const std::optional<Integer> in_bytes = along ? checked_multiply(*along, bytes) : std::nullopt;
        const std::optional<Integer> sum = in_bytes ? checked_add(reach, *in_bytes) : std::nullopt;
        if (!sum || *sum >= address_limit)
            throw UserError("{} reaches beyond 64-bit addresses: {} elements with a stride of {}",
                            operand.name, axis.length, axis.stride);
        reach = *sum;
    }
}

void check_conjugation(const MatrixProduct& product) {
    if (product.c.conjugated) throw UserError("c.conjugated is true; only A and B can be conjugated");
    if (!is_complex(product.number) && (product.a.conjugated || product.b.conjugated))
        throw UserError("{}.conjugated is true, but the numbers are real", product.a.conjugated ? "a" : "b");
}

void check_c(const Operand& c) {
    std::vector<Axis> axes;
    for (const Axis& axis : c.axes) {
        if (axis.length == 0) return;
        if (axis.length > 1) axes.push_back(axis);
    }
    if (find_overlap(axes).verdict == OverlapResult::Verdict::overlapping)
        throw UserError(
            "elements of C share places: row_stride {}, column_stride {}, batch_stride {} for {} by {}, {} "
            "of "
            "them\n  column-major: row_stride 1, column_stride at least the rows, batch_stride at least a "
            "whole matrix",
            c.layout.row_stride, c.layout.column_stride, c.layout.batch_stride, c.axes[0].length,
            c.axes[1].length, c.axes[2].length);
}

} // namespace

void validate(const MatrixProduct& product) {
    check_extents(product);
    check_conjugation(product);
    const Operand c = operand("C", product.c, product.rows, product.columns, product.batch);
    for (const Operand& one : {operand("A", product.a, product.rows, product.depth, product.batch),
                               operand("B", product.b, product.depth, product.columns, product.batch), c})
        check_addresses(one, bytes_of(product.number));
    check_c(c);
}

Extent extent_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    Extent extent;
    for (const Axis& axis : operand("", layout, rows, columns, batch).axes) {
        const Integer along = (axis.length - 1) * axis.stride;
        (along < 0 ? extent.lowest : extent.highest) += along;
    }
    return extent;
}

} // namespace swirl
