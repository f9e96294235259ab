#include "gemm/gpu/simt/tma_pipeline.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;
using Relation = ir::Condition::Relation;

Value TmaPipeline::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}

/// Executed by the block's first thread.
template <class Body> void TmaPipeline::in_one_thread(Body&& body) const {
    builder_.if_then({{builder_.thread(0), Relation::zero}}, body);
}

/// If k-tile `k_tile` exists and any operand has this lead.
template <class Body> void TmaPipeline::if_in_range(int lead, const Affine& k_tile, Body&& body) const {
    if (tma_.has(lead)) builder_.if_then({{k_tile - k_tiles_.count, Relation::negative}}, body);
}

void TmaPipeline::begin(const KTiles& k_tiles) {
    k_tiles_ = k_tiles;
    tma_.begin();
    in_one_thread([&] {
        for (Integer first = 0; first < std::min<Integer>(schedule_.stages, k_tiles_.count); ++first)
            for (const int lead : {0, 1})
                if (tma_.has(lead)) tma_.load(lead, k_of(first), {first});
    });
    counters_ = builder_.local("tma_pipeline_state", DataType::int64, PipelineState::count + 1);
    stages().start();
    builder_.store(counters_, side, integer(0));
}

void TmaPipeline::transpose_first() const {
    if (!tma_.has(1)) return;
    tma_.wait(1, integer(0), integer(0));
    tma_.transpose(0, tma_.rounds(), {}, {});
}

/// For transposed operands it also waits for the second k-tile; the first one's K-major rows are no longer needed.
void TmaPipeline::wait_for_first() const {
    if (tma_.has(0)) tma_.wait(0, integer(0), integer(0));
    if (!tma_.has(1) || k_tiles_.count == 1) return;
    if (reuses_stages()) in_one_thread([&] { tma_.load(1, k_of(schedule_.stages), {}); });
    tma_.wait(1, integer(1), integer(0));
}

TmaPipeline::State TmaPipeline::state() const {
    State result;
    result.k_tiles[0] = stages().position();
    for (std::size_t k = 1; k < result.k_tiles.size(); ++k)
        result.k_tiles[k] = stages().after(result.k_tiles[k - 1]);
    result.sides[0] = builder_.load(counters_, side);
    result.sides[1] = builder_.subtract(integer(1), result.sides[0]);
    return result;
}

void TmaPipeline::keep(const State& state) const {
    stages().keep(state.k_tiles[1]);
    builder_.store(counters_, side, state.sides[1]);
}

void TmaPipeline::transpose(const State& state, int k_step, int k_steps) const {
    tma_.transpose(tma_.rounds() * k_step / k_steps, tma_.rounds() * (k_step + 1) / k_steps,
                   {.dynamic = state.k_tiles[1].stage}, {.dynamic = state.sides[1]});
}

bool TmaPipeline::needs_barrier() const {
    return reuses_stages() || tma_.has(1) || !schedule_.is_tma(0) || !schedule_.is_tma(1);
}

void TmaPipeline::advance_to_next(const Affine& k_tile, const State& state) const {
    if (reuses_stages()) refill(k_tile, state);
    for (const int lead : {0, 1}) {
        const auto at = static_cast<std::size_t>(lead + 1);
        if_in_range(lead, k_tile + 1 + lead,
                    [&] { tma_.wait(lead, state.k_tiles[at].stage, state.k_tiles[at].phase); });
    }
}

/// Refills the k-tile's own stage; for transposed operands the next one, whose rows are already transposed.
void TmaPipeline::refill(const Affine& k_tile_index, const State& state) const {
    in_one_thread([&] {
        for (const int lead : {0, 1}) {
            const Affine k_tile = k_tile_index + schedule_.stages + lead;
            if_in_range(lead, k_tile, [&] {
                tma_.load(lead, k_of(k_tile),
                          {.dynamic = state.k_tiles[static_cast<std::size_t>(lead)].stage});
            });
        }
    });
}

} // namespace swirl::gemm
