#pragma once

#include "gemm/gpu_tile_layout.hpp"
#include "ir/builder.hpp"

#include <array>

namespace swirl::gemm {

/// A ring of stages in shared memory, each with a piece of A and one of B, which a block's threads hand over to each other by two
/// signals: `full`, when a piece has come, and `empty`, when the warpgroups of all blocks that it went to have multiplied it.
/// Factors are counted as tile_factors counts them: 0 is B, 1 is A.
class GpuTilePieces {
public:
    GpuTilePieces(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented);

    /// Tensors of the factors' buffers in global memory, and where their pieces come.
    void declare_tiles(ir::Buffer b, ir::Buffer a);
    void declare_signals();
    /// Once, by one thread, before any other use.
    void initialize() const;

    /// Where in the factors a piece is that is fetched: the first of its lines, and the numbers of the matrices, among their terms where
    /// there are such.
    struct Start {
        std::array<ir::Value, 2> lines, matrices;
    };
    /// Has the copy engine bring a piece, once the stage is empty; by one thread.
    void fetch(const Start& start, const Affine& piece, ir::Value stage, ir::Value empty_parity) const;
    /// Until a piece has come.
    void wait(ir::Value stage, ir::Value parity) const;
    /// One thread of the warpgroup says to each block of the cluster that the stage may be filled.
    void release(ir::Value stage) const;
    /// From this line of a factor, and this step of a piece, on.
    ir::Builder::Factor factor(std::size_t which, Integer line, Integer step, ir::Value stage) const;

    const GpuTileFactor& layout(std::size_t which) const { return factors_[which]; }
    ir::Buffer buffer(std::size_t which) const { return pieces_[which]; }
    Integer cluster() const { return cluster_; } ///< blocks
    Affine number_in_cluster() const;

private:
    ir::Builder::Place signal(ir::Buffer signals, ir::Value stage) const { return {signals, 0, stage}; }
    void load(std::size_t which, const Start& start, const Affine& piece, ir::Value stage) const;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    std::array<GpuTileFactor, 2> factors_;
    Integer cluster_;
    std::array<ir::Tensor, 2> tensors_{};
    std::array<ir::Buffer, 2> pieces_{};
    ir::Buffer full_ = 0, empty_ = 0;
};

/// A buffer of shared memory for tiles of so many elements.
ir::BufferInfo buffer_of_tiles(const char* name, ir::Scalar scalar, Integer elements);

} // namespace swirl::gemm
