#pragma once

#include "gemm/cpu/tile_writer.hpp"
#include "ir/program.hpp"

#include <cstdint>

namespace swirl::gemm {

/// Which half of a matrix counts, with its diagonal.
enum class Triangle : std::uint8_t { lower, upper };

/// Puts those elements of a finished tile into C that are on one side of a diagonal, or multiplies these elements of C by β;
/// the others of C are neither read nor written.
struct TriangleUpdate {
    DataType data_type = DataType::float64;
    int lanes = 1;
    int rows = 1; ///< of the tile, whose columns follow each other
    int columns = 1;
    Triangle triangle = Triangle::lower;
    /// Element (i, j) counts if j − i ≤ diagonal (lower), or if i − j ≤ diagonal (upper).
    int diagonal = 0;
    Update update = Update::overwrite; ///< of C, where the product is the tile
    bool has_tile = true;              ///< otherwise the product is zero
    Integer max_stride = 1;            ///< of C's columns
    bool operator==(const TriangleUpdate&) const = default;
};

/// Rows first … last−1 of a column count.
struct CountingRows {
    int first = 0, last = 0;
};
CountingRows counting_rows(const TriangleUpdate& kernel, int column);

/// The program. Buffers: `tile` where there is one, `c`, and `beta` for Update::scale. Parameter:
///   column_stride  of C, in elements, ≥ 0 and ≤ max_stride; C's row stride is 1
ir::Program triangle_update(const TriangleUpdate& kernel);

} // namespace swirl::gemm
