#pragma once

#include "gemm/gpu/pipeline_state.hpp"
#include "gemm/gpu/simt/operands.hpp"
#include "gemm/gpu/simt/tma_pipeline.hpp"

#include <array>
#include <optional>

namespace swirl::gemm {

/// The main loop over k-tiles of A and B. Later k-tiles are in flight to shared memory while this one is multiplied.
/// Operands of the next k step are loaded while the current one is multiplied; at a k-tile's last k step they come from
/// the next k-tile, after the one barrier. (Gray, "SGEMM", a walkthrough of maxas.)
class SimtMainLoop {
public:
    SimtMainLoop(ir::Builder& builder, const CanonicalSimtGemm& gemm, const SimtOperands& operands);

    /// Pipeline memory that slices may reuse to exchange accumulators at the end, if it suits.
    std::optional<ir::Buffer> scratch() const { return scratch_; }

    using Sources = std::array<OperandSource, 2>;
    void begin(const SimtThreadLayout& threads);
    void set_sources(const Sources& sources) { sources_ = sources; }

    /// Source and destination of a k-tile's copies; `index` counts from the sources' starts.
    struct KTileLoad {
        Integer index = 0;
        CpAsyncLoader::Target target = {};
        Integer padding = 0; ///< k indices at its beginning that do not exist where `split` is zero
        IndexValue split = {};
        Integer split_k_stride = 0; ///< k indices from the k-tile of one split to that of the next
    };
    /// Issues all copies of a k-tile. The prologue issues and commits `stages` − 1 k-tiles.
    void fetch(const KTileLoad& k_tile_load);
    void commit() {
        if (has_copies()) builder_.commit_async_group();
    }
    void wait_for_first(SimtAccumulators& accumulators);
    /// At the end, for the redundant prefetches.
    void wait_for_all() {
        if (has_copies()) builder_.wait_async_group(0);
    }

    /// Multiplies a k-tile while prefetching, from the sources that take() loaded, the one `stages` − 1 further.
    struct KTile {
        bool prefetches = true;
        bool is_last = false; ///< nothing is loaded after it
        /// If set, only k-tiles for which it holds prefetch, all copies at once. Else the last k-tile is prefetched again
        /// past the end: the loop needs no branch, but it ends when these copies have arrived.
        std::optional<ir::Condition> prefetch_condition = {};
        Affine index = {}; ///< for k-tiles loaded by TMA
    };
    void multiply(const KTile& k_tile, SimtAccumulators& accumulators);

    /// Coordinates of the k-tiles that TMA loads.
    using Starts = std::array<TmaLoader::Start, 2>;
    void begin_tma(const TmaPipeline::KTiles& k_tiles, const Starts& starts);

    /// Sets the start of the prefetch source in registers.
    void aim(std::size_t operand, ir::Value start);
    void take();
    /// To the next k-tile if `goes_on`, a boolean (no_value: true).
    void advance(ir::Value goes_on);
    Integer copies_per_k_tile(std::size_t operand) const {
        return operands_.copies(operand, schedule_.k_tile_stride());
    }

private:
    SimtAccumulators::Source operand_source() const;
    /// The pipeline of A's and B's k-tiles. Stages that TMA fills have a phase.
    PipelineState stages() const;
    TmaPipeline::State state_without_tma() const;
    void fetch(const KTileLoad& k_tile_load, int first, int end);
    bool has_copies() const { return !schedule_.is_tma(0) || !schedule_.is_tma(1); } ///< by threads
    int copies() const;

    static constexpr Integer stage_counter = 2;

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const std::array<SmemTile, 2>& k_tiles_;
    const SimtOperands& operands_;
    const SimtThreadLayout* threads_ = nullptr;
    std::array<ir::Buffer, 2> k_tile_buffers_{};
    std::optional<ir::Buffer> scratch_;
    Sources sources_{};
    std::array<std::optional<CpAsyncLoader>, 2> loaders_; ///< none for operands loaded by TMA
    TmaPipeline pipeline_;
    ir::Buffer counters_ = 0; ///< starts of both sources, and without TMA the current stage
};

} // namespace swirl::gemm
