#include "gemm/gpu/batched/layout.hpp"

#include "gemm/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace swirl::gemm {

namespace {

constexpr Integer moved_bytes = 16;
constexpr int warp_threads = 32;
constexpr int max_held_registers = 32; ///< 32-bit registers of an operand's values of several k indices
constexpr int max_batched_accumulators = 128;

MatrixRange matrix_range_of(Integer mn_extent, Integer k_extent, Integer mn_stride, Integer k_stride,
                            const BatchedGemm& schedule, Integer element_bytes) {
    MatrixRange result;
    result.elements = mn_extent * k_extent;
    result.all = result.elements * schedule.matrices;
    result.mn_stride = mn_stride;
    result.k_stride = k_stride;
    result.chunk = static_cast<int>(moved_bytes / element_bytes);
    result.is_shifted = result.all % result.chunk != 0;
    return result;
}

/// Largest power of two up to `most` elements that divides both extents; vectors of shifted ranges would be misaligned.
int range_vector_of(const MatrixRange& range, Integer contiguous, Integer held, int most) {
    int result = 1;
    while (!range.is_shifted && 2 * result <= most && contiguous % (2 * result) == 0 &&
           held % (2 * result) == 0)
        result *= 2;
    return result;
}

/// Whether a batch's matrices are adjacent in memory, without gaps; rows or columns first.
bool is_dense_batch(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    const bool by_columns = (layout.row_stride == 1 || rows == 1) && layout.column_stride == rows;
    const bool by_rows = (layout.column_stride == 1 || columns == 1) && layout.row_stride == columns;
    return (by_columns || by_rows) && (batch == 1 || layout.batch_stride == rows * columns);
}

} // namespace

CanonicalBatchedGemm::CanonicalBatchedGemm(const CanonicalGemm& canonical_gemm, const BatchedGemm& batched)
    : canonical(canonical_gemm), schedule(batched) {
    const MatrixProduct& problem = product();
    const Integer bytes = bytes_of(problem.data_type), words = bytes / 4;
    const Integer m = problem.rows, n = problem.columns, k = problem.k;
    const Extents& tile = schedule.thread_tile;
    a = matrix_range_of(m, k, problem.a.row_stride, problem.a.column_stride, schedule, bytes);
    b = matrix_range_of(n, k, problem.b.column_stride, problem.b.row_stride, schedule, bytes);
    c = matrix_range_of(m, n, problem.c.row_stride, problem.c.column_stride, schedule, bytes);
    const auto k_vector = [&](MatrixRange& range, int held) {
        range.is_along_k = range.k_stride == 1 && range.mn_stride != 1;
        if (!range.is_along_k) return;
        const auto most = static_cast<int>(std::max<Integer>(1, max_held_registers / words / held));
        range.vector = range_vector_of(range, k, k, std::min(range.chunk, most));
    };
    k_vector(a, tile.m);
    k_vector(b, tile.n);
    vectors.m = range_vector_of(c, m, tile.m, c.chunk);
    if (!a.is_along_k) vectors.m = std::min(vectors.m, range_vector_of(a, m, tile.m, a.chunk));
    vectors.n = b.is_along_k ? 1 : range_vector_of(b, n, tile.n, b.chunk);
    if (!a.is_along_k) a.vector = vectors.m;
    if (!b.is_along_k) b.vector = vectors.n;
    c.vector = vectors.m;
    lanes.m = static_cast<int>(ceil_divide(m, Integer{tile.m}));
    lanes.n = static_cast<int>(ceil_divide(n, Integer{tile.n}));
}

int CanonicalBatchedGemm::threads() const {
    return static_cast<int>(
               ceil_divide(Integer{schedule.matrices} * matrix_threads(), Integer{warp_threads})) *
           warp_threads;
}

Integer batched_shared_bytes(const CanonicalBatchedGemm& gemm) {
    return (std::max(gemm.a.capacity(), gemm.c.capacity()) + gemm.b.capacity()) *
           bytes_of(gemm.product().data_type);
}

