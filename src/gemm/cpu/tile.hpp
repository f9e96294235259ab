#pragma once

#include <swirl/matrix_product.hpp>

#include "ir/type.hpp"
#include "target/cpu.hpp"

/// GEMM as programs: C = α·A·B + β·C in register tiles of C, over a panel of A and one of B (Püschel, Franchetti and
/// Chellappa, section 5.2; Goto and van de Geijn 2008).
namespace swirl::gemm {

/// The register tile of C that a micro-kernel computes: the tutorial's M_U × N_U. Its rows lie in vector lanes.
struct Tile {
    int lanes = 1;   ///< of a vector
    int vectors = 1; ///< vectors of rows in a column
    int columns = 1;
    int rows() const { return lanes * vectors; }
    bool operator==(const Tile&) const = default;
};

/// The scalar type of a data type, in memory and in registers.
constexpr DataType scalar_of(DataType data_type) {
    switch (data_type) {
    case DataType::float32:
    case DataType::complex64: return DataType::float32;
    case DataType::float64:
    case DataType::complex128: return DataType::float64;
    case DataType::bfloat16: return DataType::bfloat16;
    case DataType::float16: return DataType::float16;
    case DataType::snorm8:
    case DataType::int8: return DataType::int8;
    case DataType::unorm8:
    case DataType::uint8: return DataType::uint8;
    case DataType::snorm16: return DataType::int16;
    case DataType::unorm16: return DataType::uint16;
    case DataType::int32: return DataType::int32;
    case DataType::float8_e4m3: return DataType::float8_e4m3;
    }
    return DataType::float64;
}
constexpr Integer scalars_per_cache_line(DataType scalar) { return target::line_bytes / bytes_of(scalar); }
constexpr int scalars_in(DataType data_type) { return is_complex(data_type) ? 2 : 1; }

} // namespace swirl::gemm
