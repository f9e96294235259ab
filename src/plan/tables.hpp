#pragma once

#include "ir/program.hpp"

#include <cstddef>

/// Constant data of kernels, as it lies in memory.
namespace swirl::planning {

std::size_t bytes_of(const ir::BufferInfo& buffer);

/// A table's contents where they lie as kernels load them, else null.
const void* data_of(const ir::BufferInfo& table);

/// Writes a table's contents, rounded to its elements' type, to `to`, which has room for bytes_of(table).
void fill_table(void* to, const ir::BufferInfo& table);

} // namespace swirl::planning
