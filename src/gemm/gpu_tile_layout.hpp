#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <array>
#include <optional>
#include <vector>

/// Where the numbers of a product by tiles are in shared memory, and the boxes by which they get there.
///
/// Tensor cores compute Cᵀ = Bᵀ·Aᵀ, as their results have rows of neighbouring numbers, and C has columns of such. So of B's columns
/// and A's rows, both called lines here, those of B are the rows of a tile_product, and those of A its columns.
namespace swirl::gemm {

constexpr Integer warpgroup_threads = 128;
constexpr int rows_of_product = 64; ///< of a tile_product: columns of C

/// As tensor cores read them: of terms, or of the product's numbers.
Integer bytes_of_factor(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// Whether C = A·B is computed the other way: rows of A, which threads bring from shared memory to registers, are the rows of a
/// tile_product, and columns of B its columns. So it is of numbers that tensor cores want along the depth where A's are not.
bool has_fragments(const GpuSchedule& schedule, const MatrixProduct& oriented);
/// Whether a kernel before the product brings A's numbers in an order along the depth instead.
bool turns_a(const GpuSchedule& schedule, const MatrixProduct& oriented);
/// Whether a kernel before the product brings B's numbers, of which tensor cores want the same, in an order along the depth.
bool turns_b(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// One factor of a product as it is oriented: a tile has so many lines, each along the depth.
struct GpuTileFactor {
    ir::TensorInfo tensor; ///< what one load moves is its box
    ir::TileLayout layout;
    ir::Scalar scalar = ir::Scalar::bfloat16;
    Integer lines = 0;  ///< of a block's tile
    Integer depth = 0;  ///< of a piece
    Integer shares = 1; ///< blocks of a cluster that load it together, each for all of them
    bool has_matrix =
        false; ///< the tensor's last coordinate is the number of a matrix, of a term where there are such
    Integer terms = 0;      ///< of each matrix, one after the other
    bool is_shared = false; ///< one matrix, or its terms, for all of a batch

    Integer scalars() const { return lines * depth; } ///< of a piece
    Integer row() const { return ir::tile_row_bytes / size_in_bytes(scalar); }
    /// Where the line and step are in a piece: a line that begins a row, or a step that does.
    Integer place(Integer line, Integer step) const;

    /// One load of a block's share of a piece: where in the tile it begins, and where in the piece of the first share.
    struct Load {
        Integer line = 0;
        Integer step = 0;
        Integer place = 0;
    };
    std::vector<Load> loads() const;
    Integer lines_of_share() const { return lines / shares; }
    Integer scalars_of_share() const; ///< from one share's place in a piece to the next one's
};

/// Of B's columns and of A's rows, in this order: those of a tile_product's A and B.
std::array<GpuTileFactor, 2> tile_factors(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// Of a tile with fragments, of which each warpgroup has all rows there, on their way out at once; others' are staged_rows.
constexpr int columns_of_round(const GpuSchedule& schedule) {
    return schedule.staged_rows * schedule.block_columns / schedule.block_rows;
}

/// C as its tiles are moved: boxes of a warpgroup's columns, or those of a round, and a row of shared memory.
ir::TensorInfo tensor_of_result(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// C's last rows, where these are no whole ir::tile_piece_bytes. A tile_store writes all of these bytes, which may be a caller's: threads
/// store such rows instead.
inline Integer rows_beyond_chunks(const MatrixProduct& oriented) {
    return oriented.rows % (ir::tile_piece_bytes / bytes_of(oriented.number_of_c()));
}
/// C without its rows beyond chunks, as tile_stores see it; nothing where it has no others.
std::optional<ir::TensorInfo> tensor_of_stores(const GpuSchedule& schedule, const MatrixProduct& oriented);

/// Bytes of shared memory.
Integer tile_shared_bytes(const GpuSchedule& schedule, const MatrixProduct& oriented);

} // namespace swirl::gemm
