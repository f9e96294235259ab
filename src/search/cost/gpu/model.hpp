#pragma once

#include "ir/type.hpp"
#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"
#include "target/gpu.hpp"

#include <optional>

/// Predicted time of GPU kernels, from their loops alone.
namespace swirl::search {

/// The properties of a kernel's code that the model needs.
struct GpuCode {
    DataType scalar;
    bool complex;                         ///< entries are complex
    std::optional<DataType> storage = {}; ///< data type in the caller's arrays, if different
};

/// What the model sees of a kernel; of one block unless said otherwise.
struct GpuKernelFeatures {
    double blocks = 1;          ///< of the launch
    double resident_blocks = 0; ///< per multiprocessor
    double bytes = 0;           ///< moved in global memory
    double wasted_loads = 0;    ///< unused bytes of the sectors that warps load
    double wasted_stores = 0;   ///< likewise, of those that they store to
    double segments = 0;        ///< sum of 1/bytes of a contiguous range, over the sides of all steps
    double steps = 0;           ///< between barriers
    double sides = 0;           ///< of steps that are in global memory: loads and stores
    double waits = 0;           ///< steps that wait for a spectrum's entries
    double instructions = 0;    ///< of a thread, one after the other
    double issued = 0;          ///< instructions of all warps
    double shared_cycles = 0;   ///< of the banks of shared memory
    double spilled = 0;         ///< registers that a thread lacks, relative to those that it has
    double cluster = 1;         ///< blocks that exchange data
    double words = 1;           ///< of a scalar
    double factor_bytes = 0;    ///< of twiddle factors, read from tables
    double table_bytes = 0;     ///< of these tables
    double shared_bytes = 0;
    double exchanged = 0;    ///< fraction of the bytes that a cooperative group's blocks exchange through L2
    double group_rounds = 0; ///< transforms that such a group computes one after the other; 0: no groups
    double group_blocks = 0; ///< of all groups, which compute the launch's blocks one after the other
};

/// Constants of the model, fitted by `bench_gpu_cost` to kernels of problems drawn at random (decision 43).
struct GpuModelConstants {
    double launch = 1.021e-06;          ///< seconds, of a kernel
    double cached_latency = 75.29;      ///< cycles until a load from L2 has arrived, or a store is done
    double memory_latency = 189;        ///< more of them where memory is accessed
    double step_latency = 157.8;        ///< cycles, of a step and its barrier
    double instruction_latency = 1.075; ///< cycles, of a thread's instruction
    double issue_cycles = 1.106;        ///< of a warp instruction, relative to one per cycle and partition
    double bank_cycles = 1.467;         ///< of a request to shared memory, relative to one per cycle
    double memory_rate = 0.8378;        ///< relative to the GPU's
    double cache_rate = 0.4602;         ///< L2, relative to the GPU's
    double multiprocessor_rate = 57.9;  ///< bytes per cycle between one multiprocessor and L2
    double capacity = 0.7257;           ///< of L2 for data to remain there, relative to the GPU's
    double sharpness = 6.697;           ///< of the transition beyond this capacity
    /// Exponent of the norm: of one round of one resident block; more each time that the resident blocks double in number,
    /// or the rounds, which do not keep in step.
    double overlap = 1.596, overlap_of_blocks = 0.2457, overlap_of_rounds = 0.08269;
    double segment_bytes = 14; ///< lost per contiguous range
    /// Fractions of the unused bytes that are moved. A sector's other bytes may be used soon: of a load they are in the
    /// first-level cache, stores meet in L2.
    double loads_from_memory = 0.08252, loads_from_cache = 0.2522, stores_to_memory = 0.4541,
           stores_to_cache = 1.605;
    double spill = 2; ///< more instructions where a thread lacks as many registers as it has, as a fraction
    double spectrum_latency = 529.8; ///< cycles, of a step that waits for a spectrum
    double exchange_latency = 524.9; ///< cycles, of a step of a cluster
    double exchange = 0.8;           ///< more time of clusters of 16 blocks, as a fraction
    double exchange_growth = 0.69;   ///< exponent of that with the cluster's size
    double group_latency = 4200;     ///< cycles, of a cooperative group's barrier
    double block_cycles = 68.24;     ///< to start a block
    double word_latency = 0.7339;    ///< exponent of the latency of instructions with their words
    double table_cache =
        1.188;                 ///< of the first-level cache for tables, relative to what shared memory leaves
    double table_rate = 96.43; ///< bytes per cycle of factors that this cache lacks
};

/// Seconds of the kernel. Each resource alone - the chain of a block's instructions and latencies, issue slots, shared
/// memory, factors from tables, L2 and memory - would take some time; the kernel takes a norm of all these, near the sum where
/// one block is alone on its multiprocessor and near the maximum where many overlap.
double gpu_kernel_seconds(const GpuKernelFeatures& kernel, const target::Gpu& gpu,
                          const GpuModelConstants& constants = {});

struct GpuKernelCost {
    double seconds;       ///< predicted
    Integer shared_bytes; ///< per block
    Integer registers;    ///< per thread, estimated
    bool spills;          ///< a thread needs more registers than the block size allows
    int resident_blocks;  ///< per multiprocessor; 0: the block does not fit
    double scattered;     ///< fraction of a warp's global memory requests beyond the minimum needed
    GpuKernelFeatures features = {};
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
