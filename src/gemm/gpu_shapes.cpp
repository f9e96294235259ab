// Which schedules the model chooses among: of some thousand that were timed on an H100 (`bench_gpu_products --candidates`) those one of
// which is within 3% of the fastest for each kind of product there.
#include "gemm/gpu_shapes.hpp"

#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_stream.hpp"
#include "gemm/tile.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace swirl::gemm {

namespace {

constexpr int most_stages = 4;
constexpr int usual_threads = 256;

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

/// For large products, for what takes a few waves of blocks, for thin ones, and for small ones in batches.
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

/// Of which a multiprocessor has two blocks, each with a half of the depth, where lines of B stay as they are.
constexpr Shape halved_shape{32, 32, 64, 8, 8, 4, 4, 8, 0, GpuOrder::serpentine_columns};

/// Where the copy engine brings pieces: of a side so narrow that memory is waited for, lines stay as they are; of large products they
/// are turned.
struct BulkShape {
    Shape shape;
    int along_depth; ///< a_bulk, b_bulk of operands that lie along the depth
    bool is_mirrored_too = false;
};
constexpr BulkShape bulk_shapes[] = {
    {{32, 16, 128, 4, 4, 8, 4, 4}, 2, true},
    {{96, 128, 16, 12, 8, 8, 4, 1, 3}, 3},
    {{64, 64, 64, 8, 8, 8, 4, 4}, 3},
};

/// Small products whose numbers threads take straight from memory; pieces are as deep as the product.
constexpr Shape direct_shapes[] = {
    {4, 4, 0, 4, 1, 1, 4, 1}, {4, 4, 0, 4, 2, 1, 2, 1}, {8, 8, 0, 4, 1, 2, 8, 1}, {16, 16, 0, 4, 4, 4, 4, 1}};
constexpr Integer largest_direct = 16; ///< of rows, columns and depth

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
    return shape.rows <= oriented.rows && shape.columns <= oriented.columns &&
           (shape.rows >= narrow || oriented.rows < narrow) &&
           (shape.columns >= narrow || oriented.columns < narrow);
}

/// Of a vector's partner many lines that are next to each other, or are kept so, or few of which the steps are.
bool suits_vectors(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const auto is_right = [](int extent, Integer stride, int steps) {
        return (extent >= usual_warp) == (stride == 1 || steps > 1);
    };
    return (schedule.block_columns > 1 ||
            is_right(schedule.block_rows, oriented.a.row_stride, schedule.a_steps)) &&
           (schedule.block_rows > 1 ||
            is_right(schedule.block_columns, oriented.b.column_stride, schedule.b_steps));
}

/// Elements of a copy, `most` or half of that again and again, that suit an operand and divide what is copied.
template <class Suits> int widest(int most, int copied, Suits&& suits) {
    while (!suits(most) || copied % most != 0) most /= 2;
    return most;
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
    schedule.through_memory = schedule.interleaved = 1;
    const Integer tiles = ceil_divide(oriented.rows, Integer{schedule.block_rows}) *
                          ceil_divide(oriented.columns, Integer{schedule.block_columns}) * oriented.batch;
    if (tiles == 0 || !gpu.has_groups) return;
    for (schedule.splits = 4; schedule.splits * tiles <= gpu.multiprocessors; schedule.splits *= 2) {
        schedule.stages = stages_of(schedule, oriented);
        schedules.push_back(schedule);
    }
}

/// Where an operand's steps are next to each other, the schedule that keeps them so is another one.
std::vector<GpuSchedule> with_lines(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const auto steps = [&](const MatrixLayout& layout, Integer stride, Integer line_stride, Integer lines,
                           int lanes, Number number) {
        if (lanes > 1) return 1;
        return widest(widest_lanes(oriented, number), schedule.block_depth / schedule.slices, [&](int most) {
            return suits_steps(layout, stride, line_stride, oriented.depth, lines, most);
        });
    };
    const auto& [a, b] = std::tie(oriented.a, oriented.b);
    GpuSchedule kept = schedule;
    std::vector<GpuSchedule> result;
    kept.b_steps =
        steps(b, b.row_stride, b.column_stride, oriented.columns, schedule.b_lanes, oriented.number_of_b());
    if (kept.b_steps > 1) result.push_back(kept);
    const int a_steps =
        steps(a, a.column_stride, a.row_stride, oriented.rows, schedule.a_lanes, oriented.number_of_a());
    if (a_steps > 1) {
        kept.a_steps = a_steps;
        if (GpuThreads::loads_lines(kept, 0)) kept.c_lanes = 1;
        result.push_back(kept);
    }
    result.push_back(schedule);
    return result;
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
    schedule.spread =
        shape.thread_rows * shape.thread_columns > 1 ? 1 : 0; // a step is no longer than a copy's issue
    if (shape.warp_depth > 0) schedule.depth_run = shape.warp_depth; // other banks for each step of a run
    const auto& [a, b, c] = std::tie(oriented.a, oriented.b, oriented.c);
    const auto lanes = [](const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                          int copied, int most) {
        return widest(most, copied,
                      [&](int number) { return suits_lanes(layout, stride, other_stride, extent, number); });
    };
    schedule.a_lanes = lanes(a, a.row_stride, a.column_stride, oriented.rows, shape.rows,
                             widest_lanes(oriented, oriented.number_of_a()));
    schedule.b_lanes = lanes(b, b.column_stride, b.row_stride, oriented.columns, shape.columns,
                             widest_lanes(oriented, oriented.number_of_b()));
    schedule.c_lanes = lanes(c, c.row_stride, c.column_stride, oriented.rows, shape.thread_rows,
                             widest_lanes_of_c(oriented));
    std::vector<GpuSchedule> result;
    for (schedule.splits = 1; schedule.splits <= std::max(1, gpu.portable_cluster); schedule.splits *= 2) {
        schedule.stages = stages_of(schedule, oriented);
        result.push_back(schedule);
    }
    add_through_memory(result, oriented, gpu);
    for (const GpuSchedule& stream : streams_for(result.front(), oriented, gpu)) result.push_back(stream);
    schedule = result.front();
    for (schedule.matrices = 2; schedule.matrices <= oriented.batch && schedule.threads() <= usual_threads;
         schedule.matrices *= 2)
        result.push_back(schedule);
    return result;
}

