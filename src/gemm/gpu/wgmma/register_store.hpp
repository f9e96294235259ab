#pragma once

#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/update.hpp"
#include "ir/builder.hpp"

#include <string>

namespace swirl::gemm {

/// C = α·sums + β·C with its epilogue, stored by threads from registers: of each column, a quad of threads has 32 bytes.
/// A block with one tile ends sooner than by shared memory and TMA, whose latencies follow each other.
class WgmmaRegisterStore {
public:
    WgmmaRegisterStore(ir::Builder& builder, const CanonicalWgmmaGemm& gemm)
        : builder_(builder), schedule_(gemm.schedule), product_(gemm.product()) {}

    /// A thread's four sums of a wgmma in a group of eight rows: two rows in each of two columns.
    struct Group {
        Affine in_tile;      ///< index of the group of rows
        Affine first_column; ///< of the wgmma, in the tile
        ir::Value sums = ir::no_value;
    };
    void store(const WgmmaOutput& result, const TileOrigin& tile, const Group& group, bool reads) const;
    /// All accumulators of a warpgroup; executed by that warpgroup alone.
    void store_tile(const WgmmaOutput& result, const TileOrigin& tile, int warpgroup) const;

    static constexpr int rows_of_group = 8;
    static constexpr int sums_of_thread = 4;
    static int groups(const WgmmaGemm& schedule) { return schedule.cta_tile.m / rows_of_group; }
    /// Why threads cannot store C from registers; empty if they can, or need not.
    static std::string infeasibility(const CanonicalWgmmaGemm& gemm);

private:
    /// Whether all columns begin at even elements; threads then access two rows at once.
    bool has_aligned_pairs() const {
        return product_.c.column_stride % 2 == 0 && (product_.batch == 1 || product_.c.batch_stride % 2 == 0);
    }
    void store_column(const WgmmaOutput& result, const TileOrigin& tile, const Group& group, int lower,
                      ir::Value start, bool reads) const;
    ir::Access access(ir::Value start, int lanes, int active) const;
    /// Of `rows` rows from `at` on; `start` is added to it, in pairs or in elements.
    ir::Value load_pair(ir::Buffer c, const Affine& at, ir::Value start, int rows) const;
    void store_pair(ir::Buffer c, const Affine& at, ir::Value start, int rows, ir::Value pair) const;

    ir::Builder& builder_;
    const WgmmaGemm& schedule_;
    const MatrixProduct& product_;
};

} // namespace swirl::gemm
