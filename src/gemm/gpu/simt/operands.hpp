#pragma once

#include "gemm/gpu/blocks.hpp"
#include "gemm/gpu/simt/cp_async_loader.hpp"
#include "gemm/gpu/simt/tma_loader.hpp"
#include "gemm/gpu/simt/update.hpp"

#include <array>
#include <optional>

namespace swirl::gemm {

/// Arguments of a SIMT kernel: A, B, C, the epilogue's arrays, alpha_beta and parameters; and the offsets of tiles in
/// them.
class SimtOperands {
public:
    enum class Has : std::uint8_t { all, c_only };

    /// Adds arguments to the program. `path`: of the primary or fallback kernel.
    SimtOperands(ir::Builder& builder, const CanonicalSimtGemm& gemm, const GpuEpilogue& epilogue,
                 Has has = Has::all, std::optional<KernelPath> path = {});

    const Affine& multiplies() const { return multiplies_; } ///< 1; 0 if A and B are not read
    ir::Buffer matrix(std::size_t operand) const { return operands_[operand].buffer; }

    /// Source of A (0) or B (1) for a tile, starting at k index `first`; offsets in copies.
    OperandSource source(std::size_t operand, const TileCoordinates& coordinates,
                         const IndexValue& first) const;
    /// TMA coordinates of the tile's first k-tile.
    TmaLoader::Start tma_start(std::size_t operand, const TileCoordinates& coordinates) const;
    /// Distance of `k` indices along K, in copies.
    Integer copies(std::size_t operand, Integer k) const;
    /// C of a tile; starts the epilogue there.
    TileOfC result(const TileCoordinates& coordinates);
    /// Starts the reductions, if any, of the block's one tile.
    void reduce(TileOfC& c, const BlockCoordinates& coordinates, const SimtThreadLayout& threads);

    ir::Value integer(Integer value) const;
    /// A value times a constant.
    ir::Value value_of(const IndexValue& index, Integer times = 1) const;

private:
    /// A matrix's buffer, and the pointer list of a batch, if there is one.
    struct Matrix {
        ir::Buffer buffer = 0;
        ir::Buffer list = 0;
        Integer bytes = 0; ///< of an element
    };
    Matrix add(ir::ArgumentRole role, DataType data_type, const MatrixLayout& layout, Integer rows,
               Integer columns, int lanes, bool written);
    void add_operands();
    int lanes_of_copy(std::size_t operand) const;
    ir::Value tile_start(const IndexValue& block, Integer tile, Integer extent, Integer stride,
                         Integer lanes) const;
    ir::Value matrix_index(const TileCoordinates& coordinates, Integer times) const;
    ir::Value matrix_start(const TileCoordinates& coordinates, const Matrix& matrix,
                           const MatrixLayout& layout, Integer lanes) const;

    ir::Builder& builder_;
    const MatrixProduct& product_; ///< canonical
    bool is_swapped_;
    const SimtGemm& schedule_;
    const std::array<SmemTile, 2>& k_tiles_;
    std::array<Matrix, 2> operands_; ///< A, B
    Matrix c_;
    ir::Buffer alpha_beta_ = 0;
    Affine multiplies_, reads_c_;
    std::optional<GpuEpilogueWriter> epilogue_;
    std::optional<GpuBlockReductions> reductions_;
};

} // namespace swirl::gemm
