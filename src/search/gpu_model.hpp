#pragma once

#include "ir/type.hpp"
#include "lower/gpu_lowering.hpp"
#include "lower/gpu_parts.hpp"
#include "target/gpu.hpp"

#include <optional>

/// What kernels take on a GPU, from their loops alone. Transforms there are bound by memory: a kernel takes what its bytes take,
/// and more the less the blocks of a multiprocessor can hide of each other's waiting. The shares were fitted to about 1700
/// kernels timed on an H100, that of spectra to 530 of convolutions, Rader's and Bluestein's rules.
namespace swirl::search {

/// What the code of a kernel is for.
struct GpuCode {
    ir::Scalar scalar;
    bool complex;                           ///< entries are complex
    std::optional<ir::Scalar> storage = {}; ///< in the caller's arrays, where it is another
};

struct GpuKernelCost {
    double seconds;       ///< on the usual card
    Integer shared_bytes; ///< of a block
    Integer registers;    ///< of a thread, guessed
    bool spills;          ///< whether a thread wants more than such blocks leave it
    int resident_blocks;  ///< 0: such blocks do not run
    double conflicts;     ///< further cycles of a warp's accesses to shared memory, by access
    double scattered;     ///< requests of a warp to global memory beyond those that it needs, of those
};

/// Of a part as it is lowered: staged, its arrays shared (`share_arrays`) as the mapping says.
GpuKernelCost gpu_kernel_cost(const lower::LoopProgram& loops, const lower::GpuPart& part,
                              const lower::GpuMapping& mapping, const GpuCode& code, const target::Gpu& gpu);

struct GpuPitchedCost {
    std::optional<GpuKernelCost> cost =
        {}; ///< nothing where such blocks do not run, or are no faster than the bound
    Integer shared_pitch = 0;
    double scattered = 0; ///< as above; 0 where they do not run
};

/// The mapping with the pitch that is best for it.
GpuPitchedCost best_gpu_pitch(const lower::LoopProgram& loops, const lower::GpuPart& part,
                              const lower::GpuMapping& mapping, const GpuCode& code, const target::Gpu& gpu,
                              double bound);

} // namespace swirl::search
