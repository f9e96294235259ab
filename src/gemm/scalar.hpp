#pragma once

#include <swirl/matrix_product.hpp>

#include "ir/type.hpp"
#include "target/cpu.hpp"

namespace swirl::gemm {

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
