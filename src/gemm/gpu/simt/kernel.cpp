#include "gemm/gpu/simt/kernel.hpp"

#include "gemm/gpu/epilogue/block_reductions.hpp"
#include "gemm/gpu/epilogue/range_check.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/simt/accumulators.hpp"
#include "gemm/gpu/simt/global_operands.hpp"
#include "gemm/gpu/simt/main_loop.hpp"
#include "gemm/gpu/simt/sliced_k.hpp"
#include "gemm/gpu/simt/tma_loader.hpp"
#include "gemm/scalar.hpp"

#include <array>
#include <optional>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;

class SimtKernelWriter {
public:
    SimtKernelWriter(const CanonicalSimtGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue,
                     bool is_fallback)
        : gpu_(gpu),
          gemm_(gemm),
          product_(gemm.product()),
          schedule_(gemm.schedule),
          builder_(is_fallback ? "gemm_fallback" : "gemm"),
          is_fallback_(is_fallback),
          operands_(builder_, gemm, epilogue, SimtOperands::Has::all,
                    is_fallback ? std::optional(KernelPath::fallback) : std::nullopt),
          row_blocks_(ceil_divide(product_.rows, Integer{schedule_.cta_tile.m})),
          column_blocks_(ceil_divide(product_.columns, Integer{schedule_.cta_tile.n})),
          k_tiles_per_split_(ceil_divide(ceil_divide(product_.k, Integer{schedule_.cta_tile.k}),
                                         Integer{schedule_.splits()})) {
        if (!schedule_.loads_from_global()) loop_.emplace(builder_, gemm, operands_);
    }

    ir::Program write() {
        const BlockCoordinates coordinates =
            coordinates_of_block(builder_, schedule_, {row_blocks_, column_blocks_, product_.batch});
        std::vector<ir::Condition> conditions;
        if (is_fallback_) conditions.push_back(range_check_failed(builder_));
        if (coordinates.may_be_idle)
            conditions.push_back({coordinates.row_block - row_blocks_, ir::Condition::Relation::negative});
        if (conditions.empty())
            write_tile(coordinates);
        else
            builder_.if_then(conditions, [&] { write_tile(coordinates); });
        return builder_.finish();
    }

private:
    void write_tile(BlockCoordinates coordinates) {
        const SimtThreadLayout threads(builder_, schedule_, product_.data_type);
        coordinates.matrix += threads.matrix();
        SimtAccumulators accumulators(builder_, gemm_, threads, gpu_,
                                      loop_ ? loop_->scratch() : std::nullopt);
        accumulators.clear();
        if (product_.k > 0)
            builder_.if_then({{operands_.multiplies() - 1, ir::Condition::Relation::nonnegative}},
                             [&] { multiply(coordinates, accumulators, threads); });
        accumulators.reduce_k_slices();
        TileOfC result = operands_.result(TileCoordinates::of(coordinates));
        result.tile = coordinates.tile;
        result.tiles = coordinates.tiles;
        operands_.reduce(result, coordinates, threads);
        update_c(builder_, schedule_, threads, accumulators, product_, result);
    }

    // ---- along K
    /// k indices at the beginning of the first split's k-tile `stage` that do not exist.
    Integer padding_of(Integer stage) const {
        return std::max<Integer>(0, gemm_.k_padding - stage * schedule_.k_tile_stride());
    }
    /// From a split's first k index to the next split's.
    Integer split_k_stride() const {
        return (schedule_.interleaves_splits() ? 1 : k_tiles_per_split_) * schedule_.cta_tile.k;
    }
    OperandSource source(const BlockCoordinates& coordinates, std::size_t operand) const {
        if (schedule_.is_tma(operand)) return {};
        const Affine first = coordinates.split * operands_.copies(operand, split_k_stride()) -
                             operands_.copies(operand, gemm_.k_padding);
        return operands_.source(operand, TileCoordinates::of(coordinates), {first});
    }
    /// Whether all k-tiles are in flight before the first is multiplied.
    bool all_in_flight() const { return k_tiles_per_split_ < schedule_.stages; }

    /// Whether a branch omits prefetches past the end: waiting for them would take a large part of a short loop, and where
    /// tensor cores multiply, copies need not be spread over the k-tile.
    bool has_conditional_prefetches() const {
        constexpr Integer short_loop = 32;
        return !schedule_.has_tma() && (schedule_.is_mma() || k_tiles_per_split_ < short_loop);
    }

