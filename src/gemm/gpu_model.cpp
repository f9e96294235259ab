// What a schedule costs, from the table of the GPU: a multiprocessor's time for its blocks, all pieces of them, and what goes over
// from memory. Constants without a source are of one H100, found with `bench_gpu_products --candidates`.
#include "gemm/gpu_model.hpp"

#include "base/error.hpp"
#include "gemm/gpu_layout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace swirl::gemm {

namespace {

constexpr double hertz = 1.75e9;
constexpr double memory_rate = 2.9e12; ///< bytes a second
constexpr double cache_rate = 4.5e12;  ///< of the second cache
constexpr double launch_cycles =
    4000;                             ///< until the first pieces are there, and for the last results to leave
constexpr double meeting_cycles = 30; ///< of a block's threads, which others may fill
constexpr double step_latency = 36;   ///< from loading the next step's numbers to their first use
constexpr double cluster_cycles = 2500; ///< for an exchange between blocks, and starting them together
constexpr double slice_cycles = 150;
constexpr double lines_in_vector_load = 2; ///< issue slots that a load from shared memory takes
constexpr int registers_beside_sums = 40;

int registers_of(const GpuSchedule& schedule, Number number) {
    const int words = static_cast<int>(bytes_of(number)) / 4;
    const int factors = 2 * (schedule.thread_rows + schedule.thread_columns);
    return words * (schedule.thread_rows * schedule.thread_columns + factors) + registers_beside_sums;
}

/// Cycles of a scheduler for one step of a warp: multiply-adds, and loads of vectors of factors.
double cycles_of_step(const GpuSchedule& schedule, Number number) {
    const double products = schedule.thread_rows * schedule.thread_columns;
    const double loads =
        static_cast<double>(schedule.thread_rows) / GpuThreads::vector_of(number, schedule.thread_rows) +
        static_cast<double>(schedule.thread_columns) / GpuThreads::vector_of(number, schedule.thread_columns);
    return products * (number == Number::float64 ? 2 : 1) + loads * lines_in_vector_load;
}

/// Cycles of shared memory for one step of a block: each warp reads its rows and columns once.
double shared_cycles_of_step(const GpuSchedule& schedule, Number number, const target::Gpu& gpu) {
    const double numbers =
        schedule.thread_rows * schedule.lane_rows + schedule.thread_columns * schedule.lane_columns;
    const double row_bytes = gpu.shared_banks * gpu.shared_bank_bytes;
    const double warps = schedule.slice_threads() / 32.0;
    return warps * std::max(2.0, numbers * static_cast<double>(bytes_of(number)) / row_bytes);
}

/// Instructions of a scheduler for copying one piece, by warps.
double copies_of_piece(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    double copies = 0;
    for (const GpuPiece& piece : pieces_of(schedule, oriented))
        copies += static_cast<double>(piece.extent * piece.depth) / piece.lanes;
    return copies / 32;
}

double seconds_of_traffic(const MatrixProduct& oriented, const GpuSchedule& schedule, double row_blocks,
                          double column_blocks) {
    const double bytes = static_cast<double>(bytes_of(oriented.number)),
                 batch = static_cast<double>(oriented.batch);
    const double m = static_cast<double>(oriented.rows), n = static_cast<double>(oriented.columns),
                 k = static_cast<double>(oriented.depth);
    const double once = (m * k + k * n + m * n) * bytes * batch;
    const double tiles =
        row_blocks * column_blocks * (schedule.block_rows + schedule.block_columns) * k * bytes * batch;
    return std::max(once / memory_rate, tiles / cache_rate);
}

/// Extents of tiles and of threads' parts of them.
struct Shape {
    int rows, columns, thread_rows, thread_columns, lane_rows, lane_columns;
};

std::vector<Shape> shapes() {
    std::vector<Shape> result;
    constexpr std::pair<int, int> parts[] = {{8, 16}, {16, 8}, {8, 8}, {8, 4}, {4, 8}, {4, 4}, {2, 4},
                                             {4, 2},  {2, 2},  {1, 4}, {4, 1}, {1, 2}, {2, 1}, {1, 1}};
    for (const auto& [thread_rows, thread_columns] : parts)
        for (int lane_rows = 1; lane_rows <= 32; lane_rows *= 2)
            for (int warp_rows = 1; warp_rows <= 8; warp_rows *= 2)
                for (int warp_columns = 1; warp_rows * warp_columns <= 8; warp_columns *= 2) {
                    const int rows = thread_rows * lane_rows * warp_rows;
                    const int columns = thread_columns * (32 / lane_rows) * warp_columns;
                    if (rows <= 256 && columns <= 256)
                        result.push_back(
                            {rows, columns, thread_rows, thread_columns, lane_rows, 32 / lane_rows});
                }
    // Of less than a warp, for a C that is no larger.
    for (int lane_rows = 1; lane_rows <= 16; lane_rows *= 2)
        for (int lane_columns = 1; lane_rows * lane_columns <= 16; lane_columns *= 2)
            result.push_back({lane_rows, lane_columns, 1, 1, lane_rows, lane_columns});
    return result;
}

int widest(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent, int tile,
           Number number) {
    int lanes = GpuThreads::widest_access / static_cast<int>(bytes_of(number));
    while (lanes > 1 && !(stride == 1 && other_stride % lanes == 0 && layout.batch_stride % lanes == 0 &&
                          extent % lanes == 0 && tile % lanes == 0))
        lanes /= 2;
    return lanes;
}

void expect_known(const MatrixProduct& product) {
    if (product.widens() || (product.number != Number::float32 && product.number != Number::float64))
        throw UserError("a product of {} and {} to {} on a GPU; float32 and float64 are possible",
                        word_of(product.number_of_a()), word_of(product.number_of_b()),
                        word_of(product.number));
    if (product.epilogue.tree() != nullptr)
        throw UserError("a product with an epilogue on a GPU; without one it is possible");
}

} // namespace

