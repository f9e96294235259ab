#pragma once

#include "gemm/gpu/pipeline_state.hpp"
#include "gemm/gpu/simt/accumulators.hpp"
#include "gemm/gpu/simt/tma_loader.hpp"

#include <array>

namespace swirl::gemm {

/// Schedules TMA loads and waits: a block's k-tiles cycle through the stages. A stage is refilled after the barrier
/// that follows the last operand loads from it.
class TmaPipeline {
public:
    TmaPipeline(ir::Builder& builder, const CanonicalSimtGemm& gemm)
        : builder_(builder), schedule_(gemm.schedule), tma_(builder, gemm) {}

    TmaLoader& tma() { return tma_; }

    /// A block's k-tiles: their count and first k index. Threads may copy the other operand's k-tiles with cp.async.
    struct KTiles {
        Integer count = 0;
        Affine first_k = {};
    };
    /// Issues loads for all stages.
    void begin(const KTiles& k_tiles);
    /// Transposes the first k-tile; ends with a barrier.
    void transpose_first() const;
    void wait_for_first() const;

    /// Where a k-tile and the next ones are in the pipeline; for transposed operands, the sides of this k-tile and the next.
    struct State {
        std::array<PipelineState::Position, 3> k_tiles{};
        std::array<ir::Value, 2> sides{};
        SimtAccumulators::StageIndices stage_indices(const SimtGemm& schedule, std::size_t k_tile) const {
            return {schedule.is_transposed(0) ? sides[k_tile] : k_tiles[k_tile].stage,
                    schedule.is_transposed(1) ? sides[k_tile] : k_tiles[k_tile].stage};
        }
    };
    State state() const;
    PipelineState stages() const { return {builder_, counters_, 0, schedule_.stages}; }
    /// The share of transposing the next k-tile in k step `k_step` of `k_steps`.
    void transpose(const State& state, int k_step, int k_steps) const;
    /// Whether a barrier follows each k-tile: because its stage is refilled, or threads exchange copied or transposed
    /// elements.
    bool needs_barrier() const;
    /// After k-tile `k_tile`, once its last operands are in registers and any barrier has passed.
    void advance_to_next(const Affine& k_tile, const State& state) const;
    void keep(const State& state) const;

private:
    /// Whether stages are refilled.
    bool reuses_stages() const { return k_tiles_.count > schedule_.stages; }
    Affine k_of(const Affine& k_tile) const { return k_tiles_.first_k + k_tile * schedule_.k_tile_stride(); }
    void refill(const Affine& k_tile, const State& state) const;
    template <class Body> void if_in_range(int lead, const Affine& k_tile, Body&& body) const;
    template <class Body> void in_one_thread(Body&& body) const;
    ir::Value integer(Integer value) const;

    static constexpr Integer side = PipelineState::count; ///< counters: of the pipeline, then the side

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    TmaLoader tma_;
    KTiles k_tiles_;
    ir::Buffer counters_ = 0; ///< of the current k-tile
};

} // namespace swirl::gemm
