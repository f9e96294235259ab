#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/tile.hpp"

#include <array>

namespace swirl::gemm {

/// The demands of a wgmma schedule on a multiprocessor, per k-tile; tensor cores should be the bottleneck.
struct WgmmaBalance {
    struct Operand {
        DataType scalar = DataType::bfloat16;
        Integer loads = 0;     ///< TMA boxes of a k-tile that a block loads
        Integer box_bytes = 0; ///< of each
        Integer multicast = 1; ///< blocks of a cluster that load it together
        bool k_major = true;
        bool from_registers = false; ///< threads pass it to tensor cores in registers
    };
    Operand a, b;                                      ///< of the canonical problem
    const ir::WgmmaInstruction* instruction = nullptr; ///< of one warpgroup
    Integer wgmma_count = 0;                           ///< instructions per warpgroup and k-tile
    Integer k_tile_bytes = 0;                          ///< loaded by a block per k-tile
    Integer k_tile_flops = 0;                          ///< of the block, per k-tile
    Integer k_tiles = 0;                               ///< per tile, over all products of split terms
    Integer term_products = 1;                         ///< of a bf16 split: products per element product
    double peak = 0;                                   ///< flops per second of all multiprocessors
    /// Cycles of a multiprocessor per k-tile: of its tensor cores, of shared memory for their operands, of transfers
    /// from L2.
    double tensor_cycles = 0, shared_cycles = 0, load_cycles = 0;

    int consumer_registers = 0,
        producer_registers = 0; ///< per thread; 0: left to the driver's compiler
    Integer threads = 0;
    Integer shared_bytes = 0;
    Integer accumulator_registers = 0; ///< of a consumer thread

    Integer tiles = 0;
    Integer blocks = 0; ///< persistent blocks
    Integer waves = 0;
    double last_wave = 0; ///< its occupancy, 0 … 1
};

/// For a feasible wgmma schedule of a nonempty problem.
WgmmaBalance wgmma_balance(const MatrixProduct& product, const WgmmaGemm& schedule, const target::Gpu& gpu);

} // namespace swirl::gemm
