#pragma once

#include "ir/block_writer.hpp"

#include <span>
#include <vector>

/// Records of a few elements that lie one after the other, and the columns of their elements.
namespace swirl::ir {

/// Records and the lanes that hold their elements in columns.
struct RecordLanes {
    int count;                      ///< of the records
    std::span<const int> record_of; ///< by lane of a column
};

/// From vectors that hold the records in order, column j: element j of each record. The two-operand shuffles may have any
/// lane map. Lanes beyond `count` are unspecified.
std::vector<Value> columns_of_records(BlockWriter writer, std::span<const Value> vectors, int width,
                                      const RecordLanes& lanes);
/// The inverse.
std::vector<Value> records_of_columns(BlockWriter writer, std::span<const Value> columns,
                                      const RecordLanes& lanes);

/// Shuffles of either function for as many records as lanes.
int shuffles_of_records(int width);

/// Whether records of less than a vector take no more shuffles than the transposition of a register for each (ir/transpose.hpp).
bool suit_records(int lanes, DataType scalar, Integer width);

} // namespace swirl::ir
