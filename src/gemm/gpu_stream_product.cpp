// One loop over a block's positions: what is copied ahead goes on with the next tile while the last one is still multiplied. Copies and
// products each know at which position their run ends, and only there find out anew which tile they are at.
#include "gemm/gpu_stream_product.hpp"

#include "gemm/gpu_piece_loop.hpp"
#include "gemm/gpu_product.hpp"
#include "gemm/gpu_stream_finish.hpp"
#include "gemm/gpu_stream_place.hpp"
#include "gemm/gpu_sums.hpp"

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
          sums_(builder_, schedule, threads_, product_, gpu),
          parts_(builder_.add(buffer_of_parts(stream_, schedule, product_, true))),
          runs_(builder_.local("runs", ir::Scalar::int64, 2)) {}

    ir::Program write() {
        builder_.launch({.blocks = {stream_.blocks, 1, 1},
                         .threads = {schedule_.threads(), 1, 1},
                         .resident = schedule_.resident});
        sums_.clear();
        begin();
        builder_.for_loop(std::string(gpu_piece_loop), stream_.positions(), [&](const Affine& position) {
            loop_.multiply({}, sums_);
            loop_.advance(ir::no_value);
            where_it_ends(position, copied, [&] { aim(builder_.index(position + schedule_.stages)); });
            where_it_ends(position, multiplied, [&] { finish(position); });
        });
        builder_.wait_for_copies(0);
        return builder_.finish();
    }

private:
    /// Runs of pieces that follow each other in memory, and of those whose products are in one sum; by number.
    enum Run : Integer { copied, multiplied };

    Value integer(Integer number) const { return operands_.integer(number); }

    /// Runs are known by the position at the end of which the next one begins, negative.
    void ends(Run run, Value before_end) {
        builder_.store(runs_, run, builder_.subtract(integer(0), before_end));
    }
    template <class Body> void where_it_ends(const Affine& position, Run run, Body&& body) {
        builder_.if_then({{position, Relation::zero, builder_.load(runs_, run)}}, body);
    }

    void begin() {
        for (Integer stage = 0; stage < schedule_.stages - 1; ++stage) {
            const GpuPieceLoop::Sources sources = sources_at(integer(stage));
            if (stage == 0) loop_.begin(threads_, sources);
            for (std::size_t operand = 0; operand < 2; ++operand) loop_.aim(operand, sources[operand].start);
            loop_.take();
            loop_.fetch({.number = 0, .target = {.number = stage}});
            loop_.commit();
        }
        loop_.wait_for_first(sums_);
        aim(integer(schedule_.stages - 1));
        begin_sums(integer(0));
    }

    // ---- what is copied
    /// A tile's first piece is a run of its own where the second one has some of its steps: these are cleared in the first.
    GpuPieceLoop::Sources sources_at(Value position) {
        const GpuStreamPlaces::Spot spot = places_.spot(position);
        const GpuTilePlace place = places_.tile(places_.existing(spot.tile));
        const Value is_first = builder_.less(spot.piece, integer(1));
        GpuPieceLoop::Sources result;
        for (std::size_t operand = 0; operand < 2; ++operand) {
            Value first = builder_.multiply(spot.piece, integer(loop_.copies_of_piece(operand)));
            if (stream_.missing > 0)
                first = builder_.subtract(
                    first, builder_.select(is_first, integer(0),
                                           integer(operands_.copies(operand, stream_.missing))));
            result[operand] = operands_.source(operand, place, {.value = first});
        }
        Value left = builder_.subtract(integer(stream_.pieces), spot.piece);
        if (stream_.missing > 0) left = builder_.select(is_first, integer(1), left);
        // It is asked for while the piece so many stages before is multiplied.
        ends(copied, builder_.subtract(builder_.add(position, left), integer(schedule_.stages)));
        return result;
    }
    void aim(Value position) {
        const GpuPieceLoop::Sources sources = sources_at(position);
        for (std::size_t operand = 0; operand < 2; ++operand) loop_.aim(operand, sources[operand].start);
    }

    // ---- what is multiplied
    /// Of the tile at a position, of which nothing has been multiplied here.
    void begin_sums(Value position) {
        const Value piece = places_.spot(position).piece;
        const Value end = builder_.add(position, builder_.subtract(integer(stream_.pieces - 1), piece));
        const Value last = integer(stream_.positions() - 1);
        ends(multiplied, builder_.select(builder_.less(end, last), end, last));
        if (stream_.missing > 0)
            builder_.if_then({{Affine(0), Relation::zero, piece}},
                             [&] { loop_.clear_steps(schedule_.block_depth - stream_.missing, sums_); });
    }

    void finish(const Affine& position) {
        sums_.add_slices();
        const Value at = builder_.index(position);
        const GpuStreamPlaces::Spot spot = places_.spot(at);
        if (stream_.share() * stream_.blocks == stream_.shared_tiles() * stream_.pieces)
            finish_tile(at, spot);
        else // blocks may have no pieces left
            builder_.if_then({{Affine(-stream_.tiles()), Relation::negative, spot.tile}},
                             [&] { finish_tile(at, spot); });
        sums_.clear();
        begin_sums(builder_.add(at, integer(1)));
    }

    void finish_tile(Value at, const GpuStreamPlaces::Spot& spot) {
        const auto write = [&] {
            update_result(builder_, schedule_, threads_, sums_, product_,
                          operands_.result(places_.tile(spot.tile)));
        };
        if (stream_.pieces == 1) return write();
        const Value before = builder_.subtract(at, builder_.add(spot.piece, spot.first_position));
        builder_.if_then({{Affine(1 - stream_.pieces), Relation::zero, spot.piece},
                          {Affine(0), Relation::nonnegative, before}},
                         write, [&] {
                             const Value number = builder_.add(
                                 spot.tile, builder_.index(places_.block() - stream_.first_shared_tile()));
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
    ir::Buffer runs_;
};

} // namespace

std::vector<ir::Program> gpu_stream_product(const MatrixProduct& product, const GpuSchedule& schedule,
                                            const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    return {StreamWriter(product, schedule, gpu, epilogue).write(),
            gpu_stream_finish(product, schedule, gpu, epilogue)};
}

} // namespace swirl::gemm
