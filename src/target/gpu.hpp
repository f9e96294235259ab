#pragma once

#include "base/integer.hpp"

#include <span>
#include <string_view>

namespace swirl::target {

/// Matrix multiply-accumulate instructions of the tensor cores, by data type of A and B.
struct TensorInstructions {
    bool float16 = false;
    bool bfloat16 = false;
    bool tfloat32 = false; ///< float32 rounded to 10 bits of fraction
    bool float64 = false;
    bool int8 = false;
    bool float8 = false;    ///< e4m3 and e5m2
    bool warpgroup = false; ///< wgmma: four warps, operands in shared memory; needs Gpu::special_target
};

/// Rates that no kernel exceeds: of the most common card, or of a device at hand (runtime::GpuDevice::target). 0:
/// unknown.
struct GpuRates {
    double hertz = 0;                ///< highest clock of the multiprocessors
    double memory_bytes = 0;         ///< of device memory, per second
    double l2_bytes_per_cycle = 0;   ///< from L2, to all multiprocessors
    double flops_float32 = 0;        ///< of multiply-adds, per multiprocessor and cycle; half for float64
    double tensor_flops_float16 = 0; ///< likewise; half for tf32, twice for 8 bits
    double tensor_flops_float64 = 0; ///< likewise
};

/// An NVIDIA GPU as seen by passes, the PTX back end and the cost models. Each is a constant table entry.
///
/// Sizes are those available to a program: shared memory per block excludes what the driver reserves.
struct Gpu {
    std::string_view name;
    int capability_major; ///< compute capability: PTX for this entry runs on it and all later ones
    int capability_minor;
    std::string_view ptx_target; ///< for .target
    std::string_view
        special_target; ///< .target with the instructions of this compute capability alone; or empty
    std::string_view ptx_version; ///< for .version
    int driver_version; ///< the first that accepts ptx_version, as in cuDriverGetVersion: 1000·major + 10·minor

    int multiprocessors; ///< of the most common card; 0: unknown
    int warp_size;
    int threads_per_block;
    int threads_per_multiprocessor;
    int blocks_per_multiprocessor;

    int registers_per_multiprocessor; ///< 32-bit registers
    int registers_per_block;
    int registers_per_thread;
    int register_granularity; ///< warps allocate registers in multiples of this
    int partitions;           ///< of a multiprocessor, each with its share of registers and warps

    Integer shared_bytes_per_block;          ///< without opt-in
    Integer max_shared_bytes_per_block;      ///< with opt-in through cuFuncSetAttribute
    Integer shared_bytes_per_multiprocessor; ///< with the largest shared-memory carve-out of L1
    Integer shared_granularity;              ///< blocks allocate shared memory in multiples of this
    Integer shared_bytes_reserved; ///< in each block, for the driver, in addition to its own allocation
    int shared_banks;
    int shared_bank_bytes;

    int line_bytes;        ///< of the caches
    int sector_bytes;      ///< minimum transfer from device memory
    int vector_load_bytes; ///< widest load or store of one thread
    Integer l2_bytes;      ///< of the most common card; 0: unknown

    int portable_cluster; ///< blocks of the largest cluster on all GPUs with clusters; 0: no clusters
    int largest_cluster;  ///< with opt-in by the kernel; a cluster's blocks share distributed shared memory
    bool has_async_copy;  ///< cp.async, from device to shared memory, issued by each thread
    bool has_tma;         ///< cp.async.bulk: TMA copies whole tiles
    TensorInstructions tensor;
    GpuRates rates;
    bool has_cooperative_groups =
        true; ///< blocks may wait for each other through global memory; some languages do not allow it
    bool has_conditional_barriers = true; ///< a block's barriers may be in code that not all blocks execute
};

/// All, by ascending compute capability: "generic", "sm_80", "sm_90".
std::span<const Gpu* const> gpus();

/// Throws UserError listing the names for an unknown name.
const Gpu& gpu_named(std::string_view name);

/// The entry to generate code for on a device: the one with exactly this compute capability, else "generic", whose
/// limits hold on all later devices. (Later does not mean larger: 8.6 has less shared memory than 8.0.) UserError
/// below 7.0.
const Gpu& gpu_for(int capability_major, int capability_minor);

/// Flops per second of all multiprocessors, by multiply-add instructions on elements of so many bytes, and by tensor
/// cores. 0 if unknown.
double peak_flops(const Gpu& gpu, Integer bytes);
double peak_tensor_flops(const Gpu& gpu, Integer bytes);

enum class OccupancyLimit : std::uint8_t {
    blocks,        ///< blocks_per_multiprocessor
    threads,       ///< threads of a block, or warps of a multiprocessor
    registers,     ///< of a thread, a block or a multiprocessor
    shared_memory, ///< of a block or a multiprocessor
};
std::string_view name_of(OccupancyLimit limit);

/// How many blocks are resident on a multiprocessor, and what limits them.
struct Occupancy {
    int blocks = 0;                                     ///< 0: a block of this size cannot run
    int warps = 0;                                      ///< resident per multiprocessor
    OccupancyLimit limited_by = OccupancyLimit::blocks; ///< the first of several that give the same number
};

/// For blocks of `threads` threads with `registers` per thread (as the driver reports for the kernel) and
/// `shared_bytes` per block, static and dynamic. InternalError unless threads > 0 and the others are not negative.
Occupancy occupancy(const Gpu& gpu, int threads, int registers, Integer shared_bytes);

} // namespace swirl::target
