#pragma once

#include "ir/builder.hpp"

#include <string>

/// Matrices of a batch that lie where lists of pointers say.
namespace swirl::gemm {

/// An argument `name`_list: the address of element (0, 0) of each matrix of a batch.
ir::Buffer add_list(ir::Builder& builder, const std::string& name, Integer batch);

/// Where the matrix of this number, an int64, begins in memory, in accesses of so many bytes.
ir::Value place_in_memory(ir::Builder& builder, ir::Buffer list, ir::Value number, Integer bytes);

} // namespace swirl::gemm
