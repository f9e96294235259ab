// Each shape of simt_shapes.hpp that suits a problem, with the vectors, splits, pipeline stages and matrices per block
// that the problem allows.
#include "gemm/gpu/model/simt_candidates.hpp"

#include "gemm/gpu/model/mma_shapes.hpp"
#include "gemm/gpu/model/simt_shapes.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/scalar.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace swirl::gemm {

namespace {

constexpr int max_simt_stages = 4;
constexpr int max_stages_in_flight =
    9; ///< where tensor cores multiply as many k-tiles, less one, that are all in flight
constexpr int usual_threads = 256;
constexpr Integer max_global_load_extent = 16; ///< of M, N and K

/// For the transposed problem.
SimtGemm mirrored(const SimtGemm& shape) {
    SimtGemm result = shape;
    std::swap(result.cta_tile.m, result.cta_tile.n);
    std::swap(result.thread_tile.m, result.thread_tile.n);
    const Extents lanes = shape.warp_lanes();
    result.math = Fma{.warp_lanes = {.m = lanes.n, .n = lanes.m}, .order = FmaOrder::serpentine_columns};
    return result;
}

/// Appends a shape, and its likes with as many rows, or columns, as a narrow C: tiles that do not divide it would read
/// the long operand once more for each that they need.
void add_with_narrow_tiles(const SimtGemm& shape, const MatrixProduct& canonical,
                           std::vector<SimtGemm>& result) {
    result.push_back(shape);
    if (shape.is_mma() || canonical.batch > 1) return;
    const auto fits = [](Integer extent, int tile, int thread, int lanes) {
        constexpr Integer most = 64;
        constexpr int max_thread_extent = 10;
        return extent <= most && tile != extent && tile == thread * lanes &&
               (lanes == 1 || (extent < Integer{2} * tile && extent % tile != 0)) && extent % lanes == 0 &&
               extent / lanes <= max_thread_extent;
    };
    const Extents lanes = shape.warp_lanes();
    SimtGemm narrow = shape;
    if (fits(canonical.rows, shape.cta_tile.m, shape.thread_tile.m, lanes.m)) {
        narrow.cta_tile.m = static_cast<int>(canonical.rows);
        narrow.thread_tile.m = narrow.cta_tile.m / lanes.m;
        result.push_back(narrow);
    }
    narrow = shape;
    if (fits(canonical.columns, shape.cta_tile.n, shape.thread_tile.n, lanes.n)) {
        narrow.cta_tile.n = static_cast<int>(canonical.columns);
        narrow.thread_tile.n = narrow.cta_tile.n / lanes.n;
        result.push_back(narrow);
    }
}

std::vector<SimtGemm> shapes_of(const MatrixProduct& canonical, const target::Gpu& gpu) {
    std::vector<SimtGemm> result;
    if ((canonical.data_type == DataType::float64 && gpu.tensor.float64) ||
        (canonical.data_type == DataType::float32 && canonical.type_of_a() != DataType::float32))
        result = mma_shapes(canonical);
    for (const SimtGemm& shape : simt_shapes) {
        add_with_narrow_tiles(shape, canonical, result);
        if (shape.cta_tile.m != shape.cta_tile.n || shape.thread_tile.m != shape.thread_tile.n)
            add_with_narrow_tiles(mirrored(shape), canonical, result);
    }
    return result;
}

/// For a C smaller than those.
std::vector<SimtGemm> tiny_shapes() {
    std::vector<SimtGemm> result;
    for (int m = 1; m <= 16; m *= 2)
        for (int n = 1; m * n <= 16; n *= 2)
            for (int sliced_k = 1; sliced_k <= 32; sliced_k *= 4)
                result.push_back({.cta_tile = {.m = m, .n = n, .k = std::max(8, 2 * sliced_k)},
                                  .thread_tile = {.m = 1, .n = 1},
                                  .math = Fma{.warp_lanes = {.m = m, .n = n}},
                                  .sliced_k = sliced_k});
    return result;
}

/// Tiles this narrow are only for a C as narrow.
constexpr int narrow = 4;
constexpr int usual_warp = 32;

bool suits(const SimtGemm& shape, const MatrixProduct& canonical) {
    const CtaTile& tile = shape.cta_tile;
    return tile.m <= canonical.rows && tile.n <= canonical.columns &&
           (tile.m >= narrow || canonical.rows < narrow) && (tile.n >= narrow || canonical.columns < narrow);
}

/// If a CTA tile has a single row or column, the other operand needs either many columns or rows that are contiguous
/// or loaded with k vectors, or few that are neither.
bool suits_vectors(const SimtGemm& schedule, const MatrixProduct& canonical) {
    const auto is_right = [](int extent, Integer stride, int vector_k) {
        return (extent >= usual_warp) == (stride == 1 || vector_k > 1);
    };
    return (schedule.cta_tile.n > 1 ||
            is_right(schedule.cta_tile.m, canonical.a.row_stride, schedule.a.vector_k)) &&
           (schedule.cta_tile.m > 1 ||
            is_right(schedule.cta_tile.n, canonical.b.column_stride, schedule.b.vector_k));
}

/// Elements of a copy: `widest_vector`, halved until it suits the operand and divides the copied extent.
template <class Suits> int widest(int widest_vector, int copied, Suits&& suits) {
    while (!suits(widest_vector) || copied % widest_vector != 0) widest_vector /= 2;
    return widest_vector;
}

/// Pipeline stages: one more than the k-tiles of a block's share of K, within bounds.
int stages_of(const SimtGemm& schedule, const MatrixProduct& canonical) {
    const Integer k_tiles = ceil_divide(canonical.k, Integer{schedule.cta_tile.k} * schedule.splits());
    return static_cast<int>(std::clamp<Integer>(k_tiles + 1, 2, max_simt_stages));
}

/// With fewer tiles than multiprocessors: as many splits as these have capacity for.
void add_split_k_in_workspace(std::vector<SimtGemm>& schedules, const MatrixProduct& canonical,
                              const target::Gpu& gpu) {
    SimtGemm schedule = schedules.front();
    const Integer tiles = ceil_divide(canonical.rows, Integer{schedule.cta_tile.m}) *
                          ceil_divide(canonical.columns, Integer{schedule.cta_tile.n}) * canonical.batch;
    if (tiles == 0 || !gpu.has_cooperative_groups) return;
    for (int splits = 4; splits * tiles <= gpu.multiprocessors; splits *= 2) {
        schedule.decomposition = SplitK{.splits = splits, .in_workspace = true, .interleaved = true};
        schedule.stages = stages_of(schedule, canonical);
        schedules.push_back(schedule);
    }
}

/// If an operand is contiguous along K, a schedule with k vectors is a further candidate.
std::vector<SimtGemm> with_k_vectors(const SimtGemm& schedule, const MatrixProduct& canonical) {
    const auto widest_vector_k = [&](const MatrixLayout& layout, Integer stride, Integer mn_stride,
                                     Integer mn_extent, int lanes, DataType data_type) {
        if (lanes > 1) return 1;
        return widest(max_vector(canonical, data_type), schedule.cta_tile.k / schedule.sliced_k,
                      [&](int widest_vector) {
                          return allows_vector_k(layout, stride, mn_stride, canonical.k, mn_extent,
                                                 widest_vector);
                      });
    };
    const auto& [a, b] = std::tie(canonical.a, canonical.b);
    SimtGemm with_vectors = schedule;
    std::vector<SimtGemm> result;
    with_vectors.b.vector_k = widest_vector_k(b, b.row_stride, b.column_stride, canonical.columns,
                                              schedule.b.vector_mn, canonical.type_of_b());
    if (with_vectors.b.vector_k > 1) result.push_back(with_vectors);
    const int a_vector_k = widest_vector_k(a, a.column_stride, a.row_stride, canonical.rows,
                                           schedule.a.vector_mn, canonical.type_of_a());
    if (a_vector_k > 1) {
        with_vectors.a.vector_k = a_vector_k;
        if (SimtThreadLayout::has_single_rows(with_vectors, canonical.data_type)) with_vectors.c_vector_m = 1;
        result.push_back(with_vectors);
    }
    result.push_back(schedule);
    return result;
}

/// Schedules of one shape: variants with split-K, or with several matrices per block.
std::vector<SimtGemm> schedules_of(const SimtGemm& shape, const CanonicalGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& canonical = gemm.product;
    SimtGemm schedule = shape;
    schedule.interleave_copies = // else a k index takes no longer than issuing a copy
        shape.thread_tile.m * shape.thread_tile.n > 1;
    if (shape.is_mma())
        schedule.copy_k = shape.mma_k(); // different banks for the k indices of a contiguous range
    const auto& [a, b, c] = std::tie(canonical.a, canonical.b, canonical.c);
    const auto lanes = [](const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                          int copied, int widest_vector) {
        return widest(widest_vector, copied,
                      [&](int index) { return allows_vector(layout, stride, other_stride, extent, index); });
    };
    schedule.a.vector_mn = lanes(a, a.row_stride, a.column_stride, canonical.rows, shape.cta_tile.m,
                                 max_vector(canonical, canonical.type_of_a()));
    schedule.b.vector_mn = lanes(b, b.column_stride, b.row_stride, canonical.columns, shape.cta_tile.n,
                                 max_vector(canonical, canonical.type_of_b()));
    schedule.c_vector_m = lanes(c, c.row_stride, c.column_stride, canonical.rows, shape.thread_tile.m,
                                max_vector_of_c(canonical));
    std::vector<SimtGemm> result;
    for (int splits = 1; splits <= std::max(1, gpu.portable_cluster); splits *= 2) {
        if (splits > 1) schedule.decomposition = SplitK{.splits = splits};
        schedule.stages = stages_of(schedule, canonical);
        result.push_back(schedule);
        const Integer k_tiles = ceil_divide(canonical.k, Integer{schedule.cta_tile.k} * schedule.splits());
        if (!shape.is_mma() || k_tiles < max_simt_stages || k_tiles >= max_stages_in_flight) continue;
        result.push_back(schedule);
        result.back().stages = static_cast<int>(k_tiles) + 1;
    }
    add_split_k_in_workspace(result, canonical, gpu);
    for (const SimtGemm& stream : stream_k_candidates(result.front(), gemm, gpu)) result.push_back(stream);
    schedule = result.front();
    for (int matrices = 2; matrices <= canonical.batch; matrices *= 2) {
        schedule.decomposition = DataParallel{.matrices = matrices};
        if (schedule.threads() > usual_threads) break;
        result.push_back(schedule);
    }
    return result;
}

/// The same with TMA loads.
SimtGemm with_tma(SimtGemm schedule, const MatrixProduct& canonical, OperandLoad k_major) {
    const auto set = [&](SimtOperand& operand, Integer stride, DataType data_type) {
        operand.load = stride == 1 ? OperandLoad::tma : k_major;
        operand.vector_mn = 1;
        if (operand.load == OperandLoad::tma_k_major)
            operand.vector_k = SimtThreadLayout::widest_access / static_cast<int>(bytes_of(data_type));
    };
    set(schedule.a, canonical.a.row_stride, canonical.type_of_a());
    set(schedule.b, canonical.b.column_stride, canonical.type_of_b());
    if (SimtThreadLayout::has_single_rows(schedule, canonical.data_type)) schedule.c_vector_m = 1;
    return schedule;
}

std::vector<SimtGemm> global_load_candidates(const CanonicalGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& canonical = gemm.product;
    std::vector<SimtGemm> result;
    if (canonical.batch == 1 || canonical.k == 0 ||
        std::max({canonical.rows, canonical.columns, canonical.k}) > max_global_load_extent)
        return result;
    for (SimtGemm shape : global_load_shapes) {
        shape.cta_tile.k = static_cast<int>(canonical.k);
        const bool is_largest =
            2 * shape.cta_tile.m > canonical.rows && 2 * shape.cta_tile.n > canonical.columns;
        if (!suits(shape, canonical) || !is_largest) continue;
        for (const SimtGemm& one : schedules_of(shape, gemm, gpu))
            for (SimtGemm schedule : with_k_vectors(one, canonical)) {
                schedule.a.load = schedule.b.load = OperandLoad::global;
                if (!infeasibility(schedule, gemm, gpu)) result.push_back(schedule);
            }
    }
    return result;
}

std::vector<SimtGemm> tma_candidates(const CanonicalGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& canonical = gemm.product;
    std::vector<SimtGemm> result;
    const auto add = [&](const SimtGemm& shape, OperandLoad k_major) {
        if (!suits(shape, canonical)) return;
        for (const SimtGemm& schedule : schedules_of(shape, gemm, gpu)) {
            const SimtGemm tma = with_tma(schedule, canonical, k_major);
            // If no operand or both are transposed, cp.async is as fast.
            const bool pays =
                k_major != OperandLoad::tma_transpose || tma.is_transposed(0) != tma.is_transposed(1);
            if (pays && !infeasibility(tma, gemm, gpu)) result.push_back(tma);
        }
    };
    for (const TmaShape& one : tma_shapes) {
        add(one.shape, one.k_major);
        if (one.is_mirrored_too) add(mirrored(one.shape), one.k_major);
    }
    return result;
}

} // namespace

