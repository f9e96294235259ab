// What a schedule costs, from the table of the GPU: a multiprocessor's time for the blocks it has, piece by piece, and what goes over
// from memory. The constants are of an H100, fitted to some 3700 products timed there (`bench_gpu_products --candidates`).
#include "gemm/gpu_model.hpp"

#include "base/error.hpp"
#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_tile_model.hpp"
#include "gemm/tile.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace swirl::gemm {

namespace {

/// Cycles, unless it says otherwise.
struct Constants {
    double hertz = 1.9e9;
    double memory_rate = 2.6e12; ///< bytes a second
    double cache_rate = 2.1e13;  ///< of the second cache
    double launch = 220;         ///< before the first block starts and after the last ends
    double block = 1100;         ///< until a block's first piece is there, and for its end
    double meeting = 270;        ///< of a block's threads, at each piece
    double step_latency = 24;    ///< from loading a step's numbers to their first use: a step takes no less
    double uneven = 1.03;        ///< times the slots of parts whose extents are no powers of two
    double load_issue = 0.25;    ///< slots that a load from shared memory takes of its scheduler's
    double copy_issue = 1.1;     ///< likewise, that a copy takes
    double warp_latency = 36;    ///< beside their slots, of the steps of one instruction where warps multiply
    double fragment_pass =
        1; ///< of shared memory, for 128 bytes of a fragment, which no threads have in common
    double load_pass = 0.43;     ///< of shared memory, for 128 bytes
    double copy_pass = 8.5;      ///< of it, and of the first cache, for a copy by a warp
    double piece_issue = 5.3;    ///< slots of what else a piece needs
    double piece_arrival = 1200; ///< from asking for a piece until it is there
    double store_bytes = 6.4;    ///< of C that leave a multiprocessor in a cycle
    double exchange_bytes = 7.4; ///< of sums that are added up, in a cycle
    double cluster = 12000;      ///< for starting blocks together and their meetings
    double group = 9300;         ///< for a meeting of blocks through memory
    double handed_on = 31;       ///< for adding one more split's sums there
    double block_rate = 1.2e9;   ///< that begin in a second
    double hidden = 0.0091;      ///< of the shorter of multiplying and moving, that shows
    double conflict = 3;         ///< exponent: how far multiply-adds and accesses overlap
};
constexpr Constants constants;

constexpr int registers_beside_sums = 36;
constexpr int most_stages = 4;
constexpr int usual_threads = 256;
constexpr double usual_multiprocessors = 100;

/// Blocks that a multiprocessor holds at once; 0 where a thread lacks registers.
int resident_blocks(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu) {
    const int threads = schedule.threads();
    const int registers = gpu_registers(schedule, product.number);
    const int most = std::min(gpu.registers_per_thread, gpu.registers_per_block / threads);
    if (registers > most + registers_beside_sums / 2) return 0;
    return target::occupancy(gpu, threads, std::min(registers, most), shared_bytes(schedule, product)).blocks;
}

/// What a warp does for one step.
struct StepCycles {
    double issue = 0;
    double shared = 0;
    double latency = 0;
};

StepCycles cycles_of_step(const GpuSchedule& schedule, Number number) {
    const double rows = schedule.thread_rows, columns = schedule.thread_columns;
    const double words = static_cast<double>(bytes_of(number)) / 4;
    if (schedule.warp_depth > 0) { // a thread has every fourth step of its factors
        const bool is_short = number != Number::float64;
        const double row_loads = rows / GpuThreads::vector_of(number, schedule.thread_rows);
        const double loads = (row_loads + columns / 2) / 4;
        const double issue = rows * columns * words / warp_speedup(number) + loads * constants.load_issue;
        const double passes = is_short ? (rows + columns) / 8 : (rows + columns / 2) / 4 * words;
        return {.issue = issue,
                .shared = passes * constants.fragment_pass,
                .latency = issue + constants.warp_latency / schedule.warp_depth};
    }
    const auto loads = [&](int extent) {
        return static_cast<double>(extent) / GpuThreads::vector_of(number, extent);
    };
    const double vector_loads = loads(schedule.thread_rows) + loads(schedule.thread_columns);
    return {.issue = rows * columns * words * scalars_in(number) + vector_loads * constants.load_issue,
            .shared = (rows + columns) * words * constants.load_pass,
            .latency = constants.step_latency};
}

/// What a multiprocessor does for one piece of one block.
struct PieceCycles {
    double issue = 0;  ///< of each scheduler
    double shared = 0; ///< of shared memory
    double alone = 0;  ///< with nobody else there
};

PieceCycles cycles_of_piece(const GpuSchedule& schedule, const MatrixProduct& oriented,
                            const target::Gpu& gpu) {
    const double warps = std::ceil(schedule.threads() / static_cast<double>(gpu.warp_size));
    const double schedulers = gpu.partitions;
    const double steps = static_cast<double>(schedule.block_depth) / schedule.slices;
    const StepCycles step = cycles_of_step(schedule, oriented.number);
    double copies = 0;
    for (const GpuPiece& piece : pieces_of(schedule, oriented))
        copies +=
            static_cast<double>(schedule.matrices * piece.extent * piece.depth) / piece.lanes / gpu.warp_size;
    PieceCycles result;
    result.issue = std::max(1.0, warps / schedulers) * (steps * step.issue + constants.piece_issue) +
                   copies / schedulers * constants.copy_issue;
    if (!std::has_single_bit(static_cast<unsigned>(schedule.thread_rows * schedule.thread_columns)))
        result.issue *= constants.uneven;
    result.shared = warps * steps * step.shared + copies * constants.copy_pass;
    result.alone =
        steps * std::max(step.issue * std::max(1.0, warps / schedulers), step.latency) + constants.meeting;
    return result;
}

double overlapped(double a, double b) {
    return std::pow(std::pow(a, constants.conflict) + std::pow(b, constants.conflict),
                    1 / constants.conflict);
}

/// Cycles of a block's beginning and end.
double cycles_around(const GpuSchedule& schedule, Number number) {
    const double bytes = static_cast<double>(schedule.matrices) * schedule.block_rows *
                         schedule.block_columns * static_cast<double>(bytes_of(number));
    double cycles = constants.block + bytes / constants.store_bytes / schedule.splits;
    cycles += (schedule.slices - 1) * bytes / constants.exchange_bytes;
    if (schedule.splits > 1 && schedule.through_memory == 0)
        cycles += constants.cluster + 2 * bytes / constants.exchange_bytes;
    if (schedule.through_memory != 0)
        cycles += constants.group + schedule.splits * constants.handed_on + bytes / constants.exchange_bytes;
    return cycles;
}

double seconds_of_traffic(const MatrixProduct& oriented, const GpuSchedule& schedule, double row_blocks,
                          double column_blocks) {
    const auto bytes = [](Number number) { return static_cast<double>(bytes_of(number)); };
    const double of_a = bytes(oriented.number_of_a()), of_b = bytes(oriented.number_of_b()),
                 of_c = bytes(oriented.number_of_c()), batch = static_cast<double>(oriented.batch);
    const double m = static_cast<double>(oriented.rows), n = static_cast<double>(oriented.columns),
                 k = static_cast<double>(oriented.depth);
    const double once = (m * k * of_a + k * n * of_b + m * n * of_c) * batch;
    const double tiles =
        row_blocks * column_blocks * (schedule.block_rows * of_a + schedule.block_columns * of_b) * k * batch;
    return std::max(once / constants.memory_rate, tiles / constants.cache_rate);
}

/// Tiles, threads' parts of them, and how steps are shared.
struct Shape {
    int rows, columns, depth, thread_rows, thread_columns, lane_rows, lane_columns, slices;
    int resident = 0;
    GpuOrder order = GpuOrder::serpentine_rows;
    int warp_depth = 0;

