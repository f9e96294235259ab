#include "gemm/gpu_thread_product.hpp"

#include "gemm/gpu_bulk.hpp"
#include "gemm/gpu_direct.hpp"
#include "gemm/gpu_piece_loop.hpp"
#include "gemm/gpu_product.hpp"
#include "gemm/gpu_range.hpp"
#include "gemm/gpu_sums.hpp"
#include "gemm/tile.hpp"

#include <array>
#include <optional>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;

class ProductWriter {
public:
    ProductWriter(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                  const GpuEpilogue& epilogue, bool takes_over)
        : gpu_(gpu),
          orientation_(oriented_for_gpu(product)),
          product_(orientation_.product),
          schedule_(schedule),
          builder_(takes_over ? "gemm_out_of_range" : "gemm"),
          takes_over_(takes_over),
          operands_(builder_, orientation_, schedule, epilogue, GpuOperands::Has::all,
                    takes_over ? std::optional(GpuRangeSide::outside) : std::nullopt),
          row_blocks_(ceil_divide(product_.rows, Integer{schedule.block_rows})),
          column_blocks_(ceil_divide(product_.columns, Integer{schedule.block_columns})),
          pieces_of_split_(ceil_divide(ceil_divide(product_.depth, Integer{schedule.block_depth}),
                                       Integer{schedule.splits})) {
        if (!schedule.is_direct()) loop_.emplace(builder_, schedule, operands_);
    }

    ir::Program write() {
        const BlockPlace place =
            place_of_block(builder_, schedule_, {row_blocks_, column_blocks_, product_.batch});
        std::vector<ir::Condition> conditions;
        if (takes_over_) conditions.push_back(numbers_are_out_of_range(builder_));
        if (place.may_be_idle)
            conditions.push_back({place.row_block - row_blocks_, ir::Condition::Relation::negative});
        if (conditions.empty())
            write_tile(place);
        else
            builder_.if_then(conditions, [&] { write_tile(place); });
        return builder_.finish();
    }

private:
    void write_tile(BlockPlace place) {
        const GpuThreads threads(builder_, schedule_, product_.number);
        place.matrix += threads.matrix();
        GpuSums sums(builder_, schedule_, threads, product_, gpu_, loop_ ? loop_->room() : std::nullopt);
        sums.clear();
        if (product_.depth > 0)
            builder_.if_then({{operands_.steps() - 1, ir::Condition::Relation::nonnegative}},
                             [&] { multiply(place, sums, threads); });
        sums.add_slices();
        GpuResult result = operands_.result(GpuTilePlace::of(place));
        result.tile = place.tile;
        result.tiles = place.tiles;
        operands_.reduce(result, place, threads);
        update_result(builder_, schedule_, threads, sums, product_, result);
    }

    // ---- along the depth
    Integer missing_steps() const { return steps_before_first(schedule_, product_); }
    /// Steps at the beginning of the first split's piece of that number that are not there.
    Integer missing_of(Integer number) const {
        return std::max<Integer>(0, missing_steps() - number * schedule_.piece_distance());
    }
    /// From a split's first step to that of the next one.
    Integer split_steps() const {
        return (schedule_.interleaved != 0 ? 1 : pieces_of_split_) * schedule_.block_depth;
    }
    GpuSource source(const BlockPlace& place, std::size_t operand) const {
        if (schedule_.is_bulk(operand)) return {};
        const Affine first = place.split * operands_.copies(operand, split_steps()) -
                             operands_.copies(operand, missing_steps());
        return operands_.source(operand, GpuTilePlace::of(place), {first});
    }
    /// Before the first piece is multiplied.
    bool are_all_under_way() const { return pieces_of_split_ < schedule_.stages; }

    /// Beyond the last piece it is asked for again: so the loop has no branches. Where all are under way at once, none is, and
    /// nothing is loaded after the last piece.
    void multiply(const BlockPlace& place, GpuSums& sums, const GpuThreads& threads) {
        if (schedule_.is_direct()) return multiply_directly(place, sums, threads);
        const GpuSource a = source(place, 0), b = source(place, 1);
        loop_->begin(threads);
        loop_->set_sources({a, b});
        if (schedule_.has_bulk()) begin_bulk(place);
        const Integer stages = schedule_.stages;
        for (Integer stage = 0; stage < stages - 1; ++stage) {
            if (stage < pieces_of_split_)
                loop_->fetch({stage, {.number = stage}, missing_of(stage), {place.split}, split_steps()});
            loop_->commit();
        }
        loop_->wait_for_first(sums);
        const Integer next = std::min(stages - 1, pieces_of_split_ - 1);
        for (const auto& [operand, start] : {std::pair{0, a.start}, {1, b.start}}) {
            const auto number = static_cast<std::size_t>(operand);
            if (!schedule_.is_bulk(number))
                loop_->aim(number,
                           builder_.add(start, operands_.integer(next * loop_->copies_of_piece(number))));
        }
        const Integer pieces = pieces_of_split_ - (are_all_under_way() ? 1 : 0);
        if (pieces > 0)
            builder_.for_loop(std::string(gpu_piece_loop), pieces, [&](const Affine& number) {
                loop_->multiply({.fetches = !are_all_under_way(), .number = number}, sums);
                loop_->advance(builder_.less(builder_.index(number),
                                             operands_.integer(pieces_of_split_ - schedule_.stages)));
            });
        if (are_all_under_way()) loop_->multiply({.fetches = false, .is_last = true}, sums);
        loop_->wait_for_all();
    }

    void multiply_directly(const BlockPlace& place, GpuSums& sums, const GpuThreads& threads) {
        const std::array<GpuSource, 2> sources = {source(place, 0), source(place, 1)};
        const GpuDirectFactors factors(builder_, schedule_, threads, operands_.pieces(), sources,
                                       scalar_of(product_.number));
        std::vector<Value> values = sums.values();
        for (int step = 0; step < schedule_.block_depth / schedule_.slices; ++step)
            sums.multiply(values, factors.of(step), step);
        sums.keep(values);
    }

    void begin_bulk(const BlockPlace& place) {
        const GpuTilePlace tile = GpuTilePlace::of(place);
        const Affine first = place.split * split_steps() - missing_steps();
        loop_->begin_bulk({pieces_of_split_, first},
                          {operands_.bulk_start(0, tile), operands_.bulk_start(1, tile)});
    }

    const target::Gpu& gpu_;
    GpuOrientation orientation_;
    const MatrixProduct& product_;
    const GpuSchedule& schedule_;
    ir::Builder builder_;
    bool takes_over_;
    GpuOperands operands_;
    std::optional<GpuPieceLoop> loop_; ///< none where nothing is in shared memory
    Integer row_blocks_, column_blocks_;
    Integer pieces_of_split_;
};
} // namespace

ir::Program gpu_thread_product(const MatrixProduct& product, const GpuSchedule& schedule,
                               const target::Gpu& gpu, const GpuEpilogue& epilogue, bool takes_over) {
    return ProductWriter(product, schedule, gpu, epilogue, takes_over).write();
}

} // namespace swirl::gemm
