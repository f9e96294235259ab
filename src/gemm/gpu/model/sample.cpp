#include "gemm/gpu/model/sample.hpp"

#include "gemm/gpu/gemm_kernels.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

constexpr Integer k_tiles = 2; ///< and one per block if several share K
/// Multiple of the elements in a cache line, and in a row of shared-memory banks; strides change by multiples of it.
constexpr Integer period = 128;

/// A stride of at least `least`; 1 or 0 only if it was that.
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

/// With 0 … values − 1, repeated.
void fill(ir::Memory& memory, Integer values) {
    for (Integer k = 0; k < memory.elements(); ++k)
        memory.set(memory.first() + k, static_cast<long double>(k % values));
}

} // namespace

MatrixProduct one_tile_of(const MatrixProduct& product, const GpuGemmSchedule& schedule) {
    MatrixProduct result = canonical_for_gpu(product).product;
    if (result.listed) { // their accesses are the same
        result.listed = false;
        result.list_alignment = 0;
        result.a.batch_stride = result.b.batch_stride = result.c.batch_stride = period;
    }
    if (const auto* const batched = std::get_if<BatchedGemm>(&schedule)) {
        result.batch = std::min(result.batch, Integer{batched->matrices});
        return result;
    }
    const auto* const simt = std::get_if<SimtGemm>(&schedule);
    const CtaTile& tile = simt != nullptr ? simt->cta_tile : std::get<WgmmaGemm>(schedule).cta_tile;
    const Integer splits = simt != nullptr ? simt->splits() : 1;
    result.rows = tile.m;
    result.columns = tile.n;
    result.k = std::min(result.k, std::max(k_tiles, splits) * tile.k);
    result.batch = simt != nullptr ? simt->matrices() : 1;
    result.a = shorter(result.a, result.rows, result.k);
    result.b = shorter(result.b, result.k, result.columns);
    result.c = shorter(result.c, result.rows, result.columns);
    return result;
}

GpuSample gpu_sample(const MatrixProduct& product, const GpuGemmSchedule& schedule, const target::Gpu& gpu) {
    GpuSample result{one_tile_of(product, schedule), {}};
    GpuGemmSchedule of_one_tile = schedule;
    if (auto* const simt = std::get_if<SimtGemm>(&of_one_tile);
        simt != nullptr && simt->stream_k() != nullptr)
        simt->decomposition = DataParallel{};
    const ir::Program program = gpu_gemm_kernels(result.product, of_one_tile, gpu).back();
    ir::Arguments arguments(program);
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.by_value || (is_global(buffer) && buffer.role.argument != ir::ArgumentRole::c))
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
