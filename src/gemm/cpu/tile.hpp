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

/// What programs have in memory and registers for elements of this type: a complex type's component, the integers of a
/// normalised type.
constexpr DataType scalar_of(DataType data_type) {
    switch (data_type) {
    case DataType::unorm8: return DataType::uint8;
    case DataType::snorm8: return DataType::int8;
    case DataType::unorm16: return DataType::uint16;
    case DataType::snorm16: return DataType::int16;
    default: return component_of(data_type);
    }
}
constexpr Integer scalars_per_cache_line(DataType scalar) { return target::line_bytes / bytes_of(scalar); }
constexpr int scalars_in(DataType data_type) { return is_complex(data_type) ? 2 : 1; }

} // namespace swirl::gemm
