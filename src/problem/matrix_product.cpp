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

/// What offsets in bytes must stay below.
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
    check("depth", product.depth);
    check("batch", product.batch);
}

bool is_byte(Number number) { return number == Number::int8 || number == Number::uint8; }

bool is_half(Number number) { return number == Number::bfloat16 || number == Number::float16; }
/// What sums of float32 may be of, and be stored as.
bool is_narrow(Number number) { return is_half(number) || is_byte(number) || is_normalised(number); }

void check_numbers(const MatrixProduct& product) {
    const Number a = product.number_of_a(), b = product.number_of_b(), c = product.number;
    for (const auto& [name, number] : {std::pair("a_number", a), {"b_number", b}, {"number", c}})
        if (number > Number::snorm16)
            throw UserError("{} is {}, which is not one of Number's values", name, static_cast<int>(number));
    const auto fail = [](const char* name, Number given, const char* wanted) {
        throw UserError("{} is {}; {}", name, word_of(given), wanted);
    };
    if (c == Number::int32) {
        constexpr const char* wanted = "products of int32 sums are of int8 or uint8";
        if (!is_byte(a)) fail("a_number", a, wanted);
        if (!is_byte(b)) fail("b_number", b, wanted);
        return;
    }
    if (c > Number::complex64)
        fail("number", c, "sums are of float32, float64, complex32, complex64 or int32");
    constexpr const char* wanted =
        "it must be as number, or what is narrower for float32, int8 or uint8 for int32";
    if (a == Number::float8_e4m3 && b != a) fail("b_number", b, "it must be that of A, float8_e4m3");
    const auto suits = [&](Number number) {
        if (c == Number::float32 && number == Number::float8_e4m3) return a == number;
        return number == c || (c == Number::float32 && is_narrow(number));
    };
    if (!suits(a)) fail("a_number", a, wanted);
    if (!suits(b)) fail("b_number", b, wanted);
}

/// C's, where they are others than sums.
void check_stored_numbers(const MatrixProduct& product) {
    const Number c = product.number_of_c(), sums = product.number;
    if (c == sums) return;
    if (c > Number::snorm16)
        throw UserError("c_number is {}, which is not one of Number's values", static_cast<int>(c));
    if (sums == Number::float32 && is_narrow(c)) return;
    if (sums == Number::int32 && (is_half(c) || is_byte(c) || c == Number::float32)) return;
    throw UserError(
        "c_number is {} for sums of {}; float32 and int32 sums are stored as bfloat16, float16, int8 or "
        "uint8, those of int32 as float32, too, of float32 as unorm8, snorm8, unorm16 or snorm16",
        word_of(c), word_of(sums));
}

/// Offsets of all elements, in bytes, must be numbers with room to spare.
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
        throw UserError("list_alignment is {}, but there are no lists: listed is false", alignment);
    if (alignment < 0 || (alignment & (alignment - 1)) != 0)
        throw UserError("list_alignment is {}; use a power of two, or 0 for that of an element", alignment);
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
    check_numbers(product);
    check_stored_numbers(product);
    check_conjugation(product);
    check_lists(product);
    const Integer batch = product.listed ? 1 : product.batch; // of which nothing is known
    const Operand c =
        operand("C", bytes_of(product.number_of_c()), product.c, product.rows, product.columns, batch);
    for (const Operand& one :
         {operand("A", bytes_of(product.number_of_a()), product.a, product.rows, product.depth, batch),
          operand("B", bytes_of(product.number_of_b()), product.b, product.depth, product.columns, batch), c})
        check_addresses(one);
    check_c(c);
    check_matrix_expressions(product);
}

void validate_for_cpus(const MatrixProduct& product) {
    if (product.listed)
        throw UserError(
            "listed is true, but lists of a CPU's are given to execute_each() of any plan\n  leave "
            "it out, or use swirl::gpu::plan()");
    const Number a = product.number_of_a(), b = product.number_of_b();
    if (product.number != Number::float32 || (a == b && (a == product.number || is_half(a)))) return;
    throw UserError(
        "a_number is {} and b_number {} for sums of float32; such numbers are multiplied on GPUs: "
        "swirl::gpu::plan()\n  on CPUs both are float32, bfloat16 or float16, or bytes with sums of int32",
        word_of(a), word_of(b));
}

std::string_view word_of(Number number) {
    switch (number) {
    case Number::float32: return "float32";
    case Number::float64: return "float64";
    case Number::complex32: return "complex32";
    case Number::complex64: return "complex64";
    case Number::bfloat16: return "bfloat16";
    case Number::float16: return "float16";
    case Number::int8: return "int8";
    case Number::uint8: return "uint8";
    case Number::int32: return "int32";
    case Number::float8_e4m3: return "float8_e4m3";
    case Number::unorm8: return "unorm8";
    case Number::snorm8: return "snorm8";
    case Number::unorm16: return "unorm16";
    case Number::snorm16: return "snorm16";
    }
    return "?";
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
