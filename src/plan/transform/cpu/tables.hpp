#pragma once

#include "ir/program.hpp"

#include <cstddef>

/// Constant data of kernels, in memory.
namespace swirl::planning {

std::size_t bytes_of(const ir::BufferInfo& buffer);

/// Address of a table whose contents are already stored as kernels load them, otherwise null.
const void* data_of(const ir::BufferInfo& table);

/// Writes a table's contents, rounded to its element type, to `to`, which has room for bytes_of(table).
void fill_table(void* to, const ir::BufferInfo& table);

} // namespace swirl::planning
