#pragma once

#include "base/integer.hpp"

#include <span>
#include <string_view>

namespace swirl::target {

/// Matrix multiply-accumulate instructions of the tensor cores, by type of the factors.
struct TensorInstructions {
    bool float16 = false;
    bool bfloat16 = false;
    bool tfloat32 = false; ///< float32 rounded to 10 bits of fraction
    bool float64 = false;
    bool int8 = false;
    bool float8 = false;    ///< e4m3 and e5m2
    bool warpgroup = false; ///< four warps at once, factors in shared memory; needs Gpu::special_target
};

/// An NVIDIA GPU as passes, the PTX back end and the cost models see it. One constant table entry each.
///
/// Sizes are those that a program may count on: shared memory per block is without what the driver keeps for itself.
struct Gpu {
    std::string_view name;
    int capability_major; ///< compute capability: PTX for this entry runs on it and all later ones
    int capability_minor;
    std::string_view ptx_target; ///< for .target
    std::string_view
        special_target; ///< .target of instructions that run on this compute capability alone; or empty
    std::string_view ptx_version; ///< for .version
    int driver_version; ///< the first that reads it, as cuDriverGetVersion says: 1000·major + 10·minor

    int multiprocessors; ///< of the usual card; 0: unknown
    int warp_size;
    int threads_per_block;
    int threads_per_multiprocessor;
    int blocks_per_multiprocessor;

    int registers_per_multiprocessor; ///< of 32 bits
    int registers_per_block;
    int registers_per_thread;
    int register_granularity; ///< registers are given to a warp in multiples of this
    int partitions;           ///< of a multiprocessor, each with its share of the registers and of the warps

    Integer shared_bytes_per_block;          ///< without asking
    Integer shared_bytes_per_block_at_most;  ///< when asked for with cuFuncSetAttribute
    Integer shared_bytes_per_multiprocessor; ///< at the largest split between shared memory and first cache
    Integer shared_granularity;              ///< shared memory is given to a block in multiples of this
    Integer shared_bytes_reserved;           ///< in each block, for the driver, beyond what it asks for
    int shared_banks;
    int shared_bank_bytes;

    int line_bytes;        ///< of the caches
    int sector_bytes;      ///< what is fetched from memory at least
    int vector_load_bytes; ///< the most that one thread loads or stores with one instruction
    Integer l2_bytes;      ///< of the usual card; 0: unknown

    int portable_cluster; ///< most blocks of a cluster that all GPUs with clusters run; 0: there are none
    int largest_cluster; ///< when a kernel is marked for it; blocks of a cluster see each other's shared memory
    bool has_async_copy; ///< cp.async, from device to shared memory by each thread
    bool has_bulk_copy;  ///< cp.async.bulk, whole tiles by the copy engine
    TensorInstructions tensor;
    bool has_groups =
        true; ///< blocks may wait for each other through global memory: some languages have no such thing
};

/// All, by rising compute capability: "generic", "sm_80", "sm_90".
std::span<const Gpu* const> gpus();

/// Throws UserError listing the names.
const Gpu& gpu_named(std::string_view name);

/// The entry to generate for on a device: the one with exactly this compute capability, else "generic", whose limits all
/// later devices keep. (Later does not mean larger: 8.6 has less shared memory than 8.0.) UserError below 7.0.
const Gpu& gpu_for(int capability_major, int capability_minor);

enum class OccupancyLimit : std::uint8_t {
    blocks,        ///< blocks_per_multiprocessor
    threads,       ///< threads of a block, or warps of a multiprocessor
    registers,     ///< of a thread, a block or a multiprocessor
    shared_memory, ///< of a block or a multiprocessor
};
std::string_view name_of(OccupancyLimit limit);

/// How many blocks a multiprocessor holds at once, and why no more.
struct Occupancy {
    int blocks = 0;                                     ///< 0: a block this large cannot run at all
    int warps = 0;                                      ///< resident per multiprocessor
    OccupancyLimit limited_by = OccupancyLimit::blocks; ///< the first of several that allow the same number
};

/// For blocks of `threads`, each using `registers` (as the driver reports for the kernel), and `shared_bytes` per block,
/// static and dynamic. InternalError unless threads > 0 and the others are not negative.
Occupancy occupancy(const Gpu& gpu, int threads, int registers, Integer shared_bytes);

} // namespace swirl::target