double gpu_seconds(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    const double row_blocks = static_cast<double>(ceil_divide(oriented.rows, Integer{schedule.block_rows}));
    const double column_blocks =
        static_cast<double>(ceil_divide(oriented.columns, Integer{schedule.block_columns}));
    const double blocks = row_blocks * column_blocks * static_cast<double>(oriented.batch) * schedule.splits;
    const double multiprocessors = gpu.multiprocessors > 0 ? gpu.multiprocessors : 100;
    const int registers = std::min(gpu.registers_per_thread, registers_of(schedule, oriented.number));
    const int fits =
        target::occupancy(gpu, schedule.threads(), registers, shared_bytes(schedule, product)).blocks;
    if (fits == 0) return INFINITY;
    const double each = std::ceil(blocks / multiprocessors); // blocks of the busiest multiprocessor
    const double resident = std::min<double>(fits, each);
    const double pieces =
        std::ceil(static_cast<double>(oriented.depth) / schedule.block_depth / schedule.splits);
    const double steps = static_cast<double>(schedule.block_depth) / schedule.slices;
    const double warps = schedule.threads() / 32.0;
    const double issue = warps / gpu.partitions * (cycles_of_step(schedule, oriented.number) * steps) +
                         copies_of_piece(schedule, oriented) / gpu.partitions;
    const double shared = shared_cycles_of_step(schedule, oriented.number, gpu) * schedule.block_depth;
    const double alone =
        std::max(cycles_of_step(schedule, oriented.number), step_latency) * steps + meeting_cycles;
    const double piece = std::max({issue * resident, shared * resident, alone + issue * (resident - 1) / 2});
    double cycles = std::ceil(each / resident) * pieces * piece;
    cycles +=
        launch_cycles + (schedule.splits > 1 ? cluster_cycles : 0) + (schedule.slices > 1 ? slice_cycles : 0);
    return std::max(cycles / hertz, seconds_of_traffic(oriented, schedule, row_blocks, column_blocks) +
                                        launch_cycles / hertz);
}

std::vector<GpuSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu,
                                       std::size_t most) {
    expect_known(product);
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    std::vector<std::pair<double, GpuSchedule>> rated;
    const auto rate = [&](const GpuSchedule& schedule) {
        try {
            validate(schedule, product, gpu);
        } catch (const UserError&) {
            return;
        }
        rated.emplace_back(gpu_seconds(product, schedule, gpu), schedule);
    };
    for (const Shape& shape : shapes()) {
        if (shape.rows > oriented.rows || shape.columns > oriented.columns) continue;
        GpuSchedule schedule;
        schedule.block_rows = shape.rows;
        schedule.block_columns = shape.columns;
        schedule.thread_rows = shape.thread_rows;
        schedule.thread_columns = shape.thread_columns;
        schedule.lane_rows = shape.lane_rows;
        schedule.lane_columns = shape.lane_columns;
        schedule.a_lanes = widest(oriented.a, oriented.a.row_stride, oriented.a.column_stride, oriented.rows,
                                  shape.rows, oriented.number);
        schedule.b_lanes = widest(oriented.b, oriented.b.column_stride, oriented.b.row_stride,
                                  oriented.columns, shape.columns, oriented.number);
        schedule.c_lanes = widest(oriented.c, oriented.c.row_stride, oriented.c.column_stride, oriented.rows,
                                  shape.thread_rows, oriented.number);
        for (schedule.slices = 1;
             schedule.threads() <= 1024 && schedule.slices <= (schedule.slice_threads() < 32 ? 32 : 8);
             schedule.slices *= 2)
            for (schedule.block_depth = 8; schedule.block_depth <= 64; schedule.block_depth *= 2)
                for (schedule.splits = 1; schedule.splits <= std::max(1, gpu.portable_cluster);
                     schedule.splits *= 2)
                    rate(schedule);
    }
    std::stable_sort(rated.begin(), rated.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<GpuSchedule> result;
    for (std::size_t k = 0; k < std::min(most, rated.size()); ++k) result.push_back(rated[k].second);
    return result;
}

} // namespace swirl::gemm
