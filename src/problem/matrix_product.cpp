#include "problem/matrix_product.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/overlap.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace swirl {

namespace {

/// Bound on byte offsets.
constexpr Integer address_limit = Integer{1} << 61;

struct Operand {
    const char* name;
    Integer bytes; ///< of an element
    const MatrixLayout& layout;
    std::array<Axis, 3> axes; ///< rows, columns, batch
};

Operand operand(const char* name, Integer bytes, const MatrixLayout& layout, Integer rows, Integer columns,
                Integer batch) {
    return {name,
            bytes,
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
    check("k", product.k);
    check("batch", product.batch);
}

bool is_byte(DataType data_type) { return data_type == DataType::int8 || data_type == DataType::uint8; }

bool is_half(DataType data_type) { return data_type == DataType::bfloat16 || data_type == DataType::float16; }
/// Data types of A, B and C in memory that have float32 accumulators.
bool is_low_precision(DataType data_type) {
    return is_half(data_type) || is_byte(data_type) || is_normalised(data_type);
}

void check_data_types(const MatrixProduct& product) {
    const DataType a = product.type_of_a(), b = product.type_of_b(), c = product.data_type;
    for (const auto& [name, data_type] : {std::pair("a_type", a), {"b_type", b}, {"data_type", c}})
        if (!is_data_type(data_type))
            throw UserError("{} is {}, which is not one of DataType's values", name,
                            static_cast<int>(data_type));
    const auto fail = [](const char* name, DataType given, const char* wanted) {
        throw UserError("{} is {}; {}", name, name_of(given), wanted);
    };
    if (c == DataType::int32) {
        constexpr const char* wanted = "operands of int32 accumulators are int8 or uint8";
        if (!is_byte(a)) fail("a_type", a, wanted);
        if (!is_byte(b)) fail("b_type", b, wanted);
        return;
    }
    if (!is_accumulator_type(c))
        fail("data_type", c, "accumulators are float32, float64, complex64, complex128 or int32");
    constexpr const char* wanted =
        "it must be data_type, or a narrower type for float32, int8 or uint8 for int32";
    if (a == DataType::float8_e4m3 && b != a) fail("b_type", b, "it must be that of A, float8_e4m3");
    const auto suits = [&](DataType data_type) {
        if (c == DataType::float32 && data_type == DataType::float8_e4m3) return a == data_type;
        return data_type == c || (c == DataType::float32 && is_low_precision(data_type));
    };
    if (!suits(a)) fail("a_type", a, wanted);
    if (!suits(b)) fail("b_type", b, wanted);
}

/// Checks C's data type if it differs from the accumulators'.
void check_c_type(const MatrixProduct& product) {
    const DataType c = product.type_of_c(), sums = product.data_type;
    if (c == sums) return;
    if (!is_data_type(c))
        throw UserError("c_type is {}, which is not one of DataType's values", static_cast<int>(c));
    if (sums == DataType::float32 && is_low_precision(c)) return;
    if (sums == DataType::int32 && (is_half(c) || is_byte(c) || c == DataType::float32)) return;
    throw UserError(
        "c_type is {} for accumulators of {}; float32 and int32 accumulators are stored as bfloat16, "
        "float16, int8 or "
        "uint8, those of int32 as float32, too, of float32 as unorm8, snorm8, unorm16 or snorm16",
        name_of(c), name_of(sums));
}

/// Byte offsets of all elements must fit in 64 bits with a margin.
void check_addresses(const Operand& operand) {
    const Integer bytes = operand.bytes;
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

void check_lists(const MatrixProduct& product) {
    const int alignment = product.list_alignment;
    if (!product.listed && alignment != 0)
        throw UserError("list_alignment is {}, but listed is false; set listed, or leave list_alignment at 0",
                        alignment);
    if (alignment < 0 || (alignment & (alignment - 1)) != 0)
        throw UserError("list_alignment is {}; use a power of two, or 0 for that of an element", alignment);
}

void check_conjugation(const MatrixProduct& product) {
    if (product.c.conjugated) throw UserError("c.conjugated is true; only A and B can be conjugated");
    if (!is_complex(product.data_type) && (product.a.conjugated || product.b.conjugated))
        throw UserError("{}.conjugated is true, but the elements are real", product.a.conjugated ? "a" : "b");
}

void check_c(const Operand& c) {
    std::vector<Axis> axes;
    for (const Axis& axis : c.axes) {
        if (axis.length == 0) return;
        if (axis.length > 1) axes.push_back(axis);
    }
    if (find_overlap(axes).verdict == OverlapResult::Verdict::overlapping)
        throw UserError(
            "elements of C overlap: row_stride {}, column_stride {}, batch_stride {} for {} by {}, {} "
            "of "
            "them\n  column-major: row_stride 1, column_stride at least the rows, batch_stride at least a "
            "whole matrix",
            c.layout.row_stride, c.layout.column_stride, c.layout.batch_stride, c.axes[0].length,
            c.axes[1].length, c.axes[2].length);
}

} // namespace

MatrixLayout transposed(MatrixLayout layout) {
    std::swap(layout.row_stride, layout.column_stride);
    return layout;
}

MatrixProduct transposed(const MatrixProduct& product) {
    MatrixProduct result = product;
    std::swap(result.rows, result.columns);
    std::swap(result.a_type, result.b_type);
    result.a = transposed(product.b);
    result.b = transposed(product.a);
    result.c = transposed(product.c);
    return result;
}

void validate(const MatrixProduct& product) {
    check_extents(product);
    check_data_types(product);
    check_c_type(product);
    check_conjugation(product);
    check_lists(product);
    const Integer batch = product.listed ? 1 : product.batch; // a pointer-array batch has no known layout
    const Operand c =
        operand("C", bytes_of(product.type_of_c()), product.c, product.rows, product.columns, batch);
    for (const Operand& one :
         {operand("A", bytes_of(product.type_of_a()), product.a, product.rows, product.k, batch),
          operand("B", bytes_of(product.type_of_b()), product.b, product.k, product.columns, batch), c})
        check_addresses(one);
    check_c(c);
    check_matrix_expressions(product);
}

void validate_for_cpus(const MatrixProduct& product) {
    if (product.listed)
        throw Unsupported(
            "listed is true, but on CPUs execute_each() of any plan takes arrays of pointers\n  leave "
            "it out, or plan for a GPU (Options::device)");
    const DataType a = product.type_of_a(), b = product.type_of_b();
    if (product.data_type != DataType::float32 || (a == b && (a == product.data_type || is_half(a)))) return;
    throw Unsupported(
        "a_type is {} and b_type {} for accumulators of float32; such operands are multiplied on GPUs: "
        "plan for one (Options::device)\n  on CPUs both are float32, bfloat16 or float16, or bytes with sums "
        "of int32",
        name_of(a), name_of(b));
}

Elements elements_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch,
                     Integer bytes) {
    const auto axes = operand("", bytes, layout, rows, columns, batch).axes;
    return {{axes.begin(), axes.end()}, bytes};
}

Extent extent_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    Extent extent;
    for (const Axis& axis : operand("", 0, layout, rows, columns, batch).axes) {
        const Integer along = (axis.length - 1) * axis.stride;
        (along < 0 ? extent.lowest : extent.highest) += along;
    }
    return extent;
}

} // namespace swirl
