// The candidates that the model ranks: of some thousand schedules timed on an H100 (`bench_gpu_products
// --candidates`), a set that comes within 3% of the fastest for each kind of problem there.
#include "gemm/gpu/model/simt_candidates.hpp"

#include "gemm/cpu/tile.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/layout.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace swirl::gemm {

namespace {

constexpr int max_simt_stages = 4;
constexpr int usual_threads = 256;

/// CTA tiles, thread tiles, and sliced-K.
struct Shape {
    int rows, columns, depth, thread_m, thread_n, warp_lanes_m, warp_lanes_n, sliced_k;
    int resident = 0;
    FmaOrder order = FmaOrder::serpentine_rows;
    int mma_k = 0;

    Shape mirrored() const {
        return {columns,      rows,         depth,    thread_n, thread_m,
                warp_lanes_n, warp_lanes_m, sliced_k, resident, FmaOrder::serpentine_columns};
    }
};

/// For large problems, a few waves of blocks, thin problems, and batches of small ones.
constexpr Shape timed_shapes[] = {
    {256, 128, 16, 16, 8, 8, 4, 1},   {256, 128, 8, 16, 8, 8, 4, 1},    {128, 256, 16, 16, 8, 8, 4, 1},
    {128, 128, 16, 16, 8, 8, 4, 1},   {128, 128, 8, 8, 8, 8, 4, 1},     {192, 96, 16, 12, 12, 8, 4, 2},
    {128, 96, 16, 8, 12, 8, 4, 1, 3}, {96, 128, 16, 12, 8, 8, 4, 1, 3}, {128, 64, 40, 8, 8, 8, 4, 2},
    {128, 64, 32, 8, 8, 8, 4, 2},     {128, 64, 16, 8, 8, 8, 4, 1},     {64, 64, 16, 8, 8, 8, 4, 2},
    {64, 64, 8, 8, 8, 8, 4, 2},       {64, 64, 32, 8, 4, 8, 4, 2},      {128, 32, 32, 8, 8, 8, 4, 2},
    {128, 32, 16, 8, 8, 16, 2, 1},    {64, 32, 32, 8, 8, 8, 4, 4},      {256, 16, 16, 16, 8, 16, 2, 2},
    {128, 16, 64, 8, 8, 16, 2, 4},    {64, 16, 64, 4, 8, 16, 2, 4},     {32, 32, 32, 4, 8, 8, 4, 4},
    {32, 16, 32, 4, 4, 8, 4, 4},      {16, 64, 64, 2, 4, 2, 16, 1},     {16, 16, 8, 2, 4, 8, 4, 1},
    {64, 8, 64, 4, 4, 16, 2, 8},      {16, 8, 32, 1, 2, 8, 4, 2},       {32, 4, 32, 1, 2, 16, 2, 2},
    {64, 64, 16, 8, 8, 8, 4, 1},      {8, 8, 8, 4, 1, 2, 8, 1},         {4, 4, 4, 4, 1, 1, 4, 1},
    {1, 8, 64, 1, 1, 1, 8, 16},       {32, 1, 128, 1, 1, 32, 1, 4},     {16, 16, 8, 8, 2, 2, 8, 1},
    {32, 32, 32, 4, 4, 8, 4, 1},      {64, 64, 32, 4, 8, 8, 4, 1},      {64, 16, 64, 4, 4, 8, 4, 2},
    {64, 32, 64, 4, 8, 8, 4, 4},      {32, 32, 64, 8, 4, 4, 8, 4},      {32, 32, 128, 4, 8, 8, 4, 16},
    {64, 64, 64, 8, 8, 8, 4, 4},      {32, 16, 64, 4, 4, 8, 4, 4},      {64, 64, 64, 4, 8, 8, 4, 4},
};

/// Two resident blocks per multiprocessor, each with one half of K; for B that stays K-major.
constexpr Shape halved_shape{32, 32, 64, 8, 8, 4, 4, 8, 0, FmaOrder::serpentine_columns};

/// With TMA loads: K-major lines stay K-major for sides so narrow that memory is the bottleneck; for large problems
/// they are transposed.
struct TmaShape {
    Shape shape;
    int k_major; ///< a_load, b_load of K-major operands
    bool is_mirrored_too = false;
};
constexpr TmaShape tma_shapes[] = {
    {{32, 16, 128, 4, 4, 8, 4, 4}, 2, true},
    {{96, 128, 16, 12, 8, 8, 4, 1, 3}, 3},
    {{64, 64, 64, 8, 8, 8, 4, 4}, 3},
};

/// Small problems whose operands threads load straight from global memory; k-tiles cover all of K.
constexpr Shape global_load_shapes[] = {
    {4, 4, 0, 4, 1, 1, 4, 1}, {4, 4, 0, 4, 2, 1, 2, 1}, {8, 8, 0, 4, 1, 2, 8, 1}, {16, 16, 0, 4, 4, 4, 4, 1}};
constexpr Integer max_global_load_extent = 16; ///< of M, N and K

/// For mma.sync: CTA tile {m, n, k}, thread tile, sliced_k, resident blocks.
constexpr std::array<int, 7> mma_tiles[] = {
    {128, 64, 16, 8, 8, 1, 0},  {128, 64, 16, 4, 8, 1, 2},  {64, 128, 16, 8, 8, 1, 0},
    {128, 128, 16, 8, 8, 1, 0}, {128, 128, 16, 8, 4, 1, 0}, {64, 64, 16, 8, 8, 1, 0},
    {64, 64, 16, 4, 4, 1, 0},   {64, 64, 32, 8, 4, 2, 0},   {64, 32, 16, 4, 4, 1, 0},
    {32, 64, 16, 4, 4, 1, 0},   {32, 32, 32, 4, 4, 2, 0},   {32, 32, 32, 4, 4, 4, 0},
    {32, 16, 32, 2, 4, 2, 0},   {16, 32, 32, 2, 4, 2, 0},   {16, 16, 32, 2, 2, 2, 0},
};

/// The same for low-precision types; not timed yet.
constexpr std::array<int, 7> low_precision_mma_tiles[] = {
    {128, 128, 32, 8, 8, 1, 0}, {128, 256, 32, 8, 16, 1, 0}, {128, 64, 32, 8, 8, 1, 0},
    {64, 128, 32, 8, 8, 1, 0},  {64, 64, 32, 4, 8, 1, 0},    {64, 64, 64, 8, 8, 2, 0},
    {64, 32, 32, 4, 4, 1, 0},   {32, 32, 64, 4, 4, 2, 0},    {16, 16, 64, 2, 4, 2, 0},
};

std::vector<Shape> mma_shapes(std::span<const std::array<int, 7>> tiles, int mma_k) {
    constexpr int warp_lanes_m = 8, warp_lanes_n = 4;
    std::vector<Shape> result;
    for (const auto& [rows, columns, depth, thread_m, thread_n, sliced_k, resident] : tiles) {
        result.push_back(
            {rows, columns, depth, thread_m, thread_n, warp_lanes_m, warp_lanes_n, sliced_k, resident});
        result.back().mma_k = mma_k;
    }
    return result;
}

/// Where a GPU has wgmma for low-precision types, it is faster than mma.sync.
std::vector<Shape> shapes_of(const MatrixProduct& canonical, const target::Gpu& gpu, bool has_tiles) {
    constexpr int of_float64 = 4, of_half = 16;
    std::vector<Shape> result;
    if (canonical.data_type == DataType::float64 && gpu.tensor.float64)
        result = mma_shapes(mma_tiles, of_float64);
    if (canonical.data_type == DataType::float32 && canonical.type_of_a() != DataType::float32 && !has_tiles)
        result = mma_shapes(low_precision_mma_tiles, of_half);
    for (const Shape& shape : timed_shapes) {
        result.push_back(shape);
        if (shape.rows != shape.columns || shape.thread_m != shape.thread_n)
            result.push_back(shape.mirrored());
    }
    return result;
}

/// For a C smaller than those.
std::vector<Shape> tiny_shapes() {
    std::vector<Shape> result;
    for (int warp_lanes_m = 1; warp_lanes_m <= 16; warp_lanes_m *= 2)
        for (int warp_lanes_n = 1; warp_lanes_m * warp_lanes_n <= 16; warp_lanes_n *= 2)
            for (int sliced_k = 1; sliced_k <= 32; sliced_k *= 4)
                result.push_back({warp_lanes_m, warp_lanes_n, std::max(8, 2 * sliced_k), 1, 1, warp_lanes_m,
                                  warp_lanes_n, sliced_k});
    return result;
}

/// Tiles this narrow are only for a C as narrow.
constexpr int narrow = 4;
constexpr int usual_warp = 32;

bool suits(const Shape& shape, const MatrixProduct& canonical) {
    return shape.rows <= canonical.rows && shape.columns <= canonical.columns &&
           (shape.rows >= narrow || canonical.rows < narrow) &&
           (shape.columns >= narrow || canonical.columns < narrow);
}

/// If a CTA tile has a single row or column, the other operand needs either many columns or rows that are contiguous
/// or loaded with k vectors, or few that are neither.
bool suits_vectors(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    const auto is_right = [](int extent, Integer stride, int steps) {
        return (extent >= usual_warp) == (stride == 1 || steps > 1);
    };
    return (schedule.cta_n > 1 || is_right(schedule.cta_m, canonical.a.row_stride, schedule.a_vector_k)) &&
           (schedule.cta_m > 1 || is_right(schedule.cta_n, canonical.b.column_stride, schedule.b_vector_k));
}

/// Elements of a copy: `widest_vector`, halved until it suits the operand and divides the copied extent.
template <class Suits> int widest(int widest_vector, int copied, Suits&& suits) {
    while (!suits(widest_vector) || copied % widest_vector != 0) widest_vector /= 2;
    return widest_vector;
}

/// Pipeline stages: one more than the k-tiles of a block's share of K, within bounds.
int stages_of(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    const Integer k_tiles = ceil_divide(canonical.k, Integer{schedule.cta_k} * schedule.split_k);
    return static_cast<int>(std::clamp<Integer>(k_tiles + 1, 2, max_simt_stages));
}

/// With fewer tiles than multiprocessors: as many splits as these have capacity for.
void add_split_k_in_workspace(std::vector<GpuSchedule>& schedules, const MatrixProduct& canonical,
                              const target::Gpu& gpu) {
    GpuSchedule schedule = schedules.front();
    schedule.split_k_in_workspace = schedule.interleaved_split_k = 1;
    const Integer tiles = ceil_divide(canonical.rows, Integer{schedule.cta_m}) *
                          ceil_divide(canonical.columns, Integer{schedule.cta_n}) * canonical.batch;
    if (tiles == 0 || !gpu.has_cooperative_groups) return;
    for (schedule.split_k = 4; schedule.split_k * tiles <= gpu.multiprocessors; schedule.split_k *= 2) {
        schedule.stages = stages_of(schedule, canonical);
        schedules.push_back(schedule);
    }
}

/// If an operand is contiguous along K, a schedule with k vectors is a further candidate.
std::vector<GpuSchedule> with_k_vectors(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    const auto steps = [&](const MatrixLayout& layout, Integer stride, Integer mn_stride, Integer lines,
                           int lanes, DataType number) {
        if (lanes > 1) return 1;
        return widest(
            max_vector(canonical, number), schedule.cta_k / schedule.sliced_k, [&](int widest_vector) {
                return allows_vector_k(layout, stride, mn_stride, canonical.k, lines, widest_vector);
            });
    };
    const auto& [a, b] = std::tie(canonical.a, canonical.b);
    GpuSchedule with_vectors = schedule;
    std::vector<GpuSchedule> result;
    with_vectors.b_vector_k = steps(b, b.row_stride, b.column_stride, canonical.columns, schedule.b_vector_n,
                                    canonical.type_of_b());
    if (with_vectors.b_vector_k > 1) result.push_back(with_vectors);
    const int a_vector_k =
        steps(a, a.column_stride, a.row_stride, canonical.rows, schedule.a_vector_m, canonical.type_of_a());
    if (a_vector_k > 1) {
        with_vectors.a_vector_k = a_vector_k;
        if (SimtThreadLayout::loads_k_vectors(with_vectors, 0)) with_vectors.c_vector_m = 1;
        result.push_back(with_vectors);
    }
    result.push_back(schedule);
    return result;
}

/// Schedules of one shape: variants with split-K, or with several matrices per block.
std::vector<GpuSchedule> schedules_of(const Shape& shape, const MatrixProduct& canonical,
                                      const target::Gpu& gpu) {
    GpuSchedule schedule;
    schedule.cta_m = shape.rows;
    schedule.cta_n = shape.columns;
    schedule.cta_k = shape.depth;
    schedule.thread_m = shape.thread_m;
    schedule.thread_n = shape.thread_n;
    schedule.warp_lanes_m = shape.warp_lanes_m;
    schedule.warp_lanes_n = shape.warp_lanes_n;
    schedule.sliced_k = shape.sliced_k;
    schedule.resident = shape.resident;
    schedule.fma_order = shape.order;
    schedule.mma_k = shape.mma_k;
    schedule.interleave_copies =
        shape.thread_m * shape.thread_n > 1 ? 1 : 0; // a k index takes no longer than issuing a copy
    if (shape.mma_k > 0)
        schedule.copy_k = shape.mma_k; // different banks for the k indices of a contiguous range
    const auto& [a, b, c] = std::tie(canonical.a, canonical.b, canonical.c);
    const auto lanes = [](const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                          int copied, int widest_vector) {
        return widest(widest_vector, copied, [&](int number) {
            return allows_vector(layout, stride, other_stride, extent, number);
        });
    };
    schedule.a_vector_m = lanes(a, a.row_stride, a.column_stride, canonical.rows, shape.rows,
                                max_vector(canonical, canonical.type_of_a()));
    schedule.b_vector_n = lanes(b, b.column_stride, b.row_stride, canonical.columns, shape.columns,
                                max_vector(canonical, canonical.type_of_b()));
    schedule.c_vector_m =
        lanes(c, c.row_stride, c.column_stride, canonical.rows, shape.thread_m, max_vector_of_c(canonical));
    std::vector<GpuSchedule> result;
    for (schedule.split_k = 1; schedule.split_k <= std::max(1, gpu.portable_cluster); schedule.split_k *= 2) {
        schedule.stages = stages_of(schedule, canonical);
        result.push_back(schedule);
    }
    add_split_k_in_workspace(result, canonical, gpu);
    for (const GpuSchedule& stream : stream_k_candidates(result.front(), canonical, gpu))
        result.push_back(stream);
    schedule = result.front();
    for (schedule.matrices = 2; schedule.matrices <= canonical.batch && schedule.threads() <= usual_threads;
         schedule.matrices *= 2)
        result.push_back(schedule);
    return result;
}

/// The same with TMA loads.
GpuSchedule with_tma(GpuSchedule schedule, const MatrixProduct& canonical, int k_major) {
    const auto set = [&](int& tma, int& lanes, int& steps, Integer stride, DataType number) {
        tma = stride == 1 ? 1 : k_major;
        lanes = 1;
        if (tma == 2) steps = SimtThreadLayout::widest_access / static_cast<int>(bytes_of(number));
    };
    set(schedule.a_load, schedule.a_vector_m, schedule.a_vector_k, canonical.a.row_stride,
        canonical.type_of_a());
    set(schedule.b_load, schedule.b_vector_n, schedule.b_vector_k, canonical.b.column_stride,
        canonical.type_of_b());
    if (SimtThreadLayout::loads_k_vectors(schedule, 0)) schedule.c_vector_m = 1;
    return schedule;
}

std::vector<GpuSchedule> global_load_candidates(const MatrixProduct& canonical, const target::Gpu& gpu) {
    std::vector<GpuSchedule> result;
    if (canonical.batch == 1 || canonical.k == 0 ||
        std::max({canonical.rows, canonical.columns, canonical.k}) > max_global_load_extent)
        return result;
    for (Shape shape : global_load_shapes) {
        shape.depth = static_cast<int>(canonical.k);
        const bool is_largest = 2 * shape.rows > canonical.rows && 2 * shape.columns > canonical.columns;
        if (!suits(shape, canonical) || !is_largest) continue;
        for (const GpuSchedule& one : schedules_of(shape, canonical, gpu))
            for (GpuSchedule schedule : with_k_vectors(one, canonical)) {
                schedule.load_from_global = 1;
                if (!infeasibility(schedule, canonical, gpu)) result.push_back(schedule);
            }
    }
    return result;
}

std::vector<GpuSchedule> tma_candidates(const MatrixProduct& canonical, const target::Gpu& gpu) {
    std::vector<GpuSchedule> result;
    const auto add = [&](const Shape& shape, int k_major) {
        if (!suits(shape, canonical)) return;
        for (const GpuSchedule& schedule : schedules_of(shape, canonical, gpu)) {
            const GpuSchedule tma = with_tma(schedule, canonical, k_major);
            // If no operand or both are transposed, cp.async is as fast.
            const bool pays = k_major != 3 || tma.is_transposed(0) != tma.is_transposed(1);
            if (pays && !infeasibility(tma, canonical, gpu)) result.push_back(tma);
        }
    };
    for (const TmaShape& one : tma_shapes) {
        add(one.shape, one.k_major);
        if (one.is_mirrored_too) add(one.shape.mirrored(), one.k_major);
    }
    return result;
}

} // namespace

