#pragma once

#include "ir/type.hpp"
#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"
#include "target/gpu.hpp"

#include <optional>

/// Predicted time of GPU kernels, from their loops alone. GPU transforms are memory-bound: a kernel takes the time of
/// its bytes, plus more the fewer blocks per multiprocessor can hide each other's latency. The coefficients were fitted
/// to about 1700 kernels timed on an H100; those of spectra to 530 kernels of convolutions, Rader's and Bluestein's
/// rules.
namespace swirl::search {

/// The properties of a kernel's code that the model needs.
struct GpuCode {
    DataType scalar;
    bool complex;                         ///< entries are complex
    std::optional<DataType> storage = {}; ///< data type in the caller's arrays, if different
};

/// Bytes per second that the reference GPU copies.
inline constexpr double gpu_copy_rate = 3e12;

struct GpuKernelCost {
    double seconds;       ///< on the reference GPU
    Integer shared_bytes; ///< per block
    Integer registers;    ///< per thread, estimated
    bool spills;          ///< a thread needs more registers than the block size allows
    int resident_blocks;  ///< per multiprocessor; 0: the block does not fit
    double conflicts;     ///< extra cycles per warp access to shared memory, from bank conflicts
    double scattered;     ///< fraction of a warp's global memory requests beyond the minimum needed
};

/// Cost of a region as it is lowered: staged, with arrays shared (`share_arrays`) as the configuration says.
GpuKernelCost gpu_kernel_cost(const loops::LoopProgram& loops, const loops::KernelRegion& region,
                              const loops::LaunchConfiguration& configuration, const GpuCode& code,
                              const target::Gpu& gpu);

struct GpuPitchedCost {
    /// Nothing if the blocks do not fit, or are no faster than the bound.
    std::optional<GpuKernelCost> cost = {};
    Integer smem_vector_pad = 0;
    double scattered = 0; ///< as above; 0 if the blocks do not fit
};

/// The configuration with its best pitch.
GpuPitchedCost best_gpu_pitch(const loops::LoopProgram& loops, const loops::KernelRegion& region,
                              const loops::LaunchConfiguration& configuration, const GpuCode& code,
                              const target::Gpu& gpu, double bound);

} // namespace swirl::search
