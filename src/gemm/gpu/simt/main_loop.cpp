#include "gemm/gpu/simt/main_loop.hpp"

#include "gemm/scalar.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;

SimtMainLoop::SimtMainLoop(ir::Builder& builder, const CanonicalSimtGemm& gemm, const SimtOperands& operands)
    : builder_(builder),
      schedule_(gemm.schedule),
      k_tiles_(gemm.k_tiles),
      operands_(operands),
      pipeline_(builder, gemm) {
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const SmemTile& k_tile = k_tiles_[operand];
        const bool has_scratch = SlicedKReduction::operand_of_scratch(gemm) == operand;
        const Integer least = has_scratch ? SlicedKReduction::scalars(gemm) : 0;
        if (schedule_.is_tma(operand)) {
            const TmaLoader::Memory memory =
                pipeline_.tma().declare(operand, operands.matrix(operand), least);
            k_tile_buffers_[operand] = memory.operand_buffer;
            if (has_scratch) scratch_ = memory.loaded;
            continue;
        }
        k_tile_buffers_[operand] =
            builder.shared(operand == 0 ? "a_k_tiles" : "b_k_tiles", scalar_of(k_tile.data_type),
                           std::max(least, schedule_.matrices() * schedule_.stages * k_tile.scalars()));
        if (has_scratch) scratch_ = k_tile_buffers_[operand];
    }
}

void SimtMainLoop::begin(const SimtThreadLayout& threads) {
    threads_ = &threads;
    for (std::size_t operand = 0; operand < 2; ++operand)
        if (!schedule_.is_tma(operand))
            loaders_[operand].emplace(builder_, k_tiles_[operand], schedule_, threads,
                                      k_tile_buffers_[operand]);
    counters_ = builder_.local("pipeline_state", DataType::int64, 3);
}

SimtAccumulators::Source SimtMainLoop::operand_source() const {
    return {k_tiles_, k_tile_buffers_, threads_->slice() * (schedule_.cta_tile.k / schedule_.sliced_k)};
}

/// Issues a thread's copies first … end − 1, those of A first.
void SimtMainLoop::fetch(const KTileLoad& k_tile_load, int first, int end) {
    int before = 0;
    for (std::size_t operand = 0; operand < 2; ++operand) {
        if (!loaders_[operand]) continue;
        const CpAsyncLoader& fetch = *loaders_[operand];
        const int from = std::clamp(first - before, 0, fetch.copies());
        const int to = std::clamp(end - before, 0, fetch.copies());
        fetch.fetch(sources_[operand], k_tile_load.index * copies_per_k_tile(operand), k_tile_load.target,
                    k_tile_load.padding, k_tile_load.split, k_tile_load.split_k_stride, from, to);
        before += fetch.copies();
    }
}
void SimtMainLoop::fetch(const KTileLoad& k_tile_load) { fetch(k_tile_load, 0, copies()); }

int SimtMainLoop::copies() const {
    int result = 0;
    for (const std::optional<CpAsyncLoader>& fetch : loaders_)
        if (fetch) result += fetch->copies();
    return result;
}

void SimtMainLoop::begin_tma(const TmaPipeline::KTiles& k_tiles, const Starts& starts) {
    for (std::size_t operand = 0; operand < 2; ++operand) pipeline_.tma().start_at(operand, starts[operand]);
    pipeline_.begin(k_tiles);
}

void SimtMainLoop::wait_for_first(SimtAccumulators& accumulators) {
    if (schedule_.has_tma()) pipeline_.transpose_first();
    if (has_copies()) builder_.wait_async_group(schedule_.stages - 2);
    if (pipeline_.needs_barrier()) builder_.barrier();
    if (schedule_.has_tma()) pipeline_.wait_for_first();
    accumulators.keep(accumulators.first_operands(operand_source(), {ir::no_value, ir::no_value}));
    if (!schedule_.has_tma()) stages().start();
}

PipelineState SimtMainLoop::stages() const {
    if (schedule_.has_tma()) return pipeline_.stages();
    return {builder_, counters_, stage_counter, schedule_.stages, PipelineState::Phase::none};
}

TmaPipeline::State SimtMainLoop::state_without_tma() const {
    const PipelineState::Position now = stages().position();
    return {.k_tiles = {now, stages().after(now)}};
}

void SimtMainLoop::multiply(const KTile& k_tile, SimtAccumulators& accumulators) {
    const int k_steps = schedule_.cta_tile.k / schedule_.sliced_k / schedule_.instruction_k();
    const SimtAccumulators::Source source = operand_source();
    std::vector<Value> values = accumulators.values();
    SimtAccumulators::Operands operands = accumulators.operand_registers();
    const TmaPipeline::State state = schedule_.has_tma() ? pipeline_.state() : state_without_tma();
    const Value free = stages().before(state.k_tiles[0].stage);
    take();
    // Only k-tiles in flight before the first multiplication have padding.
    const KTileLoad k_tile_load{0, {.dynamic = free}};
    const bool is_conditional = k_tile.prefetch_condition.has_value();
    const int shares = schedule_.interleave_copies && !is_conditional ? k_steps - 1 : 1,
              copies_of_all = k_tile.prefetches ? copies() : 0;
    for (int k_step = 0; k_step < k_steps; ++k_step) {
        const bool is_last = k_step + 1 == k_steps;
        if (is_last && k_tile.is_last) {
            accumulators.multiply(values, operands, k_step);
            return accumulators.keep(values);
        }
        if (is_last) {
            if (has_copies()) builder_.wait_async_group(schedule_.stages - 2);
            if (pipeline_.needs_barrier()) builder_.barrier();
            if (schedule_.has_tma()) pipeline_.advance_to_next(k_tile.index, state);
        }
        const SimtAccumulators::Operands ahead =
            is_last ? accumulators.first_operands(source, state.stage_indices(schedule_, 1))
                    : accumulators.next_operands(source, state.stage_indices(schedule_, 0), k_step, operands);
        if (!is_last && !k_tile.is_last && schedule_.has_tma())
            pipeline_.transpose(state, k_step, k_steps - 1);
        if (is_conditional && k_step == 0)
            builder_.if_then({*k_tile.prefetch_condition}, [&] { fetch(k_tile_load); });
        else if (!is_conditional && k_step < shares)
            fetch(k_tile_load, copies_of_all * k_step / shares, copies_of_all * (k_step + 1) / shares);
        if (k_step + 1 == shares) commit();
        accumulators.multiply(values, operands, k_step);
        operands = ahead;
    }
    accumulators.keep(values);
    accumulators.keep(operands);
    if (schedule_.has_tma())
        pipeline_.keep(state);
    else
        stages().keep(state.k_tiles[1]);
}

void SimtMainLoop::aim(std::size_t operand, Value start) {
    builder_.store(counters_, static_cast<Integer>(operand), start);
}

void SimtMainLoop::take() {
    for (std::size_t operand = 0; operand < 2; ++operand)
        if (!schedule_.is_tma(operand))
            sources_[operand].start = builder_.load(counters_, static_cast<Integer>(operand));
}

/// Must be in the straight-line block that called take().
void SimtMainLoop::advance(Value goes_on) {
    for (std::size_t operand = 0; operand < 2; ++operand) {
        if (schedule_.is_tma(operand)) continue;
        const Value at = sources_[operand].start;
        const Value next = builder_.add(at, operands_.integer(copies_per_k_tile(operand)));
        aim(operand, goes_on == ir::no_value ? next : builder_.select(goes_on, next, at));
    }
}

} // namespace swirl::gemm
