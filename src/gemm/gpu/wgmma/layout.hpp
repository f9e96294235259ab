#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <array>
#include <optional>
#include <vector>

/// Layout of a wgmma kernel's operands in shared memory, and the TMA boxes that load them.
///
/// Tensor cores compute Cᵀ = Bᵀ·Aᵀ: accumulator rows hold adjacent elements, and C's columns are contiguous. So B's
/// columns are the rows of a wgmma (its M), and A's rows its columns (its N); "mn" denotes either here.
namespace swirl::gemm {

using ir::warpgroup_threads;
constexpr int rows_of_wgmma = 64; ///< M of a wgmma: columns of C

/// Bytes of an element that tensor cores read: of a split term, or of the operand.
Integer bytes_of_operand_element(const WgmmaGemm& schedule, const MatrixProduct& canonical);

/// One operand of a canonical problem: a tile of mn_extent rows or columns along M or N, each with K.
struct WgmmaOperand {
    ir::TensorInfo tensor; ///< its box is one load
    ir::SmemTileLayout layout;
    DataType scalar = DataType::bfloat16;
    Integer mn_extent =
        0; ///< that a block loads: of its tile, in whole rows of shared memory where rows run along M or N
    Integer k = 0;           ///< of a k-tile
    Integer multicast = 1;   ///< blocks of a cluster that load it together, each one share for all
    bool has_matrix = false; ///< the tensor's last coordinate selects the matrix, or the split term
    Integer terms = 0;       ///< of each matrix, one after the other
    bool is_shared = false;  ///< the batch shares one matrix, or its terms

    Integer scalars() const { return mn_extent * k; } ///< of a k-tile
    Integer row() const { return ir::swizzle_row_bytes / bytes_of(scalar); }
    /// Offset in a k-tile of (mn, k); either mn or k begins a row.
    Integer offset_of(Integer mn, Integer k) const;

    /// One TMA load of a block's share of a k-tile: its coordinates in the tile, and its offset in the first share's
    /// k-tile.
    struct Load {
        Integer mn = 0;
        Integer k = 0;
        Integer offset = 0;
    };
    std::vector<Load> loads() const;
    Integer mn_of_slice() const { return mn_extent / multicast; }
    Integer scalars_of_slice() const; ///< from one share's offset in a k-tile to the next one's
};

/// A canonical problem with a wgmma schedule, and the layout of its operands that follows from both. Made once, and
/// passed on; refers to both, which outlive it.
struct CanonicalWgmmaGemm {
    CanonicalWgmmaGemm(const CanonicalGemm& canonical, const WgmmaGemm& schedule);
    CanonicalWgmmaGemm(CanonicalGemm&&, const WgmmaGemm&) = delete;

    const CanonicalGemm& canonical;
    const WgmmaGemm& schedule;
    /// Whether C = A·B is computed untransposed: rows of A, which threads load from shared memory into registers, are
    /// the rows of a wgmma, and columns of B its columns. Needed if tensor cores require K-major elements and A is not
    /// K-major.
    bool has_register_a;
    bool transposes_a;                    ///< a kernel before the GEMM transposes A to K-major instead
    bool transposes_b;                    ///< likewise B, which tensor cores then require K-major too
    Integer element_bytes;                ///< bytes_of_operand_element
    std::array<WgmmaOperand, 2> operands; ///< B's columns and A's rows, in this order: the wgmma's A and B

    const MatrixProduct& product() const { return canonical.product; }
};

/// Columns of an epilogue tile with A in registers, where each warpgroup has all of its rows there; otherwise
/// epilogue tiles have epilogue_tile_m rows.
constexpr int epilogue_tile_n(const WgmmaGemm& schedule) {
    return schedule.epilogue_tile_m * schedule.cta_tile.n / schedule.cta_tile.m;
}

/// Whether threads store C, which may have any column stride then; otherwise TMA does.
constexpr bool stores_from_registers(const WgmmaGemm& schedule) {
    return schedule.epilogue_tile_m == 0 || schedule.split_k > 1;
}

/// Bytes of C's columns that lie together in shared memory, swizzled as TMA swizzles rows of so many: the most that divide the
/// tile's.
inline Integer row_bytes_of_c(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    constexpr Integer least = 32;
    const Integer column = schedule.cta_tile.m * bytes_of(canonical.type_of_c());
    Integer bytes = ir::swizzle_row_bytes;
    while (bytes > least && column % bytes != 0) bytes /= 2;
    return bytes;
}

/// Columns of C that TMA moves at once: those of a wgmma, or an epilogue tile's with A in registers.
constexpr int columns_of_box_of_c(const WgmmaGemm& schedule, bool has_register_a) {
    return has_register_a ? epilogue_tile_n(schedule) : rows_of_wgmma;
}

/// C as TMA moves its tiles: boxes of such columns by a row of shared memory.
ir::TensorInfo tensor_map_of_c(const CanonicalWgmmaGemm& gemm);

/// C's last rows, if they do not fill a swizzle chunk (ir::swizzle_chunk_bytes). A TMA store writes whole chunks, and
/// the excess may be the caller's; threads store these rows instead.
inline Integer residual_rows(const MatrixProduct& canonical) {
    return canonical.rows % (ir::swizzle_chunk_bytes / bytes_of(canonical.type_of_c()));
}
/// C without its residual rows, as TMA stores see it; nothing if it has no other rows.
std::optional<ir::TensorInfo> tensor_map_of_stores(const CanonicalWgmmaGemm& gemm);

/// Bytes of shared memory.
Integer wgmma_shared_bytes(const CanonicalWgmmaGemm& gemm);

} // namespace swirl::gemm