    Shape mirrored() const {
        return {columns,      rows,      depth,  thread_columns, thread_rows,
                lane_columns, lane_rows, slices, resident,       GpuOrder::serpentine_columns};
    }
};

/// Of some thousand that were timed on an H100, one of which is within 3% of the fastest for each kind of product there: for large
/// ones, for what takes a few waves of blocks, for thin ones, and for small ones in batches.
constexpr Shape timed_shapes[] = {
    {256, 128, 16, 16, 8, 8, 4, 1},   {256, 128, 8, 16, 8, 8, 4, 1},    {128, 256, 16, 16, 8, 8, 4, 1},
    {128, 128, 16, 16, 8, 8, 4, 1},   {128, 128, 8, 8, 8, 8, 4, 1},     {192, 96, 16, 12, 12, 8, 4, 2},
    {128, 96, 16, 8, 12, 8, 4, 1, 3}, {96, 128, 16, 12, 8, 8, 4, 1, 3}, {128, 64, 40, 8, 8, 8, 4, 2},
    {128, 64, 32, 8, 8, 8, 4, 2},     {128, 64, 16, 8, 8, 8, 4, 1},     {64, 64, 16, 8, 8, 8, 4, 2},
    {64, 64, 8, 8, 8, 8, 4, 2},       {64, 64, 32, 8, 4, 8, 4, 2},      {128, 32, 32, 8, 8, 8, 4, 2},
    {128, 32, 16, 8, 8, 16, 2, 1},    {64, 32, 32, 8, 8, 8, 4, 4},      {256, 16, 16, 16, 8, 16, 2, 2},
    {128, 16, 64, 8, 8, 16, 2, 4},    {64, 16, 64, 4, 8, 16, 2, 4},     {32, 32, 32, 4, 8, 8, 4, 4},
    {32, 32, 8, 4, 8, 8, 4, 2},       {32, 16, 32, 4, 4, 8, 4, 4},      {16, 64, 64, 2, 4, 2, 16, 1},
    {16, 16, 8, 2, 4, 8, 4, 1},       {64, 8, 64, 4, 4, 16, 2, 8},      {16, 8, 32, 1, 2, 8, 4, 2},
    {32, 4, 32, 1, 2, 16, 2, 2},      {64, 64, 16, 8, 8, 8, 4, 1},      {16, 16, 8, 4, 4, 4, 4, 1},
    {8, 8, 8, 4, 1, 2, 8, 1},         {8, 8, 4, 4, 2, 2, 4, 1},         {4, 4, 4, 2, 1, 2, 4, 1},
    {64, 1, 64, 2, 1, 32, 1, 8},      {1, 8, 64, 1, 1, 1, 8, 16},
};

/// Where warps multiply: tiles, the depth of pieces, threads' parts, slices, resident blocks.
constexpr std::array<int, 7> warp_tiles[] = {
    {128, 64, 16, 8, 8, 1, 0},  {128, 64, 16, 4, 8, 1, 2},  {64, 128, 16, 8, 8, 1, 0},
    {128, 128, 16, 8, 8, 1, 0}, {128, 128, 16, 8, 4, 1, 0}, {64, 64, 16, 8, 8, 1, 0},
    {64, 64, 16, 4, 4, 1, 0},   {64, 64, 32, 8, 4, 2, 0},   {64, 32, 16, 4, 4, 1, 0},
    {32, 64, 16, 4, 4, 1, 0},   {32, 32, 32, 4, 4, 2, 0},   {32, 32, 32, 4, 4, 4, 0},
    {32, 16, 32, 2, 4, 2, 0},   {16, 32, 32, 2, 4, 2, 0},   {16, 16, 32, 2, 2, 2, 0},
};

/// The same of short numbers, not timed yet.
constexpr std::array<int, 7> short_warp_tiles[] = {
    {128, 128, 32, 8, 8, 1, 0}, {128, 256, 32, 8, 16, 1, 0}, {128, 64, 32, 8, 8, 1, 0},
    {64, 128, 32, 8, 8, 1, 0},  {64, 64, 32, 4, 8, 1, 0},    {64, 64, 64, 8, 8, 2, 0},
    {64, 32, 32, 4, 4, 1, 0},   {32, 32, 64, 4, 4, 2, 0},    {16, 16, 64, 2, 4, 2, 0},
};

std::vector<Shape> shapes_of_warps(std::span<const std::array<int, 7>> tiles, int warp_depth) {
    constexpr int lane_rows = 8, lane_columns = 4;
    std::vector<Shape> result;
    for (const auto& [rows, columns, depth, thread_rows, thread_columns, slices, resident] : tiles) {
        result.push_back(
            {rows, columns, depth, thread_rows, thread_columns, lane_rows, lane_columns, slices, resident});
        result.back().warp_depth = warp_depth;
    }
    return result;
}

/// Where a GPU multiplies tiles of short numbers, that is faster than by warps.
std::vector<Shape> shapes_of(const MatrixProduct& oriented, const target::Gpu& gpu, bool has_tiles) {
    constexpr int of_float64 = 4, of_short = 16;
    std::vector<Shape> result;
    if (oriented.number == Number::float64 && gpu.tensor.float64)
        result = shapes_of_warps(warp_tiles, of_float64);
    if (oriented.number == Number::float32 && oriented.number_of_a() != Number::float32 && !has_tiles)
        result = shapes_of_warps(short_warp_tiles, of_short);
    for (const Shape& shape : timed_shapes) {
        result.push_back(shape);
        if (shape.rows != shape.columns || shape.thread_rows != shape.thread_columns)
            result.push_back(shape.mirrored());
    }
    return result;
}

/// For a C that is smaller than those.
std::vector<Shape> tiny_shapes() {
    std::vector<Shape> result;
    for (int lane_rows = 1; lane_rows <= 16; lane_rows *= 2)
        for (int lane_columns = 1; lane_rows * lane_columns <= 16; lane_columns *= 2)
            for (int slices = 1; slices <= 32; slices *= 4)
                result.push_back({lane_rows, lane_columns, std::max(8, 2 * slices), 1, 1, lane_rows,
                                  lane_columns, slices});
    return result;
}

/// Tiles as narrow as this are for a C that is, too.
constexpr int narrow = 4;
constexpr int usual_warp = 32;

bool suits(const Shape& shape, const MatrixProduct& oriented) {
    // Of a vector's partner many rows that are next to each other, or few of which the steps are.
    const auto is_long = [](int extent, Integer stride) { return (extent >= usual_warp) == (stride == 1); };
    return shape.rows <= oriented.rows && shape.columns <= oriented.columns &&
           (shape.rows >= narrow || oriented.rows < narrow) &&
           (shape.columns >= narrow || oriented.columns < narrow) &&
           (shape.columns > 1 || is_long(shape.rows, oriented.a.row_stride)) &&
           (shape.rows > 1 || is_long(shape.columns, oriented.b.column_stride));
}

int widest(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent, int tile,
           int most) {
    int lanes = most;
    while (!suits_lanes(layout, stride, other_stride, extent, lanes) || tile % lanes != 0) lanes /= 2;
    return lanes;
}

/// Pieces that shared memory has room for: those of a block's share of the depth and one more, within bounds.
int stages_of(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const Integer pieces = ceil_divide(oriented.depth, Integer{schedule.block_depth} * schedule.splits);
    return static_cast<int>(std::clamp<Integer>(pieces + 1, 2, most_stages));
}

/// Where there are less tiles than multiprocessors, as many more splits as these have room for.
void add_through_memory(std::vector<GpuSchedule>& schedules, const MatrixProduct& oriented,
                        const target::Gpu& gpu) {
    GpuSchedule schedule = schedules.front();
    schedule.through_memory = 1;
    const Integer tiles = ceil_divide(oriented.rows, Integer{schedule.block_rows}) *
                          ceil_divide(oriented.columns, Integer{schedule.block_columns}) * oriented.batch;
    if (tiles == 0 || !gpu.has_groups) return;
    for (schedule.splits = 4; schedule.splits * tiles <= gpu.multiprocessors; schedule.splits *= 2) {
        schedule.stages = stages_of(schedule, oriented);
        schedules.push_back(schedule);
    }
}

/// Schedules of one shape: with more blocks that share the depth, or more matrices in a block.
std::vector<GpuSchedule> schedules_of(const Shape& shape, const MatrixProduct& oriented,
                                      const target::Gpu& gpu) {
    GpuSchedule schedule;
    schedule.block_rows = shape.rows;
    schedule.block_columns = shape.columns;
    schedule.block_depth = shape.depth;
    schedule.thread_rows = shape.thread_rows;
    schedule.thread_columns = shape.thread_columns;
    schedule.lane_rows = shape.lane_rows;
    schedule.lane_columns = shape.lane_columns;
    schedule.slices = shape.slices;
    schedule.resident = shape.resident;
    schedule.order = shape.order;
    schedule.warp_depth = shape.warp_depth;
    if (shape.warp_depth > 0) schedule.depth_run = shape.warp_depth; // other banks for each step of a run
    const auto& [a, b, c] = std::tie(oriented.a, oriented.b, oriented.c);
    schedule.a_lanes = widest(a, a.row_stride, a.column_stride, oriented.rows, shape.rows,
                              widest_lanes(oriented, oriented.number_of_a()));
    schedule.b_lanes = widest(b, b.column_stride, b.row_stride, oriented.columns, shape.columns,
                              widest_lanes(oriented, oriented.number_of_b()));
    schedule.c_lanes = widest(c, c.row_stride, c.column_stride, oriented.rows, shape.thread_rows,
                              widest_lanes_of_c(oriented));
    std::vector<GpuSchedule> result;
    for (schedule.splits = 1; schedule.splits <= std::max(1, gpu.portable_cluster); schedule.splits *= 2) {
        schedule.stages = stages_of(schedule, oriented);
        result.push_back(schedule);
    }
    add_through_memory(result, oriented, gpu);
    schedule = result.front();
    for (schedule.matrices = 2; schedule.matrices <= oriented.batch && schedule.threads() <= usual_threads;
         schedule.matrices *= 2)
        result.push_back(schedule);
    return result;
}

} // namespace

