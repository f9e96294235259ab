#pragma once

#include "ir/block_writer.hpp"

#include <span>
#include <vector>

/// Shuffles that transpose small matrices held in vector registers.
namespace swirl::ir {

/// ν×ν transposition for vectors of ν lanes, in log₂ ν layers of two-operand shuffles. Layers above 16 bytes gather
/// even and odd 16-byte units (lane maps of vshuff64x2 and vshuff32x4 with immediates 0x88 and 0xdd, and of vperm2f128
/// with 0x20 and 0x31); those within 16 bytes are unpcklpd, unpckhpd, unpcklps, unpckhps.
///
/// columns_of_rows: rows[l] holds row l of a c × k matrix (c, k ≤ ν) in its first k lanes; result[j] holds column j,
/// lane l from row l. rows_of_columns is the inverse: columns in, `count` rows out. Lanes without an element are
/// unspecified. Only shuffles that the results need are emitted; a result may be one of the arguments.
std::vector<Value> columns_of_rows(BlockWriter writer, std::span<const Value> rows, int count);
std::vector<Value> rows_of_columns(BlockWriter writer, std::span<const Value> columns, int count);

/// Shuffles of either function for a matrix of as many rows as lanes and `columns` columns.
int shuffles_of_transposition(int lanes, DataType scalar, int columns);

} // namespace swirl::ir
