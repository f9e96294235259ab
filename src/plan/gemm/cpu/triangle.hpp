#pragma once

#include "plan/gemm/cpu/code.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/region.hpp"

namespace swirl::planning {

/// The lower or upper triangle of C = α·A·B + β·C, with the same bits as `multiply`. Elements on the other side of the
/// diagonal are neither read nor written. C is square, one matrix, and has a unit stride.
void multiply_triangle(const MatrixProduct& product, MatrixRegion::Half half,
                       const MatrixArguments& arguments, const MatrixCode& code, int threads);

} // namespace swirl::planning