/// The same, with pieces that the copy engine brings.
GpuSchedule with_bulk(GpuSchedule schedule, const MatrixProduct& oriented, int along_depth) {
    const auto set = [&](int& bulk, int& lanes, int& steps, Integer stride, Number number) {
        bulk = stride == 1 ? 1 : along_depth;
        lanes = 1;
        if (bulk == 2) steps = GpuThreads::widest_access / static_cast<int>(bytes_of(number));
    };
    set(schedule.a_bulk, schedule.a_lanes, schedule.a_steps, oriented.a.row_stride, oriented.number_of_a());
    set(schedule.b_bulk, schedule.b_lanes, schedule.b_steps, oriented.b.column_stride,
        oriented.number_of_b());
    if (GpuThreads::loads_lines(schedule, 0)) schedule.c_lanes = 1;
    return schedule;
}

std::vector<GpuSchedule> direct_candidates(const MatrixProduct& oriented, const target::Gpu& gpu) {
    std::vector<GpuSchedule> result;
    if (oriented.batch == 1 || oriented.depth == 0 ||
        std::max({oriented.rows, oriented.columns, oriented.depth}) > largest_direct)
        return result;
    for (Shape shape : direct_shapes) {
        shape.depth = static_cast<int>(oriented.depth);
        const bool is_largest = 2 * shape.rows > oriented.rows && 2 * shape.columns > oriented.columns;
        if (!suits(shape, oriented) || !is_largest) continue;
        for (const GpuSchedule& one : schedules_of(shape, oriented, gpu))
            for (GpuSchedule schedule : with_lines(one, oriented)) {
                schedule.direct = 1;
                if (!objection(schedule, oriented, gpu)) result.push_back(schedule);
            }
    }
    return result;
}

std::vector<GpuSchedule> bulk_candidates(const MatrixProduct& oriented, const target::Gpu& gpu) {
    std::vector<GpuSchedule> result;
    const auto add = [&](const Shape& shape, int along_depth) {
        if (!suits(shape, oriented)) return;
        for (const GpuSchedule& schedule : schedules_of(shape, oriented, gpu)) {
            const GpuSchedule bulk = with_bulk(schedule, oriented, along_depth);
            // Where none is turned, or both are, copies by threads are as fast.
            const bool pays = along_depth != 3 || bulk.is_turned(0) != bulk.is_turned(1);
            if (pays && !objection(bulk, oriented, gpu)) result.push_back(bulk);
        }
    };
    for (const BulkShape& one : bulk_shapes) {
        add(one.shape, one.along_depth);
        if (one.is_mirrored_too) add(one.shape.mirrored(), one.along_depth);
    }
    return result;
}

} // namespace

std::vector<GpuSchedule> gpu_thread_candidates(const MatrixProduct& oriented, const target::Gpu& gpu,
                                               bool has_tiles) {
    std::vector<GpuSchedule> result;
    const auto add = [&](const Shape& shape, bool may_be_any) {
        for (const GpuSchedule& one : schedules_of(shape, oriented, gpu))
            for (const GpuSchedule& schedule : with_lines(one, oriented))
                if ((may_be_any || suits_vectors(schedule, oriented)) && !objection(schedule, oriented, gpu))
                    result.push_back(schedule);
    };
    for (const Shape& shape : shapes_of(oriented, gpu, has_tiles))
        if (suits(shape, oriented)) add(shape, false);
    for (const GpuSchedule& schedule : direct_candidates(oriented, gpu)) result.push_back(schedule);
    const auto is_no_half = [](const GpuSchedule& one) { return one.splits != 2 || one.b_steps == 1; };
    const std::size_t before = result.size();
    if (suits(halved_shape, oriented)) add(halved_shape, false);
    result.erase(
        std::remove_if(result.begin() + static_cast<std::ptrdiff_t>(before), result.end(), is_no_half),
        result.end());
    if (gpu.has_bulk_copy)
        for (const GpuSchedule& schedule : bulk_candidates(oriented, gpu)) result.push_back(schedule);
    if (result.empty())
        for (const Shape& shape : tiny_shapes())
            if (shape.rows <= oriented.rows && shape.columns <= oriented.columns) add(shape, true);
    return result;
}

} // namespace swirl::gemm
