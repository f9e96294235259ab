#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_stream.hpp"
#include "ir/program.hpp"

#include <vector>

namespace swirl::gemm {

/// The kernels of a product by threads whose schedule streams: blocks go through their pieces and finish tiles that they have all
/// of; of others they leave their parts in memory, which the second kernel adds up in the order of the depth. Where A and B are not to be read the
/// second one alone makes all of C. See gpu_product.
std::vector<ir::Program> gpu_stream_product(const MatrixProduct& product, const GpuSchedule& schedule,
                                            const target::Gpu& gpu, const GpuEpilogue& epilogue);

} // namespace swirl::gemm
