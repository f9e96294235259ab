#pragma once

#include "gemm/gpu/schedule.hpp"

/// The shapes of SIMT candidates, as data: of some thousand schedules timed on an H100, a set that comes
/// within 3% of the fastest for each kind of problem there. `bench --device gpu --candidates` times them again.
namespace swirl::gemm {

/// For large problems, a few waves of blocks, thin problems, and batches of small ones.
inline constexpr SimtGemm simt_shapes[] = {
    {.cta_tile = {.m = 256, .n = 128, .k = 16}, .thread_tile = {.m = 16, .n = 8}},
    {.cta_tile = {.m = 256, .n = 128, .k = 8}, .thread_tile = {.m = 16, .n = 8}},
    {.cta_tile = {.m = 128, .n = 256, .k = 16}, .thread_tile = {.m = 16, .n = 8}},
    {.cta_tile = {.m = 128, .n = 128, .k = 16}, .thread_tile = {.m = 16, .n = 8}},
    {.cta_tile = {.m = 128, .n = 128, .k = 8}, .thread_tile = {.m = 8, .n = 8}},
    {.cta_tile = {.m = 192, .n = 96, .k = 16}, .thread_tile = {.m = 12, .n = 12}, .sliced_k = 2},
    {.cta_tile = {.m = 128, .n = 96, .k = 16}, .thread_tile = {.m = 8, .n = 12}, .resident = 3},
    {.cta_tile = {.m = 96, .n = 128, .k = 16}, .thread_tile = {.m = 12, .n = 8}, .resident = 3},
    {.cta_tile = {.m = 128, .n = 64, .k = 40}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 2},
    {.cta_tile = {.m = 128, .n = 64, .k = 32}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 2},
    {.cta_tile = {.m = 128, .n = 64, .k = 16}, .thread_tile = {.m = 8, .n = 8}},
    {.cta_tile = {.m = 64, .n = 64, .k = 16}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 2},
    {.cta_tile = {.m = 64, .n = 64, .k = 8}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 2},
    {.cta_tile = {.m = 64, .n = 64, .k = 32}, .thread_tile = {.m = 8, .n = 4}, .sliced_k = 2},
    {.cta_tile = {.m = 128, .n = 32, .k = 32}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 2},
    {.cta_tile = {.m = 128, .n = 32, .k = 16},
     .thread_tile = {.m = 8, .n = 8},
     .math = Fma{.warp_lanes = {.m = 16, .n = 2}}},
    {.cta_tile = {.m = 64, .n = 32, .k = 32}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 4},
    {.cta_tile = {.m = 256, .n = 16, .k = 16},
     .thread_tile = {.m = 16, .n = 8},
     .math = Fma{.warp_lanes = {.m = 16, .n = 2}},
     .sliced_k = 2},
    {.cta_tile = {.m = 128, .n = 16, .k = 64},
     .thread_tile = {.m = 8, .n = 8},
     .math = Fma{.warp_lanes = {.m = 16, .n = 2}},
     .sliced_k = 4},
    {.cta_tile = {.m = 64, .n = 16, .k = 64},
     .thread_tile = {.m = 4, .n = 8},
     .math = Fma{.warp_lanes = {.m = 16, .n = 2}},
     .sliced_k = 4},
    {.cta_tile = {.m = 32, .n = 32, .k = 32}, .thread_tile = {.m = 4, .n = 8}, .sliced_k = 4},
    {.cta_tile = {.m = 32, .n = 16, .k = 32}, .thread_tile = {.m = 4, .n = 4}, .sliced_k = 4},
    {.cta_tile = {.m = 16, .n = 64, .k = 64},
     .thread_tile = {.m = 2, .n = 4},
     .math = Fma{.warp_lanes = {.m = 2, .n = 16}}},
    {.cta_tile = {.m = 16, .n = 16, .k = 8}, .thread_tile = {.m = 2, .n = 4}},
    {.cta_tile = {.m = 64, .n = 8, .k = 64},
     .thread_tile = {.m = 4, .n = 4},
     .math = Fma{.warp_lanes = {.m = 16, .n = 2}},
     .sliced_k = 8},
    {.cta_tile = {.m = 16, .n = 8, .k = 32}, .thread_tile = {.m = 1, .n = 2}, .sliced_k = 2},
    {.cta_tile = {.m = 32, .n = 4, .k = 32},
     .thread_tile = {.m = 1, .n = 2},
     .math = Fma{.warp_lanes = {.m = 16, .n = 2}},
     .sliced_k = 2},
    {.cta_tile = {.m = 64, .n = 64, .k = 16}, .thread_tile = {.m = 8, .n = 8}},
    {.cta_tile = {.m = 8, .n = 8, .k = 8},
     .thread_tile = {.m = 4, .n = 1},
     .math = Fma{.warp_lanes = {.m = 2, .n = 8}}},
    {.cta_tile = {.m = 4, .n = 4, .k = 4},
     .thread_tile = {.m = 4, .n = 1},
     .math = Fma{.warp_lanes = {.m = 1, .n = 4}}},
    {.cta_tile = {.m = 1, .n = 8, .k = 64},
     .thread_tile = {.m = 1, .n = 1},
     .math = Fma{.warp_lanes = {.m = 1, .n = 8}},
     .sliced_k = 16},
    {.cta_tile = {.m = 32, .n = 1, .k = 128},
     .thread_tile = {.m = 1, .n = 1},
     .math = Fma{.warp_lanes = {.m = 32, .n = 1}},
     .sliced_k = 4},
    {.cta_tile = {.m = 16, .n = 16, .k = 8},
     .thread_tile = {.m = 8, .n = 2},
     .math = Fma{.warp_lanes = {.m = 2, .n = 8}}},
    {.cta_tile = {.m = 32, .n = 32, .k = 32}, .thread_tile = {.m = 4, .n = 4}},
    {.cta_tile = {.m = 64, .n = 64, .k = 32}, .thread_tile = {.m = 4, .n = 8}},
    {.cta_tile = {.m = 64, .n = 16, .k = 64}, .thread_tile = {.m = 4, .n = 4}, .sliced_k = 2},
    {.cta_tile = {.m = 64, .n = 32, .k = 64}, .thread_tile = {.m = 4, .n = 8}, .sliced_k = 4},
    {.cta_tile = {.m = 32, .n = 32, .k = 64},
     .thread_tile = {.m = 8, .n = 4},
     .math = Fma{.warp_lanes = {.m = 4, .n = 8}},
     .sliced_k = 4},
    {.cta_tile = {.m = 32, .n = 32, .k = 128}, .thread_tile = {.m = 4, .n = 8}, .sliced_k = 16},
    {.cta_tile = {.m = 64, .n = 64, .k = 64}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 4},
    {.cta_tile = {.m = 32, .n = 16, .k = 64}, .thread_tile = {.m = 4, .n = 4}, .sliced_k = 4},
    {.cta_tile = {.m = 64, .n = 64, .k = 64}, .thread_tile = {.m = 4, .n = 8}, .sliced_k = 4},
};

/// Two resident blocks per multiprocessor, each with one half of K; for B that stays K-major.
inline constexpr SimtGemm halved_shape{
    .cta_tile = {.m = 32, .n = 32, .k = 64},
    .thread_tile = {.m = 8, .n = 8},
    .math = Fma{.warp_lanes = {.m = 4, .n = 4}, .order = FmaOrder::serpentine_columns},
    .sliced_k = 8};

/// With TMA loads: K-major operands stay K-major for extents so narrow that memory is the bottleneck; for large problems
/// they are transposed.
struct TmaShape {
    SimtGemm shape;
    OperandLoad k_major; ///< of K-major operands
    bool is_mirrored_too = false;
};
inline constexpr TmaShape tma_shapes[] = {
    {.shape = {.cta_tile = {.m = 32, .n = 16, .k = 128}, .thread_tile = {.m = 4, .n = 4}, .sliced_k = 4},
     .k_major = OperandLoad::tma_k_major,
     .is_mirrored_too = true},
    {.shape = {.cta_tile = {.m = 96, .n = 128, .k = 16}, .thread_tile = {.m = 12, .n = 8}, .resident = 3},
     .k_major = OperandLoad::tma_transpose},
    {.shape = {.cta_tile = {.m = 64, .n = 64, .k = 64}, .thread_tile = {.m = 8, .n = 8}, .sliced_k = 4},
     .k_major = OperandLoad::tma_transpose},
};

/// Small problems whose operands threads load straight from global memory; k-tiles cover all of K.
inline constexpr SimtGemm global_load_shapes[] = {
    {.cta_tile = {.m = 4, .n = 4},
     .thread_tile = {.m = 4, .n = 1},
     .math = Fma{.warp_lanes = {.m = 1, .n = 4}}},
    {.cta_tile = {.m = 4, .n = 4},
     .thread_tile = {.m = 4, .n = 2},
     .math = Fma{.warp_lanes = {.m = 1, .n = 2}}},
    {.cta_tile = {.m = 8, .n = 8},
     .thread_tile = {.m = 4, .n = 1},
     .math = Fma{.warp_lanes = {.m = 2, .n = 8}}},
    {.cta_tile = {.m = 16, .n = 16},
     .thread_tile = {.m = 4, .n = 4},
     .math = Fma{.warp_lanes = {.m = 4, .n = 4}}},
};

} // namespace swirl::gemm
