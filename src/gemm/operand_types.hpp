#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/scalar.hpp"
#include "target/cpu.hpp"
#include "target/extensions.hpp"

#include <string_view>

/// The data types of a matrix multiplication and how kernels consume them; decided here and nowhere else.
namespace swirl::gemm {

/// How products along K are formed and accumulated.
enum class Method : std::uint8_t {
    multiply_add,   ///< one k at a time, in the accumulators' type; narrower elements are widened when packed
    bfloat16_pairs, ///< two k at once: AVX-512 BF16
    byte_quads,     ///< four k at once: AVX-512 VNNI or AVX-VNNI
    int16_pairs,    ///< two k at once, bytes being widened when packed: PMADDWD
};

/// How panels hold elements along K. Elements that one instruction consumes form a K group: the bits of an int32, the
/// lowest k index lowest.
struct KPacking {
    Method method = Method::multiply_add;
    bool b_is_unsigned = false; ///< for bytes
    /// Byte instructions multiply an unsigned operand by a signed one. Where both are of one kind, A is offset by
    /// ±128; the result then needs this multiple of B's column sums added.
    int correction = 0;
    bool operator==(const KPacking&) const = default;

    bool is_plain() const { return method == Method::multiply_add; }
    int k_group() const { return is_plain() ? 1 : method == Method::byte_quads ? 4 : 2; }
    bool flips_a() const { return correction != 0; }
};

struct OperandTypes {
    DataType a, b, c;
    KPacking k_packing = {};
    bool operator==(const OperandTypes&) const = default;

    /// A, B and C of one data type.
    static OperandTypes all(DataType data_type) { return {data_type, data_type, data_type}; }
    /// Element type of packed panels.
    DataType panel_scalar() const { return k_packing.is_plain() ? scalar_of(c) : DataType::int32; }
    /// Bytes in a panel for one k index of a row or column; for K groups, the bytes of a group.
    Integer panel_bytes() const {
        return k_packing.is_plain() ? bytes_of(c) : Integer{bytes_of(DataType::int32)};
    }
};

/// How low-precision operands are multiplied, for messages: "bfloat16 in pairs, ".
std::string_view words_of(const OperandTypes& types);

/// The data types of a valid problem, with the best method of this CPU.
OperandTypes operand_types_of(const MatrixProduct& product, const target::Cpu& cpu,
                              const target::Extensions& extensions);

} // namespace swirl::gemm
