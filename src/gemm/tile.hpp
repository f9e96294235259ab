#pragma once

#include <swirl/matrix_product.hpp>

#include "ir/type.hpp"
#include "target/cpu.hpp"

/// Matrix products as programs: C = α·A·B + β·C in tiles of C that stay in registers while a panel of A and one of B pass by
/// (Püschel, Franchetti and Chellappa, section 5.2; Goto and van de Geijn 2008).
namespace swirl::gemm {

/// The part of C that a micro-kernel computes in registers: the tutorial's M_U × N_U. Its rows lie in vector lanes.
struct Tile {
    int lanes = 1;   ///< of a vector
    int vectors = 1; ///< of rows, in a column
    int columns = 1;
    int rows() const { return lanes * vectors; }
    bool operator==(const Tile&) const = default;
};

/// The scalars that numbers are made of, in memory and in registers.
constexpr ir::Scalar scalar_of(Number number) {
    switch (number) {
    case Number::float32:
    case Number::complex32: return ir::Scalar::float32;
    case Number::float64:
    case Number::complex64: return ir::Scalar::float64;
    case Number::bfloat16: return ir::Scalar::bfloat16;
    case Number::float16: return ir::Scalar::float16;
    case Number::snorm8:
    case Number::int8: return ir::Scalar::int8;
    case Number::unorm8:
    case Number::uint8: return ir::Scalar::uint8;
    case Number::snorm16: return ir::Scalar::int16;
    case Number::unorm16: return ir::Scalar::uint16;
    case Number::int32: return ir::Scalar::int32;
    case Number::float8_e4m3: return ir::Scalar::float8_e4m3;
    }
    return ir::Scalar::float64;
}
constexpr Integer scalars_in_line(ir::Scalar scalar) {
    return target::line_bytes / ir::size_in_bytes(scalar);
}
constexpr int scalars_in(Number number) { return is_complex(number) ? 2 : 1; }

} // namespace swirl::gemm
