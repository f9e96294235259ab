#pragma once

#include "ir/builder.hpp"

#include <string>

/// Batches of matrices given by lists of pointers.
namespace swirl::gemm {

/// An argument `name`_list: the addresses of element (0, 0) of all matrices in the batch.
ir::Buffer add_pointer_list(ir::Builder& builder, const std::string& name, Integer batch);

/// Offset in memory at which matrix `number` (int64) begins, in accesses of `bytes` bytes.
ir::Value offset_in_memory(ir::Builder& builder, ir::Buffer list, ir::Value number, Integer bytes);

} // namespace swirl::gemm
