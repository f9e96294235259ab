#include "gemm/gpu/scheduler/stream_k_fixup.hpp"

#include "gemm/gpu/scheduler/stream_k_coordinates.hpp"
#include "gemm/gpu/simt/accumulators.hpp"
#include "gemm/gpu/simt/operands.hpp"
#include "gemm/scalar.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// A thread finishes the elements of a tile that the threads of one slice accumulated.
SimtGemm with_one_k_slice(SimtGemm schedule) {
    schedule.sliced_k = 1;
    return schedule;
}

class FinishWriter {
public:
    FinishWriter(const CanonicalSimtGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue)
        : product_(gemm.product()),
          schedule_(with_one_k_slice(gemm.schedule)),
          gemm_(gemm.canonical, schedule_),
          stream_(stream_k_of(gemm.schedule, product_)),
          builder_("gemm_stream_k_fixup"),
          operands_(builder_, gemm_, epilogue, SimtOperands::Has::c_only),
          coordinates_(builder_, schedule_, stream_),
          threads_(builder_, schedule_, product_.data_type),
          accumulators_(builder_, gemm_, threads_, gpu) {}

    /// Adjacent blocks share a tile; the first blocks take the last tile. Further iterations, when all tiles are
    /// written (multiplies = 0), proceed towards the first tile.
    ir::Program write() {
        const Integer shares = reducing_blocks_of_partials(schedule_), shared = stream_.stream_k_tiles();
        builder_.launch({.blocks = {shares * shared, 1, 1}, .threads = {schedule_.threads(), 1, 1}});
        const Affine from_last = shared == 1 ? Affine(0) : builder_.block(0, shares, 0);
        TilePartials partials = partials_of(shared - 1 - from_last);
        const Integer tiles_of_block = ceil_divide(stream_.tiles(), shared);
        builder_.for_loop("tile", tiles_of_block - (tiles_of_block - 1) * operands_.multiplies(),
                          [&](const Affine& iteration) {
                              const Affine tile = stream_.tiles() - 1 - from_last - iteration * shared;
                              builder_.if_then(
                                  {{tile, Relation::nonnegative},
                                   {-1 * operands_.multiplies(), Relation::nonnegative, partials.following}},
                                  [&] {
                                      TileOfC c = operands_.result(coordinates_.tile(builder_.index(tile)));
                                      c.partials = &partials;
                                      update_c(builder_, schedule_, threads_, accumulators_, product_, c);
                                  });
                          });
        return builder_.finish();
    }

private:
    /// Partials of a shared tile; if there is a single one, the tile is already finished.
    TilePartials partials_of(const Affine& tile) {
        const auto block_of = [&](const Affine& k_tile) {
            return builder_.divide(builder_.index(k_tile), operands_.integer(stream_.k_tiles_per_block()));
        };
        const Value first = block_of(tile * stream_.k_tiles);
        const Value last = block_of(tile * stream_.k_tiles + (stream_.k_tiles - 1));
        TilePartials partials;
        partials.buffer = builder_.add(buffer_of_partials(stream_, schedule_, product_, false));
        partials.first = builder_.add(first, builder_.index(tile));
        partials.following = builder_.subtract(last, first);
        partials.most = stream_.partials_of_tile();
        partials.multiplies = operands_.multiplies();
        return partials;
    }

    const MatrixProduct& product_;
    SimtGemm schedule_;
    CanonicalSimtGemm gemm_; ///< of this kernel's schedule
    StreamKPartition stream_;
    ir::Builder builder_;
    SimtOperands operands_;
    StreamKCoordinates coordinates_;
    SimtThreadLayout threads_;
    SimtAccumulators accumulators_;
};

} // namespace

ir::BufferInfo buffer_of_partials(const StreamKPartition& stream, const SimtGemm& schedule,
                                  const MatrixProduct& canonical, bool written) {
    ir::BufferInfo buffer;
    buffer.name = "stream_k_partials";
    buffer.element = scalar_of(canonical.data_type);
    buffer.space = ir::Space::scratch;
    buffer.elements = stream.partials() * scalars_of_partial(schedule, canonical);
    buffer.written = written;
    return buffer;
}

ir::Program stream_k_fixup_kernel(const CanonicalSimtGemm& gemm, const target::Gpu& gpu,
                                  const GpuEpilogue& epilogue) {
    return FinishWriter(gemm, gpu, epilogue).write();
}

} // namespace swirl::gemm