GpuRates gpu_rates(const target::Gpu& gpu) {
    return {gpu.multiprocessors > 0 ? gpu.multiprocessors : usual_multiprocessors, constants.hertz,
            constants.memory_rate, constants.cache_rate};
}

int gpu_registers(const GpuSchedule& schedule, Number number) {
    const int words = static_cast<int>(bytes_of(number)) / 4;
    int factors = schedule.thread_rows + schedule.thread_columns;
    if (schedule.warp_depth > 0)
        factors = (schedule.thread_rows + schedule.thread_columns / 2) * schedule.warp_depth / 4 /
                  (number == Number::float64 ? 1 : 2); // two to a register
    return words * (schedule.thread_rows * schedule.thread_columns + factors) + factors +
           registers_beside_sums;
}

double warp_speedup(Number number) { return number == Number::float64 ? 2 : 8; }

double gpu_seconds(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    if (schedule.has_tiles()) return gpu_tile_seconds(schedule, oriented, gpu);
    const int fits = resident_blocks(schedule, product, gpu);
    if (fits == 0) return INFINITY;
    const double row_blocks = static_cast<double>(ceil_divide(oriented.rows, Integer{schedule.block_rows}));
    const double column_blocks =
        static_cast<double>(ceil_divide(oriented.columns, Integer{schedule.block_columns}));
    const double blocks = row_blocks * column_blocks * schedule.splits *
                          static_cast<double>(ceil_divide(oriented.batch, Integer{schedule.matrices}));
    const double each =
        std::ceil(blocks / gpu_rates(gpu).multiprocessors); // blocks of the busiest multiprocessor
    const double resident = std::min<double>(fits, each), turns = std::ceil(each / resident);
    const double pieces =
        std::ceil(static_cast<double>(oriented.depth) / schedule.block_depth / schedule.splits);
    const PieceCycles piece = cycles_of_piece(schedule, oriented, gpu);
    const double together = overlapped(piece.issue, piece.shared);
    const double arrival = constants.piece_arrival / (schedule.stages - 1);
    const double all = std::max(each * together, turns * std::max(piece.alone, arrival)) * pieces;
    const double around = cycles_around(schedule, oriented.number) * (1 + (turns - 1) / resident);
    const double seconds =
        std::max((constants.launch + around + all) / constants.hertz, blocks / constants.block_rate);
    const double traffic = seconds_of_traffic(oriented, schedule, row_blocks, column_blocks) +
                           (constants.launch + constants.block) / constants.hertz;
    return std::max(seconds, traffic) + constants.hidden * std::min(seconds, traffic);
}

