// A block takes one segment of a tile's pieces after the other. Its loop is that of other products (gemm/gpu_thread_product.hpp), but
// for a condition that ends it early: which tile it is, where the segment begins and whether it is all of the tile are found out outside.
#include "gemm/gpu_stream_product.hpp"

#include "gemm/gpu_piece_loop.hpp"
#include "gemm/gpu_product.hpp"
#include "gemm/gpu_stream_finish.hpp"
#include "gemm/gpu_stream_place.hpp"
#include "gemm/gpu_sums.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

class StreamWriter {
public:
    StreamWriter(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                 const GpuEpilogue& epilogue)
        : orientation_(oriented_for_gpu(product)),
          product_(orientation_.product),
          schedule_(schedule),
          stream_(stream_of(schedule, product_)),
          builder_("gemm_stream"),
          operands_(builder_, orientation_, schedule, epilogue),
          loop_(builder_, schedule, operands_),
          places_(builder_, schedule, stream_),
          threads_(builder_, schedule, product_.number),
          sums_(builder_, schedule, threads_, product_, gpu, loop_.room()),
          parts_(builder_.add(buffer_of_parts(stream_, schedule, product_, true))) {}

    ir::Program write() {
        builder_.launch({.blocks = {stream_.blocks, 1, 1},
                         .threads = {schedule_.threads(), 1, 1},
                         .resident = schedule_.resident});
        loop_.begin(threads_);
        if (stream_.whole_tiles > 0)
            builder_.for_loop("shared", 2, [&](const Affine& shared) { write_segments(shared); });
        else
            write_segments(1);
        return builder_.finish();
    }

private:
    using Segment = GpuStreamPlaces::Segment;

    Value integer(Integer number) const { return operands_.integer(number); }

    /// Of the block's own tiles, or of its share: `shared` is 0 or 1.
    void write_segments(const Affine& shared) {
        const auto of_both = [&](Integer own, Integer of_share) { return own + (of_share - own) * shared; };
        const Integer pieces = std::min(stream_.pieces, stream_.share());
        builder_.for_loop("turn", of_both(stream_.whole_tiles, stream_.tiles_of_share()),
                          [&](const Affine& turn) {
                              const Segment segment = places_.segment(shared, turn);
                              builder_.if_then({{-1, Relation::nonnegative, segment.count}}, [&] {
                                  sums_.clear();
                                  multiply(segment, of_both(stream_.pieces, pieces));
                                  sums_.add_slices();
                                  finish(segment);
                              });
                          });
    }

    /// The tile's piece of that number begins there; the first one before the first step, if it is short.
    GpuPieceLoop::Sources sources_at(const GpuTilePlace& place, Value piece) {
        GpuPieceLoop::Sources result;
        for (std::size_t operand = 0; operand < 2; ++operand) {
            const Integer missing = operands_.copies(operand, stream_.missing);
            const Value first = builder_.multiply(piece, integer(loop_.copies_of_piece(operand)));
            result[operand] = operands_.source(operand, place, {.form = -missing, .value = first});
        }
        return result;
    }

    /// Beyond the last piece of a segment it is asked for again; in place of a tile's first one, which may be short, the second.
    Value piece_ahead(const Segment& segment, Integer further) {
        const Value last = builder_.subtract(segment.count, integer(1)), wanted = integer(further);
        const Value piece =
            builder_.add(segment.first, builder_.select(builder_.less(wanted, last), wanted, last));
        return builder_.select(builder_.less(piece, integer(1)), integer(1), piece);
    }

    void multiply(const Segment& segment, const Affine& most_pieces) {
        const GpuTilePlace place = places_.tile(segment.tile);
        const bool fetches = stream_.pieces > 1;
        builder_.barrier(); // others may still read the last segment's pieces, or slices' sums
        for (Integer stage = 0; stage < schedule_.stages - 1; ++stage) {
            const Value piece = stage == 0 ? segment.first : piece_ahead(segment, stage);
            if (stage == 0 || fetches) {
                loop_.set_sources(sources_at(place, piece));
                loop_.fetch({0,
                             {.number = stage},
                             stage == 0 ? stream_.missing : 0,
                             {.value = piece},
                             schedule_.block_depth});
            }
            loop_.commit();
        }
        loop_.wait_for_first(sums_);
        const GpuPieceLoop::Sources ahead = sources_at(place, piece_ahead(segment, schedule_.stages - 1));
        for (std::size_t operand = 0; operand < 2; ++operand) loop_.aim(operand, ahead[operand].start);
        const Value copied = builder_.subtract(segment.count, integer(schedule_.stages));
        const Value fewer = builder_.subtract(segment.count, builder_.index(most_pieces)); // usually none
        builder_.for_loop(std::string(gpu_piece_loop), most_pieces, [&](const Affine& number) {
            builder_.if_then({{most_pieces - 1 - number, Relation::nonnegative, fewer}}, [&] {
                loop_.multiply({.fetches = fetches, .is_last = !fetches}, sums_);
                loop_.advance(builder_.less(builder_.index(number), copied));
            });
        });
        loop_.wait_for_all();
    }

    /// Whoever has all pieces of a tile finishes it.
    void finish(const Segment& segment) {
        const auto write = [&] {
            update_result(builder_, schedule_, threads_, sums_, product_,
                          operands_.result(places_.tile(segment.tile)));
        };
        if (stream_.pieces == 1) return write();
        builder_.if_then({{-stream_.pieces, Relation::zero, segment.count}}, write, [&] {
            const Value number =
                builder_.add(segment.tile, builder_.index(places_.block() - stream_.first_shared_tile()));
            keep_part(builder_, schedule_, threads_, sums_, product_, parts_, number);
        });
    }

    GpuOrientation orientation_;
    const MatrixProduct& product_;
    const GpuSchedule& schedule_;
    GpuStream stream_;
    ir::Builder builder_;
    GpuOperands operands_;
    GpuPieceLoop loop_;
    GpuStreamPlaces places_;
    GpuThreads threads_;
    GpuSums sums_;
    ir::Buffer parts_;
};

} // namespace

std::vector<ir::Program> gpu_stream_product(const MatrixProduct& product, const GpuSchedule& schedule,
                                            const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    return {StreamWriter(product, schedule, gpu, epilogue).write(),
            gpu_stream_finish(product, schedule, gpu, epilogue)};
}

} // namespace swirl::gemm
