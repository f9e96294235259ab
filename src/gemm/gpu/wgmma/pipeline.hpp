#pragma once

#include "gemm/gpu/wgmma/layout.hpp"
#include "ir/builder.hpp"

#include <array>

namespace swirl::gemm {

/// An smem pipeline: each stage holds a k-tile of A and one of B. Two mbarriers per stage hand it over: `full`, when
/// its k-tiles have arrived, and `empty`, when the warpgroups of all receiving blocks have multiplied them. Operands
/// are indexed as in CanonicalWgmmaGemm: 0 is B, 1 is A.
class WgmmaPipeline {
public:
    WgmmaPipeline(ir::Builder& builder, const CanonicalWgmmaGemm& gemm);

    /// Declares the operands' tensors in global memory and the memory of their k-tiles.
    void declare_smem_tiles(ir::Buffer b, ir::Buffer a);
    void declare_mbarriers();
    /// Executed once by one thread, before any other use.
    void initialize() const;

    /// Coordinates of a k-tile to load: its first mn, and the matrix indices, including split terms if any.
    struct Start {
        std::array<ir::Value, 2> mn, matrices;
    };
    /// Loads a k-tile by TMA once the stage is empty; executed by one thread.
    void fetch(const Start& start, const Affine& k_tile, ir::Value stage, ir::Value empty_phase) const;
    /// Waits until a k-tile has arrived.
    void wait(ir::Value stage, ir::Value phase) const;
    /// Signals every block of the cluster that the stage may be refilled; one thread of the warpgroup does it.
    void release(ir::Value stage) const;
    /// Descriptor of an operand from (mn, k) of a k-tile on.
    ir::Builder::WgmmaOperand operand(std::size_t which, Integer mn, Integer k, ir::Value stage) const;

    const WgmmaOperand& layout(std::size_t which) const { return operands_[which]; }
    ir::Buffer buffer(std::size_t which) const { return k_tiles_[which]; }
    Integer cluster() const { return cluster_; } ///< blocks
    Affine rank_in_cluster() const;

private:
    ir::Builder::MemoryOperand mbarrier(ir::Buffer mbarriers, ir::Value stage) const {
        return {mbarriers, 0, stage};
    }
    void load(std::size_t which, const Start& start, const Affine& k_tile, ir::Value stage) const;

    ir::Builder& builder_;
    const WgmmaGemm& schedule_;
    const std::array<WgmmaOperand, 2>& operands_;
    Integer cluster_;
    std::array<ir::Tensor, 2> tensors_{};
    std::array<ir::Buffer, 2> k_tiles_{};
    ir::Buffer full_ = 0, empty_ = 0;
};

/// A shared-memory buffer for tiles of `elements` elements.
ir::BufferInfo buffer_of_smem_tiles(const char* name, DataType scalar, Integer elements);

} // namespace swirl::gemm
