#pragma once

#include "ir/builder.hpp"

/// Batches of matrices given by lists of pointers.
namespace swirl::gemm {

/// An argument a_list, b_list or c_list: the addresses of element (0, 0) of all matrices of the batch in the role a, b
/// or c.
ir::Buffer add_pointer_list(ir::Builder& builder, ir::ArgumentRole matrix, Integer batch);

/// Offset in memory at which matrix `index` (int64) begins, in accesses of `bytes` bytes.
ir::Value offset_in_memory(ir::Builder& builder, ir::Buffer list, ir::Value index, Integer bytes);

} // namespace swirl::gemm
