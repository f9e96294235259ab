#include "gemm/gpu_stream_finish.hpp"

#include "gemm/gpu_operands.hpp"
#include "gemm/gpu_stream_place.hpp"
#include "gemm/gpu_sums.hpp"
#include "gemm/tile.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// Threads have the same elements of a tile as those that have summed them, those of one slice.
GpuSchedule of_one_slice(GpuSchedule schedule) {
    schedule.slices = 1;
    return schedule;
}

class FinishWriter {
public:
    FinishWriter(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                 const GpuEpilogue& epilogue)
        : orientation_(oriented_for_gpu(product)),
          product_(orientation_.product),
          schedule_(of_one_slice(schedule)),
          stream_(stream_of(schedule, product_)),
          builder_("gemm_finish"),
          operands_(builder_, orientation_, schedule_, epilogue, GpuOperands::Has::result_alone),
          places_(builder_, schedule_, stream_),
          threads_(builder_, schedule_, product_.number),
          sums_(builder_, schedule_, threads_, product_, gpu) {}

    /// Blocks that share a tile are neighbours; the first of them have the last tile, so that tiles of further turns are before.
    ir::Program write() {
        const Integer shares = shares_of_parts(schedule_), shared = stream_.shared_tiles();
        builder_.launch({.blocks = {shares * shared, 1, 1}, .threads = {schedule_.threads(), 1, 1}});
        const Affine from_last = shared == 1 ? Affine(0) : builder_.block(0, shares, 0);
        GpuParts parts = parts_of(shared - 1 - from_last);
        const Integer turns = ceil_divide(stream_.tiles(), shared);
        builder_.for_loop("turn", turns - (turns - 1) * operands_.steps(), [&](const Affine& turn) {
            const Affine tile = stream_.tiles() - 1 - from_last - turn * shared;
            builder_.if_then({{tile, Relation::nonnegative},
                              {-1 * operands_.steps(), Relation::nonnegative, parts.further}},
                             [&] {
                                 GpuResult c = operands_.result(places_.tile(builder_.index(tile)));
                                 c.parts = &parts;
                                 update_result(builder_, schedule_, threads_, sums_, product_, c);
                             });
        });
        return builder_.finish();
    }

private:
    /// Of the shared tile of that number; one alone is a whole tile, which is finished already.
    GpuParts parts_of(const Affine& tile) {
        const auto block_of = [&](const Affine& piece) {
            return builder_.divide(builder_.index(piece), operands_.integer(stream_.share()));
        };
        const Value first = block_of(tile * stream_.pieces);
        const Value last = block_of(tile * stream_.pieces + (stream_.pieces - 1));
        GpuParts parts;
        parts.buffer = builder_.add(buffer_of_parts(stream_, schedule_, product_, false));
        parts.first = builder_.add(first, builder_.index(tile));
        parts.further = builder_.subtract(last, first);
        parts.most = stream_.parts_of_tile();
        parts.steps = operands_.steps();
        return parts;
    }

    GpuOrientation orientation_;
    const MatrixProduct& product_;
    GpuSchedule schedule_;
    GpuStream stream_;
    ir::Builder builder_;
    GpuOperands operands_;
    GpuStreamPlaces places_;
    GpuThreads threads_;
    GpuSums sums_;
};

} // namespace

ir::BufferInfo buffer_of_parts(const GpuStream& stream, const GpuSchedule& schedule,
                               const MatrixProduct& oriented, bool written) {
    ir::BufferInfo buffer;
    buffer.name = "parts";
    buffer.element = scalar_of(oriented.number);
    buffer.space = ir::Space::scratch;
    buffer.elements = stream.parts() * scalars_of_part(schedule, oriented);
    buffer.written = written;
    return buffer;
}

ir::Program gpu_stream_finish(const MatrixProduct& product, const GpuSchedule& schedule,
                              const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    return FinishWriter(product, schedule, gpu, epilogue).write();
}

} // namespace swirl::gemm