std::vector<SimtGemm> simt_candidates(const CanonicalGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& canonical = gemm.product;
    std::vector<SimtGemm> result;
    const auto add = [&](const SimtGemm& shape, bool may_be_any) {
        for (const SimtGemm& one : schedules_of(shape, gemm, gpu))
            for (const SimtGemm& schedule : with_k_vectors(one, canonical))
                if ((may_be_any || suits_vectors(schedule, canonical)) && !infeasibility(schedule, gemm, gpu))
                    result.push_back(schedule);
    };
    for (const SimtGemm& shape : shapes_of(canonical, gpu))
        if (suits(shape, canonical)) add(shape, false);
    for (const SimtGemm& schedule : global_load_candidates(gemm, gpu)) result.push_back(schedule);
    const auto is_no_half = [](const SimtGemm& one) { return one.splits() != 2 || one.b.vector_k == 1; };
    const std::size_t before = result.size();
    if (suits(halved_shape, canonical)) add(halved_shape, false);
    result.erase(
        std::remove_if(result.begin() + static_cast<std::ptrdiff_t>(before), result.end(), is_no_half),
        result.end());
    if (gpu.has_tma)
        for (const SimtGemm& schedule : tma_candidates(gemm, gpu)) result.push_back(schedule);
    if (result.empty())
        for (const SimtGemm& shape : tiny_shapes())
            if (shape.cta_tile.m <= canonical.rows && shape.cta_tile.n <= canonical.columns) add(shape, true);
    return result;
}

} // namespace swirl::gemm
