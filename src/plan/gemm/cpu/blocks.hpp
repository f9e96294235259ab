#pragma once

#include "plan/gemm/cpu/extras.hpp"
#include "plan/gemm/cpu/kernels.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/region.hpp"

namespace swirl::planning {

/// C = α·A·B + β·C by blocks with at most `kc` k indices, on the calling thread. `update` says how β applies. One
/// matrix, C with row stride 1, no extent zero. Elements of C outside the region are neither read nor written. An
/// epilogue must be one that tiles apply, and the region then all of C.
void multiply_blocks(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments,
                     gemm::Update update, Integer kc, const MatrixRegion& region = {},
                     const MatrixExtras& extras = {});

} // namespace swirl::planning