std::vector<GpuSchedule> simt_candidates(const MatrixProduct& canonical, const target::Gpu& gpu,
                                         bool has_tiles) {
    std::vector<GpuSchedule> result;
    const auto add = [&](const Shape& shape, bool may_be_any) {
        for (const GpuSchedule& one : schedules_of(shape, canonical, gpu))
            for (const GpuSchedule& schedule : with_k_vectors(one, canonical))
                if ((may_be_any || suits_vectors(schedule, canonical)) &&
                    !infeasibility(schedule, canonical, gpu))
                    result.push_back(schedule);
    };
    for (const Shape& shape : shapes_of(canonical, gpu, has_tiles))
        if (suits(shape, canonical)) add(shape, false);
    for (const GpuSchedule& schedule : global_load_candidates(canonical, gpu)) result.push_back(schedule);
    const auto is_no_half = [](const GpuSchedule& one) { return one.split_k != 2 || one.b_vector_k == 1; };
    const std::size_t before = result.size();
    if (suits(halved_shape, canonical)) add(halved_shape, false);
    result.erase(
        std::remove_if(result.begin() + static_cast<std::ptrdiff_t>(before), result.end(), is_no_half),
        result.end());
    if (gpu.has_tma)
        for (const GpuSchedule& schedule : tma_candidates(canonical, gpu)) result.push_back(schedule);
    if (result.empty())
        for (const Shape& shape : tiny_shapes())
            if (shape.rows <= canonical.rows && shape.columns <= canonical.columns) add(shape, true);
    return result;
}

} // namespace swirl::gemm