    /// If all k-tiles are in flight at once, nothing is prefetched, and nothing is loaded after the last k-tile.
    void multiply(const BlockCoordinates& coordinates, SimtAccumulators& accumulators,
                  const SimtThreadLayout& threads) {
        if (schedule_.loads_from_global()) return multiply_from_global(coordinates, accumulators, threads);
        const OperandSource a = source(coordinates, 0), b = source(coordinates, 1);
        loop_->begin(threads);
        loop_->set_sources({a, b});
        if (schedule_.has_tma()) begin_tma(coordinates);
        const Integer stages = schedule_.stages;
        for (Integer stage = 0; stage < stages - 1; ++stage) {
            if (stage < k_tiles_per_split_)
                loop_->fetch(
                    {stage, {.index = stage}, padding_of(stage), {coordinates.split}, split_k_stride()});
            loop_->commit();
        }
        loop_->wait_for_first(accumulators);
        const Integer next = std::min(stages - 1, k_tiles_per_split_ - 1);
        for (const auto& [operand, start] : {std::pair{0, a.start}, {1, b.start}}) {
            const auto index = static_cast<std::size_t>(operand);
            if (!schedule_.is_tma(index))
                loop_->aim(index,
                           builder_.add(start, operands_.integer(next * loop_->copies_per_k_tile(index))));
        }
        const Integer k_tiles = k_tiles_per_split_ - (all_in_flight() ? 1 : 0);
        if (k_tiles > 0)
            builder_.for_loop(std::string(k_tile_loop), k_tiles, [&](const Affine& k_tile) {
                SimtMainLoop::KTile now{.prefetches = !all_in_flight(), .index = k_tile};
                if (now.prefetches && has_conditional_prefetches())
                    now.prefetch_condition = {k_tile - (k_tiles_per_split_ - schedule_.stages + 1),
                                              ir::Condition::Relation::negative};
                loop_->multiply(now, accumulators);
                loop_->advance(builder_.less(builder_.index(k_tile),
                                             operands_.integer(k_tiles_per_split_ - schedule_.stages)));
            });
        if (all_in_flight()) loop_->multiply({.prefetches = false, .is_last = true}, accumulators);
        loop_->wait_for_all();
    }

    void multiply_from_global(const BlockCoordinates& coordinates, SimtAccumulators& accumulators,
                              const SimtThreadLayout& threads) {
        const std::array<OperandSource, 2> sources = {source(coordinates, 0), source(coordinates, 1)};
        const GlobalOperands global_operands(builder_, gemm_, threads, sources);
        std::vector<Value> values = accumulators.values();
        for (int k = 0; k < schedule_.cta_tile.k / schedule_.sliced_k; ++k)
            accumulators.multiply(values, global_operands.of(k), k);
        accumulators.keep(values);
    }

    void begin_tma(const BlockCoordinates& coordinates) {
        const TileCoordinates tile = TileCoordinates::of(coordinates);
        const Affine first = coordinates.split * split_k_stride() - gemm_.k_padding;
        loop_->begin_tma({k_tiles_per_split_, first},
                         {operands_.tma_start(0, tile), operands_.tma_start(1, tile)});
    }

    const target::Gpu& gpu_;
    const CanonicalSimtGemm& gemm_;
    const MatrixProduct& product_;
    const SimtGemm& schedule_;
    ir::Builder builder_;
    bool is_fallback_;
    SimtOperands operands_;
    std::optional<SimtMainLoop> loop_; ///< none if nothing is in shared memory
    Integer row_blocks_, column_blocks_;
    Integer k_tiles_per_split_;
};
} // namespace

ir::Program simt_kernel(const CanonicalSimtGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue,
                        bool is_fallback) {
    return SimtKernelWriter(gemm, gpu, epilogue, is_fallback).write();
}

Integer simt_shared_bytes(const CanonicalSimtGemm& gemm) {
    const SimtGemm& schedule = gemm.schedule;
    Integer bytes = 0;
    if (!schedule.loads_from_global())
        for (std::size_t operand = 0; operand < 2; ++operand)
            bytes += TmaLoader::bytes_of_stages(gemm, operand);
    bytes += TmaLoader::extra_bytes(schedule);
    const Integer accumulators =
        Integer{schedule.cta_tile.m} * schedule.cta_tile.n * bytes_of(gemm.product().data_type);
    if (schedule.splits() > 1 && !schedule.splits_in_workspace()) bytes += accumulators;
    return schedule.matrices() * bytes + SlicedKReduction::extra_bytes(gemm) +
           GpuBlockReductions::shared_bytes(schedule, gemm.product());
}

} // namespace swirl::gemm