std::vector<GpuSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu, std::size_t most,
                                       Accuracy accuracy) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    std::vector<std::pair<double, GpuSchedule>> rated;
    for (const GpuSchedule& schedule : gpu_tile_schedules(oriented, gpu, accuracy))
        rated.emplace_back(gpu_seconds(product, schedule, gpu), schedule);
    const bool by_tiles_alone = !rated.empty() && product.number_of_a() == Number::float8_e4m3;
    if (!by_tiles_alone) require_numbers_for_gpu(product, gpu);
    const auto rate = [&](const Shape& shape) {
        for (const GpuSchedule& schedule : schedules_of(shape, oriented, gpu))
            if (!objection(schedule, product, gpu))
                rated.emplace_back(gpu_seconds(product, schedule, gpu), schedule);
    };
    for (const Shape& shape : shapes_of(oriented, gpu, !rated.empty()))
        if (!by_tiles_alone && suits(shape, oriented)) rate(shape);
    if (rated.empty())
        for (const Shape& shape : tiny_shapes())
            if (shape.rows <= oriented.rows && shape.columns <= oriented.columns) rate(shape);
    std::stable_sort(rated.begin(), rated.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<GpuSchedule> result;
    for (std::size_t k = 0; k < std::min(most, rated.size()); ++k) result.push_back(rated[k].second);
    return result;
}

GpuSchedule gpu_thread_schedule(const MatrixProduct& product, const target::Gpu& gpu) {
    require_numbers_for_gpu(product, gpu);
    const std::vector<GpuSchedule> all = gpu_schedules(product, gpu, std::numeric_limits<std::size_t>::max());
    const auto found =
        std::find_if(all.begin(), all.end(), [](const GpuSchedule& one) { return !one.has_tiles(); });
    ensure(found != all.end(), "the model knows no schedule of threads");
    return *found;
}

} // namespace swirl::gemm
