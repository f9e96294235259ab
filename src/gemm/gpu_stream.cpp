#include "gemm/gpu_stream.hpp"

#include "gemm/gpu_model.hpp"
#include "gemm/tile.hpp"

namespace swirl::gemm {

GpuStream stream_of(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    GpuStream stream;
    stream.row_blocks = ceil_divide(oriented.rows, Integer{schedule.block_rows});
    stream.column_blocks = ceil_divide(oriented.columns, Integer{schedule.block_columns});
    stream.batch = oriented.batch;
    stream.pieces = ceil_divide(oriented.depth, Integer{schedule.block_depth});
    stream.missing = stream.pieces * schedule.block_depth - oriented.depth;
    stream.blocks = schedule.stream_blocks;
    stream.whole_tiles = schedule.whole_tiles;
    return stream;
}

std::vector<GpuSchedule> streams_for(const GpuSchedule& schedule, const MatrixProduct& product,
                                     const target::Gpu& gpu) {
    if (schedule.has_tiles() || schedule.splits > 1 || schedule.matrices > 1) return {};
    const Integer blocks = Integer{gpu.multiprocessors} * gpu_resident_blocks(schedule, product, gpu);
    if (blocks == 0 || blocks > largest_parameter) return {};
    GpuSchedule stream = schedule;
    stream.stream_blocks = static_cast<int>(blocks);
    const Integer tiles = stream_of(stream, oriented_for_gpu(product).product).tiles(),
                  waves = tiles / blocks;
    if (tiles % blocks == 0 || waves > largest_parameter) return {};
    std::vector<GpuSchedule> result;
    for (const Integer whole : {waves, waves - 1}) {
        stream.whole_tiles = static_cast<int>(whole);
        if (waves > 0 && whole >= 0) result.push_back(stream);
    }
    return result;
}

} // namespace swirl::gemm
