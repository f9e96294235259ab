#pragma once

#include <swirl/data_type.hpp>

#include "ir/program.hpp"

namespace swirl::gemm {

/// Copies a matrix to one whose columns follow each other.
struct MatrixCopy {
    enum class Source : std::uint8_t {
        by_columns, ///< the matrix's columns are contiguous
        by_rows,    ///< its rows
        neither,
    };
    DataType data_type = DataType::float64;
    Source source = Source::by_columns;
    bool conjugated = false;
    int lanes = 1; ///< rows, and with rows columns, that are copied at once
    bool operator==(const MatrixCopy&) const = default;
};

/// The program. Buffers: `from` and `to`. Parameters, in this order:
///   whole_rows     rounded down to a multiple of the lanes
///   rows
///   whole_columns  rounded down to a multiple of the lanes
///   columns
///   row_stride     of the matrix, in elements
///   column_stride
ir::Program matrix_copy(const MatrixCopy& copy);

} // namespace swirl::gemm
