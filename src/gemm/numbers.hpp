#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/tile.hpp"
#include "target/cpu.hpp"
#include "target/extensions.hpp"

#include <string_view>

/// What a product's numbers are, and how its kernels take them: chosen here and nowhere else.
namespace swirl::gemm {

/// How steps along the depth are multiplied and added up.
enum class Method : std::uint8_t {
    multiply_add, ///< one at a time, of numbers of the sums' kind; narrower ones are widened when they are packed
    bfloat16_pairs, ///< two at once: AVX-512 BF16
    byte_quads,     ///< four at once: AVX-512 VNNI, or AVX-VNNI
    int16_pairs,    ///< two at once, bytes being widened when they are packed: PMADDWD
};

/// How panels hold steps. Those that are taken at once are a group: the bits of an int32, the first step lowest.
struct Grouping {
    Method method = Method::multiply_add;
    bool b_is_unsigned = false; ///< of bytes
    /// A group of bytes is multiplied without sign in one operand and with sign in the other. Where both are of one kind, A's are
    /// taken as the other, 128 more or less; so many times the sums of B's columns are to be added to the product.
    int correction = 0;
    bool operator==(const Grouping&) const = default;

    bool is_plain() const { return method == Method::multiply_add; }
    int group() const { return is_plain() ? 1 : method == Method::byte_quads ? 4 : 2; }
    bool flips_a() const { return correction != 0; }
};

struct Numbers {
    Number a, b, c;
    Grouping grouping = {};
    bool operator==(const Numbers&) const = default;

    /// A, B and C of one kind.
    static Numbers all(Number number) { return {number, number, number}; }
    /// What panels are made of.
    ir::Scalar panel_scalar() const { return grouping.is_plain() ? scalar_of(c) : ir::Scalar::int32; }
    /// Bytes in a panel of a step of one row or column; of a group, all of its steps.
    Integer panel_bytes() const {
        return grouping.is_plain() ? bytes_of(c) : Integer{ir::size_in_bytes(ir::Scalar::int32)};
    }
};

/// How narrow numbers are multiplied, for people, such as "bfloat16 in pairs, ".
std::string_view words_of(const Numbers& numbers);

/// The numbers of a valid product, taken as this CPU does best.
Numbers numbers_of(const MatrixProduct& product, const target::Cpu& cpu,
                   const target::Extensions& extensions);

} // namespace swirl::gemm
