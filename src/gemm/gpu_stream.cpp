#include "gemm/gpu_stream.hpp"

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

} // namespace swirl::gemm