int batched_registers(const CanonicalBatchedGemm& gemm) {
    const Extents& tile = gemm.schedule.thread_tile;
    const auto words = static_cast<int>(bytes_of(gemm.product().data_type) / 4);
    constexpr int others = 32;
    const auto held = [](const MatrixRange& range, int extent) {
        return extent * (range.is_along_k ? range.vector : 1);
    };
    return words * (tile.m * tile.n + 2 * held(gemm.a, tile.m) + held(gemm.b, tile.n)) + others;
}

std::string batched_infeasibility(const CanonicalBatchedGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& product = gemm.product();
    const Extents& tile = gemm.schedule.thread_tile;
    if (product.data_type != DataType::float32 && product.data_type != DataType::float64)
        return fmt::format("accumulators are {}; float32 and float64 are possible",
                           name_of(product.data_type));
    for (const DataType stored : {product.type_of_a(), product.type_of_b(), product.type_of_c()})
        if (stored != product.data_type)
            return fmt::format("a matrix is {}; {} is possible, the type of the accumulators",
                               name_of(stored), name_of(product.data_type));
    if (product.listed) return "matrices are in pointer lists; simt schedules are possible";
    if (product.k == 0) return "K is 0; simt schedules are possible";
    if (!product.reductions.empty()) return "C is reduced; simt schedules are possible";
    if (!is_dense_batch(product.a, product.rows, product.k, product.batch) ||
        !is_dense_batch(product.b, product.k, product.columns, product.batch) ||
        !is_dense_batch(product.c, product.rows, product.columns, product.batch))
        return "matrices are not adjacent in memory; simt schedules are possible";
    if (product.c.row_stride != 1 && product.rows > 1)
        return "C has no contiguous rows; simt schedules are possible";
    if (tile.m > product.rows || tile.n > product.columns)
        return fmt::format("thread_m is {} and thread_n {}; at most {} and {} are possible", tile.m, tile.n,
                           product.rows, product.columns);
    for (const auto& [name, held, vector, lanes, extent] :
         {std::tuple{"thread_m", tile.m, gemm.vectors.m, gemm.lanes.m, product.rows},
          {"thread_n", tile.n, gemm.vectors.n, gemm.lanes.n, product.columns}})
        if ((held / vector - 1) * lanes >
            extent / vector) // else only a thread's last group may lie outside C
            return fmt::format("{} is {}, of an extent of {} for {} threads; smaller ones are possible", name,
                               held, extent, lanes);
    if (tile.m * tile.n > max_batched_accumulators)
        return fmt::format("a thread has {} accumulators; {} at most are possible", tile.m * tile.n,
                           max_batched_accumulators);
    if (gemm.threads() > gpu.threads_per_block)
        return fmt::format("a block has {} threads; {} at most are possible", gemm.threads(),
                           gpu.threads_per_block);
    if (gemm.schedule.matrices > product.batch)
        return fmt::format("matrices is {}; {} at most are possible", gemm.schedule.matrices, product.batch);
    for (const MatrixRange* const range : {&gemm.a, &gemm.b, &gemm.c})
        if (range->is_shifted && range->elements < range->chunk)
            return fmt::format("matrices is {}; multiples of {} are possible for matrices of {} elements",
                               gemm.schedule.matrices, range->chunk, range->elements);
    if (const Integer bytes = batched_shared_bytes(gemm); bytes > gpu.max_shared_bytes_per_block)
        return fmt::format("a block needs {} bytes of shared memory; {} at most are possible", bytes,
                           gpu.max_shared_bytes_per_block);
    if (batched_registers(gemm) >
        std::min(gpu.registers_per_thread, gpu.registers_per_block / gemm.threads()))
        return fmt::format("a thread needs {} registers", batched_registers(gemm));
    return {};
}

} // namespace swirl::gemm
