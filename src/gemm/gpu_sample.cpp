#include "gemm/gpu_sample.hpp"

#include "gemm/gpu_product.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

constexpr Integer pieces = 2; ///< and one of each block where several share the depth
/// Elements of a cache line at most, and of a row of the banks of shared memory: strides change by multiples of it.
constexpr Integer period = 128;

/// A stride that is no less than `least`, and 1 or 0 only where it has been that.
Integer shorter(Integer stride, Integer least) {
    if (stride == 0 || stride == 1) return stride;
    least = std::max<Integer>(least, 2);
    return least + modulo(stride - least, period);
}

MatrixLayout shorter(MatrixLayout layout, Integer rows, Integer columns) {
    const bool rows_first = std::abs(layout.row_stride) <= std::abs(layout.column_stride);
    Integer& inner = rows_first ? layout.row_stride : layout.column_stride;
    Integer& outer = rows_first ? layout.column_stride : layout.row_stride;
    inner = shorter(inner, 1);
    outer = shorter(outer, inner * (rows_first ? rows : columns));
    layout.batch_stride = shorter(layout.batch_stride, outer * (rows_first ? columns : rows));
    return layout;
}

bool is_global(const ir::BufferInfo& buffer) {
    return buffer.space == ir::Space::argument || buffer.space == ir::Space::scratch;
}

/// With 0 … values − 1.
void fill(ir::Memory& memory, Integer values) {
    for (Integer k = 0; k < memory.elements(); ++k)
        memory.set(memory.first() + k, static_cast<long double>(k % values));
}

} // namespace

MatrixProduct one_tile_of(const MatrixProduct& product, const GpuSchedule& schedule) {
    MatrixProduct result = oriented_for_gpu(product).product;
    if (result.listed) { // their accesses are the same
        result.listed = false;
        result.list_alignment = 0;
        result.a.batch_stride = result.b.batch_stride = result.c.batch_stride = period;
    }
    result.rows = schedule.block_rows;
    result.columns = schedule.block_columns;
    result.depth = std::min(result.depth, std::max<Integer>(pieces, schedule.splits) * schedule.block_depth);
    result.batch = schedule.matrices;
    result.a = shorter(result.a, result.rows, result.depth);
    result.b = shorter(result.b, result.depth, result.columns);
    result.c = shorter(result.c, result.rows, result.columns);
    return result;
}

GpuSample gpu_sample(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu) {
    GpuSample result{one_tile_of(product, schedule), {}};
    GpuSchedule of_one_tile = schedule;
    of_one_tile.stream_blocks = of_one_tile.whole_tiles = 0;
    const ir::Program program = gpu_product(result.product, of_one_tile, gpu).back();
    ir::Arguments arguments(program);
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.by_value || (is_global(buffer) && buffer.name != "c"))
            fill(arguments[buffer.name], buffer.zeroed ? 1 : 7);
    arguments.parameters = {1, 0};
    const ir::InterpreterReport report = ir::interpret(program, arguments);
    for (std::size_t k = 0; k < program.buffers.size(); ++k) {
        const ir::BufferInfo& buffer = program.buffers[k];
        const bool is_shared = buffer.space == ir::Space::shared;
        if (buffer.by_value || (!is_shared && !is_global(buffer))) continue;
        if (report.loads[k].accesses > 0)
            result.accesses.push_back({buffer.name, is_shared, false, report.loads[k]});
        if (report.stores[k].accesses > 0)
            result.accesses.push_back({buffer.name, is_shared, true, report.stores[k]});
    }
    return result;
}

} // namespace swirl::gemm
