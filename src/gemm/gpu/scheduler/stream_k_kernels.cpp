// A block processes one segment of a tile's k-tiles after another. The loop is that of other SIMT kernels
// (gemm/gpu/simt/kernel.hpp) except for a condition that ends it early. The tile, the segment's start and whether it
// covers the whole tile are computed outside of the loop.
#include "gemm/gpu/scheduler/stream_k_kernels.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/scheduler/stream_k_coordinates.hpp"
#include "gemm/gpu/scheduler/stream_k_fixup.hpp"
#include "gemm/gpu/simt/accumulators.hpp"
#include "gemm/gpu/simt/main_loop.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

class StreamKWriter {
public:
    StreamKWriter(const CanonicalSimtGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue)
        : product_(gemm.product()),
          schedule_(gemm.schedule),
          stream_(stream_k_of(schedule_, product_)),
          builder_("gemm_stream_k"),
          operands_(builder_, gemm, epilogue),
          loop_(builder_, gemm, operands_),
          coordinates_(builder_, schedule_, stream_),
          threads_(builder_, schedule_, product_.data_type),
          accumulators_(builder_, gemm, threads_, gpu, loop_.scratch()),
          partials_(builder_.add(buffer_of_partials(stream_, schedule_, product_, true))) {}

    ir::Program write() {
        builder_.launch({.blocks = {stream_.blocks, 1, 1},
                         .threads = {schedule_.threads(), 1, 1},
                         .resident = schedule_.resident});
        loop_.begin(threads_);
        if (stream_.data_parallel_tiles > 0)
            builder_.for_loop("shares_tile", 2, [&](const Affine& shared) { write_segments(shared); });
        else
            write_segments(1);
        return builder_.finish();
    }

private:
    using Segment = StreamKCoordinates::Segment;

    Value integer(Integer value) const { return operands_.integer(value); }

    /// Of the block's own tiles (`shared` is 0), or of its share (1).
    void write_segments(const Affine& shared) {
        const auto of_both = [&](Integer own, Integer of_share) { return own + (of_share - own) * shared; };
        const Integer k_tiles = std::min(stream_.k_tiles, stream_.k_tiles_per_block());
        builder_.for_loop("tile", of_both(stream_.data_parallel_tiles, stream_.stream_k_tiles_of_block()),
                          [&](const Affine& iteration) {
                              const Segment segment = coordinates_.segment(shared, iteration);
                              builder_.if_then({{-1, Relation::nonnegative, segment.count}}, [&] {
                                  accumulators_.clear();
                                  multiply(segment, of_both(stream_.k_tiles, k_tiles));
                                  accumulators_.reduce_k_slices();
                                  finish(segment);
                              });
                          });
    }

    /// Sources starting at the tile's k-tile `k_tile`; a short first one begins before k index 0.
    SimtMainLoop::Sources sources_at(const TileCoordinates& coordinates, Value k_tile) {
        SimtMainLoop::Sources result;
        for (std::size_t operand = 0; operand < 2; ++operand) {
            const Integer padding = operands_.copies(operand, stream_.padding);
            const Value first = builder_.multiply(k_tile, integer(loop_.copies_per_k_tile(operand)));
            result[operand] = operands_.source(operand, coordinates, {.form = -padding, .value = first});
        }
        return result;
    }

    /// Past a segment's end the last k-tile is prefetched again; in place of a tile's first one, which may be short,
    /// the second.
    Value prefetched_k_tile(const Segment& segment, Integer further) {
        const Value last = builder_.subtract(segment.count, integer(1)), wanted = integer(further);
        const Value k_tile =
            builder_.add(segment.first, builder_.select(builder_.less(wanted, last), wanted, last));
        return builder_.select(builder_.less(k_tile, integer(1)), integer(1), k_tile);
    }

    void multiply(const Segment& segment, const Affine& max_k_tiles) {
        const TileCoordinates coordinates = coordinates_.tile(segment.tile);
        const bool prefetches = stream_.k_tiles > 1;
        builder_.barrier(); // other threads may still read the last segment's k-tiles or slices' accumulators
        for (Integer stage = 0; stage < schedule_.stages - 1; ++stage) {
            const Value k_tile = stage == 0 ? segment.first : prefetched_k_tile(segment, stage);
            if (stage == 0 || prefetches) {
                loop_.set_sources(sources_at(coordinates, k_tile));
                loop_.fetch({0,
                             {.index = stage},
                             stage == 0 ? stream_.padding : 0,
                             {.value = k_tile},
                             schedule_.cta_tile.k});
            }
            loop_.commit();
        }
        loop_.wait_for_first(accumulators_);
        const SimtMainLoop::Sources ahead =
            sources_at(coordinates, prefetched_k_tile(segment, schedule_.stages - 1));
        for (std::size_t operand = 0; operand < 2; ++operand) loop_.aim(operand, ahead[operand].start);
        const Value copied = builder_.subtract(segment.count, integer(schedule_.stages));
        const Value fewer = builder_.subtract(segment.count, builder_.index(max_k_tiles)); // usually none
        builder_.for_loop(std::string(k_tile_loop), max_k_tiles, [&](const Affine& k_tile) {
            builder_.if_then({{max_k_tiles - 1 - k_tile, Relation::nonnegative, fewer}}, [&] {
                loop_.multiply({.prefetches = prefetches, .is_last = !prefetches}, accumulators_);
                loop_.advance(builder_.less(builder_.index(k_tile), copied));
            });
        });
        loop_.wait_for_all();
    }

    /// A block that has all k-tiles of a tile finishes it.
    void finish(const Segment& segment) {
        const auto write = [&] {
            update_c(builder_, schedule_, threads_, accumulators_, product_,
                     operands_.result(coordinates_.tile(segment.tile)));
        };
        if (stream_.k_tiles == 1) return write();
        builder_.if_then({{-stream_.k_tiles, Relation::zero, segment.count}}, write, [&] {
            const Value index = builder_.add(
                segment.tile, builder_.index(coordinates_.block() - stream_.first_stream_k_tile()));
            store_partial(builder_, schedule_, threads_, accumulators_, product_, partials_, index);
        });
    }

    const MatrixProduct& product_;
    const SimtGemm& schedule_;
    StreamKPartition stream_;
    ir::Builder builder_;
    SimtOperands operands_;
    SimtMainLoop loop_;
    StreamKCoordinates coordinates_;
    SimtThreadLayout threads_;
    SimtAccumulators accumulators_;
    ir::Buffer partials_;
};

} // namespace

std::vector<ir::Program> stream_k_kernels(const CanonicalSimtGemm& gemm, const target::Gpu& gpu,
                                          const GpuEpilogue& epilogue) {
    return {StreamKWriter(gemm, gpu, epilogue).write(), stream_k_fixup_kernel(gemm, gpu, epilogue)};
}

} // namespace swirl::gemm
