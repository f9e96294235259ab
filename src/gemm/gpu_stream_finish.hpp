#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_stream.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// Where blocks leave the sums of parts of tiles.
ir::BufferInfo buffer_of_parts(const GpuStream& stream, const GpuSchedule& schedule,
                               const MatrixProduct& oriented, bool written);

/// The kernel that adds up the parts of each tile that several blocks have, and finishes it; of all tiles, with nothing to add up, where A
/// and B are not to be read.
ir::Program gpu_stream_finish(const MatrixProduct& product, const GpuSchedule& schedule,
                              const target::Gpu& gpu, const GpuEpilogue& epilogue);

} // namespace swirl::gemm
