#pragma once

#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/update.hpp"
#include "ir/builder.hpp"

#include <string>

namespace swirl::gemm {

/// Split-K of wgmma kernels: the blocks of a cluster share K of one tile. Each leaves its accumulators in its shared
/// memory; after a barrier of the cluster each block adds all of them, in the order of K, for a share of the tile's
/// rows of C, and finishes these.
class WgmmaSplitK {
public:
    WgmmaSplitK(ir::Builder& builder, const CanonicalWgmmaGemm& gemm);

    /// Stores a warpgroup's accumulators.
    void store(ir::Buffer accumulators, int warpgroup) const;
    /// C = α·accumulators + β·C with its epilogue, for the block's rows; executed by the threads of all warpgroups after
    /// the cluster's barrier.
    void finish(const WgmmaOutput& result, const TileOrigin& tile) const;

    Affine rank() const; ///< of the block in its cluster

    static Integer shared_bytes(const WgmmaGemm& schedule);
    /// Empty if it is feasible.
    static std::string infeasibility(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu);

private:
    /// Offset of a thread's four accumulators of a group of rows.
    Affine offset_of(const Affine& block, const Affine& warpgroup, int wgmma, const Affine& group) const;
    void finish_rows(const WgmmaOutput& result, const TileOrigin& tile, bool reads) const;
    void finish_group(const WgmmaOutput& result, const TileOrigin& tile, int wgmma, Integer group,
                      bool reads) const;
    int columns() const { return schedule_.cta_tile.n / schedule_.warpgroups; }

    ir::Builder& builder_;
    const CanonicalWgmmaGemm& gemm_;
    const WgmmaGemm& schedule_;
    ir::Buffer partials_ = 0;
};

} // namespace swirl::gemm
