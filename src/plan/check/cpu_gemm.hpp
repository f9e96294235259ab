#pragma once

#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/amx_pack.hpp"
#include "gemm/cpu/micro_kernel.hpp"
#include "gemm/cpu/pack.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "gemm/cpu/triangle_update.hpp"
#include "runtime/cpu/executable_memory.hpp"

/// The check of a kernel of CPU products before its first use: a sample problem of the kernel's own shape, computed by
/// definition as a second route. Samples are small integers, so that results are exact and compared bit by bit; an
/// epilogue's results are compared up to rounding. Memory around the results must stay as it was.
namespace swirl::planning {

/// Whether kernels are checked before their first use.
enum class KernelCheck : bool { off, on };

/// Each throws InternalError, naming the kernel and the first wrong element.
void check_tile(const gemm::MicroKernel& kernel, runtime::KernelFunction function);
void check_pack(const gemm::Pack& kernel, runtime::KernelFunction function);
void check_triangle(const gemm::TriangleUpdate& kernel, runtime::KernelFunction function);
/// The tile registers must be configured (runtime::TileState).
void check_amx_tile(const gemm::AmxKernel& kernel, runtime::KernelFunction function);
void check_amx_pack(const gemm::AmxPack& kernel, runtime::KernelFunction function);
void check_small(const gemm::SmallGemm& kernel, runtime::KernelFunction function);

/// The kernel itself, if its check takes about as long as its compilation; otherwise one of the same tile, loops and
/// remainders with shorter extents, whose check stands for it.
gemm::SmallGemm sample_of(const gemm::SmallGemm& kernel);

} // namespace swirl::planning
