#pragma once

#include "plan/matrix_multiply.hpp"
#include "plan/matrix_region.hpp"

namespace swirl::planning {

/// The lower or upper triangle of C = α·A·B + β·C, as `multiply` would compute it; what is on the other side of the diagonal is
/// neither read nor written. C is square, of one matrix, and has a stride of 1.
void multiply_triangle(const MatrixProduct& product, MatrixRegion::Half half,
                       const MatrixArguments& arguments, int threads);

} // namespace swirl::planning
