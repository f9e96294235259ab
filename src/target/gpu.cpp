#include "target/gpu.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <string>

// Figures: CUDA C++ Programming Guide, "Compute Capabilities" (tables of features, of technical specifications and of
// shared memory capacity); PTX ISA, "Release Notes" (versions, targets, drivers) and "Instruction Set" (target
// requirements). Cache lines, sectors, multiprocessors and L2: whitepapers of the A100 (SXM, 108 multiprocessors,
// 40 MB) and of the H100 (SXM, 132 multiprocessors, 50 MB). Rates: data sheets of the A100 80 GB SXM (1410 MHz; 2039
// GB/s; 19.5 Tflop/s for float32, tensor cores 312 for float16 and 19.5 for float64) and of the H100 SXM (3.35 TB/s; 67
// Tflop/s for float32, so 1980 MHz; tensor cores 989 for float16 at 1830 MHz, 67 for float64). L2: 5120 bytes per cycle
// by the A100's whitepaper; none is published of the H100, for which benchmarks reach less than that. Allocation
// granularities: the occupancy calculator of CUDA
// (<cuda_occupancy.h>). `ctest -L gpu` compares them with what the driver of the local GPU reports.

namespace swirl::target {
namespace {

constexpr Integer kibibyte = 1024;
constexpr Integer mebibyte = 1024 * kibibyte;

/// The minimum over devices from compute capability 7.0 on: shared memory, blocks and threads are those of 7.5. Nothing
/// is reserved there; where 1 KiB is (from 8.0 on), a multiprocessor has capacity for it in addition. The rate of
/// multiply-adds is the most that any has: each partition issues one warp's instruction per cycle.
constexpr Gpu generic{.name = "generic",
                      .capability_major = 7,
                      .capability_minor = 0,
                      .ptx_target = "sm_70",
                      .special_target = "",
                      .ptx_version = "6.0",
                      .driver_version = 9000,
                      .multiprocessors = 0,
                      .warp_size = 32,
                      .threads_per_block = 1024,
                      .threads_per_multiprocessor = 1024,
                      .blocks_per_multiprocessor = 16,
                      .registers_per_multiprocessor = 65536,
                      .registers_per_block = 65536,
                      .registers_per_thread = 255,
                      .register_granularity = 256,
                      .partitions = 4,
                      .shared_bytes_per_block = 48 * kibibyte,
                      .max_shared_bytes_per_block = 64 * kibibyte,
                      .shared_bytes_per_multiprocessor = 64 * kibibyte,
                      .shared_granularity = 256,
                      .shared_bytes_reserved = 0,
                      .shared_banks = 32,
                      .shared_bank_bytes = 4,
                      .line_bytes = 128,
                      .sector_bytes = 32,
                      .vector_load_bytes = 16,
                      .l2_bytes = 0,
                      .portable_cluster = 0,
                      .largest_cluster = 0,
                      .has_async_copy = false,
                      .has_tma = false,
                      .tensor = {.float16 = true},
                      .rates = {.flops_float32 = 256}};

/// A100.
constexpr Gpu sm_80 = [] {
    Gpu gpu = generic;
    gpu.name = "sm_80";
    gpu.capability_major = 8;
    gpu.ptx_target = "sm_80";
    gpu.ptx_version = "7.0";
    gpu.driver_version = 11000;
    gpu.multiprocessors = 108;
    gpu.threads_per_multiprocessor = 2048;
    gpu.blocks_per_multiprocessor = 32;
    gpu.max_shared_bytes_per_block = 163 * kibibyte;
    gpu.shared_bytes_per_multiprocessor = 164 * kibibyte;
    gpu.shared_granularity = 128;
    gpu.shared_bytes_reserved = kibibyte;
    gpu.l2_bytes = 40 * mebibyte;
    gpu.has_async_copy = true;
    gpu.tensor = {.float16 = true, .bfloat16 = true, .tfloat32 = true, .float64 = true, .int8 = true};
    gpu.rates = {.hertz = 1.41e9,
                 .memory_bytes = 2.039e12,
                 .l2_bytes_per_cycle = 5120,
                 .flops_float32 = 128,
                 .tensor_flops_float16 = 2048,
                 .tensor_flops_float64 = 128};
    return gpu;
}();

/// H100, H200. PTX 8.0 is the first with cp.async.bulk.tensor and sm_90a.
constexpr Gpu sm_90 = [] {
    Gpu gpu = sm_80;
    gpu.name = "sm_90";
    gpu.capability_major = 9;
    gpu.ptx_target = "sm_90";
    gpu.special_target = "sm_90a";
    gpu.ptx_version = "8.0";
    gpu.driver_version = 12000;
    gpu.multiprocessors = 132;
    gpu.max_shared_bytes_per_block = 227 * kibibyte;
    gpu.shared_bytes_per_multiprocessor = 228 * kibibyte;
    gpu.l2_bytes = 50 * mebibyte;
    gpu.portable_cluster = 8;
    gpu.largest_cluster = 16;
    gpu.has_tma = true;
    gpu.tensor.float8 = true;
    gpu.tensor.warpgroup = true;
    gpu.rates.hertz = 1.98e9;
    gpu.rates.memory_bytes = 3.35e12;
    gpu.rates.flops_float32 = 256;
    gpu.rates.tensor_flops_float16 = 4096;
    gpu.rates.tensor_flops_float64 = 256;
    return gpu;
}();

constexpr std::array<const Gpu*, 3> all = {&generic, &sm_80, &sm_90};

Integer rounded_up(Integer value, Integer granularity) {
    return (value + granularity - 1) / granularity * granularity;
}

/// Registers belong to partitions, and each warp to one partition. The limit per block is checked as if the block's
/// warps filled all partitions evenly.
Integer blocks_by_registers(const Gpu& gpu, Integer warps, int registers) {
    if (registers > gpu.registers_per_thread) return 0;
    const Integer of_warp = rounded_up(Integer{registers} * gpu.warp_size, gpu.register_granularity);
    if (of_warp == 0) return gpu.blocks_per_multiprocessor;
    if (of_warp * rounded_up(warps, gpu.partitions) > gpu.registers_per_block) return 0;
    const Integer warps_of_partition = gpu.registers_per_multiprocessor / gpu.partitions / of_warp;
    return warps_of_partition * gpu.partitions / warps;
}

Integer blocks_by_shared_memory(const Gpu& gpu, Integer bytes) {
    if (bytes > gpu.max_shared_bytes_per_block) return 0;
    const Integer of_block = rounded_up(bytes + gpu.shared_bytes_reserved, gpu.shared_granularity);
    return of_block == 0 ? gpu.blocks_per_multiprocessor : gpu.shared_bytes_per_multiprocessor / of_block;
}

} // namespace

std::span<const Gpu* const> gpus() { return all; }

const Gpu& gpu_named(std::string_view name) {
    std::string names;
    for (const Gpu* gpu : gpus()) {
        if (gpu->name == name) return *gpu;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", gpu->name);
    }
    throw UserError("unknown GPU '{}'; the names are {}", name, names);
}

const Gpu& gpu_for(int capability_major, int capability_minor) {
    if (capability_major < generic.capability_major)
        throw UserError("the GPU has compute capability {}.{}; use one of {}.{} or later", capability_major,
                        capability_minor, generic.capability_major, generic.capability_minor);
    for (const Gpu* gpu : gpus())
        if (gpu->capability_major == capability_major && gpu->capability_minor == capability_minor)
            return *gpu;
    return generic;
}

double peak_flops(const Gpu& gpu, Integer bytes) {
    constexpr double of_float32 = 4;
    return gpu.rates.flops_float32 * of_float32 / static_cast<double>(bytes) * gpu.multiprocessors *
           gpu.rates.hertz;
}

double peak_tensor_flops(const Gpu& gpu, Integer bytes) {
    constexpr Integer of_float16 = 2, of_float64 = 8;
    const double each = bytes == of_float64
                            ? gpu.rates.tensor_flops_float64
                            : gpu.rates.tensor_flops_float16 * of_float16 / static_cast<double>(bytes);
    return each * gpu.multiprocessors * gpu.rates.hertz;
}

std::string_view name_of(OccupancyLimit limit) {
    switch (limit) {
    case OccupancyLimit::blocks: return "blocks";
    case OccupancyLimit::threads: return "threads";
    case OccupancyLimit::registers: return "registers";
    case OccupancyLimit::shared_memory: return "shared memory";
    }
    return "";
}

Occupancy occupancy(const Gpu& gpu, int threads, int registers, Integer shared_bytes) {
    ensure(threads > 0 && registers >= 0 && shared_bytes >= 0,
           "occupancy of blocks of {} threads, {} registers each, {} bytes of shared memory", threads,
           registers, shared_bytes);
    const Integer warps = rounded_up(threads, gpu.warp_size) / gpu.warp_size;
    const Integer most_warps = gpu.threads_per_multiprocessor / gpu.warp_size;
    struct Bound {
        OccupancyLimit limit;
        Integer blocks;
    };
    const std::array bounds = {
        Bound{OccupancyLimit::blocks, gpu.blocks_per_multiprocessor},
        Bound{OccupancyLimit::threads, threads > gpu.threads_per_block ? 0 : most_warps / warps},
        Bound{OccupancyLimit::registers, blocks_by_registers(gpu, warps, registers)},
        Bound{OccupancyLimit::shared_memory, blocks_by_shared_memory(gpu, shared_bytes)},
    };
    const Bound& least = *std::min_element(
        bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.blocks < b.blocks; });
    return {.blocks = static_cast<int>(least.blocks),
            .warps = static_cast<int>(least.blocks * warps),
            .limited_by = least.limit};
}

} // namespace swirl::target
