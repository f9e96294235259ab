#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "ir/program.hpp"

namespace swirl::gemm {

/// Workspace buffer of the tiles' partial sums.
ir::BufferInfo buffer_of_partials(const StreamKPartition& stream, const SimtGemm& schedule,
                                  const MatrixProduct& canonical, bool written);

/// The fixup kernel: reduces the partials of each shared tile and finishes it. If A and B are not read, it writes all
/// tiles, with nothing to reduce.
ir::Program stream_k_fixup_kernel(const CanonicalSimtGemm& gemm, const target::Gpu& gpu,
                                  const GpuEpilogue& epilogue);

} // namespace swirl::gemm
