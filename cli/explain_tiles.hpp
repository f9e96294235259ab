#pragma once

#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "gemm/gpu_sample.hpp"
#include "gemm/gpu_tile_balance.hpp"

#include <string>

namespace swirl::cli {

/// What is to be said of a GPU's kernel by which tensor cores multiply tiles.
struct TileExplanation {
    MatrixProduct product;
    target::Gpu gpu;
    gemm::GpuSchedule schedule;
    ir::KernelInfo kernel;
    gemm::GpuTileBalance balance;
    gemm::GpuSample sample;
    double seconds = 0;             ///< by the model
    std::string loop_stays_because; ///< why its main loop is in no other order, where that was asked for
};

/// Of an inspection whose schedule has tiles, of a product that multiplies.
TileExplanation explain_tiles(const MatrixProduct& product, GpuProductInspection inspection);

std::string text_of(const TileExplanation& explanation);
Json json_of(const TileExplanation& explanation);

/// A picture, as SVG, of a block's tile of C: the parts that warps have, and whose a group of eight rows of it is in a warp; and of how
/// pieces of 16 bytes are exchanged in shared memory.
std::string tile_map_of(const TileExplanation& explanation);

} // namespace swirl::cli
