#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/tile.hpp"

#include <array>

namespace swirl::gemm {

/// What a schedule with tiles asks of a multiprocessor, piece by piece, so that tensor cores are what it waits for.
struct GpuTileBalance {
    struct Factor {
        ir::Scalar scalar = ir::Scalar::bfloat16;
        Integer loads = 0;     ///< boxes of a piece that a block asks for
        Integer box_bytes = 0; ///< of each
        Integer shares = 1;    ///< blocks of a cluster that load it together
        bool along_depth = true;
        bool by_registers = false; ///< threads bring it to tensor cores
    };
    Factor a, b;                                      ///< as the product is oriented
    const ir::TileInstruction* instruction = nullptr; ///< of one warpgroup
    Integer tile_products = 0;                        ///< that a warpgroup starts for a piece
    Integer piece_bytes = 0;                          ///< that a block loads for a piece
    Integer piece_flops = 0;                          ///< of the block, with that piece
    Integer pieces = 0;                               ///< of a tile, those of all products of terms
    double peak = 0;                                  ///< flops a second of all multiprocessors
    /// Cycles of a multiprocessor for a piece: of its tensor cores, of shared memory for what they read there, of the way from the
    /// second cache.
    double tensor_cycles = 0, shared_cycles = 0, load_cycles = 0;

    int registers_to_multiply = 0,
        registers_to_fetch = 0; ///< of a thread; 0: as the driver's compiler has them
    Integer threads = 0;
    Integer shared_bytes = 0;
    Integer sums = 0; ///< registers of a thread that multiplies

    Integer tiles = 0;
    Integer blocks = 0; ///< each of which takes tiles until none is left
    Integer waves = 0;
    double last_wave = 0; ///< how full it is, of 1
};

/// Of a schedule with tiles that suits a product which is not empty.
GpuTileBalance gpu_tile_balance(const MatrixProduct& product, const GpuSchedule& schedule,
                                const target::Gpu& gpu);

} // namespace swirl::gemm
