#include "gemm/gpu_layout.hpp"

#include "gemm/tile.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::gemm {

namespace {

constexpr int columns_of_warp_product = 2; ///< that a thread has

} // namespace

Affine thread_digit(ir::Builder& builder, Integer divisor, Integer modulus) {
    return modulus == 1 ? Affine(0) : builder.thread(0, divisor, modulus);
}

ir::Value join_lanes(ir::Builder& builder, const std::vector<ir::Value>& lanes) {
    std::vector<ir::Value> parts = lanes;
    for (; parts.size() > 1; parts.resize(parts.size() / 2))
        for (std::size_t p = 0; p < parts.size(); p += 2) {
            std::vector<std::int8_t> all(2 * lanes.size() / parts.size());
            std::iota(all.begin(), all.end(), std::int8_t{0});
            parts[p / 2] = builder.shuffle(parts[p], parts[p + 1], all);
        }
    return parts.front();
}

int GpuThreads::vector_of(Number number, int extent) {
    return std::gcd(extent, widest_access / static_cast<int>(bytes_of(number)));
}

bool GpuThreads::loads_lines(const GpuSchedule& schedule, std::size_t operand) {
    const int steps = operand == 0 ? schedule.a_steps : schedule.b_steps;
    return schedule.warp_depth == 0 && (steps > 1 || schedule.has_bulk_lines(operand));
}

int GpuThreads::steps_at_once(const GpuSchedule& schedule, int steps_of_copy) {
    return schedule.warp_depth > 0 ? 1 : steps_of_copy;
}

int GpuThreads::column_vector_of(const GpuSchedule& schedule, Number number) {
    if (loads_lines(schedule, 1)) return 1;
    return std::gcd(vector_of(number, schedule.thread_columns),
                    schedule.warp_depth > 0 ? columns_of_warp_product : schedule.thread_columns);
}

GpuThreads::GpuThreads(ir::Builder& builder, const GpuSchedule& schedule, Number number)
    : builder_(builder),
      schedule_(schedule),
      row_vector_(loads_lines(schedule, 0) ? 1 : vector_of(number, schedule.thread_rows)),
      column_vector_(column_vector_of(schedule, number)) {
    const auto digit = [&](Integer divisor, Integer modulus) {
        return thread_digit(builder, divisor, modulus);
    };
    const int rows = schedule.lane_rows, columns = schedule.lane_columns;
    if (schedule.warp_depth > 0) {
        lane_column_ = digit(1, columns);
        lane_row_ = digit(columns, rows);
    } else if (schedule.zigzag != 0 && columns >= 2) {
        lane_row_ = digit(2, rows);
        lane_column_ = 2 * digit(2 * rows, columns / 2) + digit(1, 2);
    } else {
        lane_row_ = digit(1, rows);
        lane_column_ = digit(rows, columns);
    }
    const Integer lanes = schedule.lanes(), warp_rows = schedule.warp_rows();
    warp_row_ = digit(lanes, warp_rows);
    warp_column_ = digit(lanes * warp_rows, schedule.slice_threads() / (lanes * warp_rows));
    in_slice_ = digit(1, schedule.threads() == schedule.slice_threads() ? 0 : schedule.slice_threads());
    slice_ = digit(schedule.slice_threads(), schedule.slices);
    matrix_ = digit(schedule.matrix_threads(), schedule.matrices);
}

/// The number in its warp of the thread with these digits.
Integer GpuThreads::lane(Integer row, Integer column) const {
    const Integer rows = schedule_.lane_rows, columns = schedule_.lane_columns;
    if (schedule_.warp_depth > 0) return column + columns * row;
    if (schedule_.zigzag != 0 && columns >= 2) return column % 2 + 2 * row + 2 * rows * (column / 2);
    return row + rows * column;
}

std::vector<Integer> GpuThreads::sharing_rows() const {
    const Integer lanes = schedule_.lanes(), warp_rows = schedule_.warp_rows();
    std::vector<Integer> result;
    for (Integer warp = 0; warp < schedule_.slice_threads() / (lanes * warp_rows); ++warp)
        for (Integer column = 0; column < schedule_.lane_columns; ++column)
            result.push_back(warp * lanes * warp_rows + lane(0, column));
    return result;
}

std::vector<Integer> GpuThreads::sharing_columns() const {
    std::vector<Integer> result;
    for (Integer warp = 0; warp < schedule_.warp_rows(); ++warp)
        for (Integer row = 0; row < schedule_.lane_rows; ++row)
            result.push_back(warp * schedule_.lanes() + lane(row, 0));
    return result;
}

Affine GpuThreads::row(int i) const {
    const Integer lanes = schedule_.lane_rows;
    return warp_row_ * (lanes * schedule_.thread_rows) + lane_row_ * row_vector_ +
           i / row_vector_ * (lanes * row_vector_) + i % row_vector_;
}

Affine GpuThreads::column(int j) const {
    const Integer lanes = schedule_.lane_columns;
    return warp_column_ * (lanes * schedule_.thread_columns) + lane_column_ * column_vector_ +
           j / column_vector_ * (lanes * column_vector_) + j % column_vector_;
}

Affine GpuThreads::factor_column(int group) const {
    const Integer lanes = schedule_.lane_columns;
    return warp_column_ * (lanes * schedule_.thread_columns) + lane_row_ + group * schedule_.lane_rows;
}

Affine GpuThreads::lane_digit(std::size_t operand, Integer divisor, Integer modulus) const {
    return thread_digit(builder_, operand == 0 ? divisor : schedule_.lane_rows * divisor, modulus);
}

Integer GpuPiece::elements() const {
    if (!is_bulk) return (is_by_lines() ? extent : depth) * pitch;
    const Integer pattern = ir::tile_pattern_bytes / bytes_of(number);
    return ceil_divide(extent * depth, pattern) * pattern;
}

namespace {

/// Four steps of a part of a warp's rows, or columns, are in as many banks: they lie so many bytes apart, modulo those of all banks.
constexpr Integer bytes_of_banks = 128, bytes_to_next_step = 32;

/// Of what is `extent` long, of which a warp has every `vector`-th; copies stay aligned.
Integer pitch_for_warps(Number number, Integer extent, Integer vector = 1) {
    const Integer bytes = bytes_of(number);
    const Integer apart = std::max<Integer>(bytes_to_next_step / vector, GpuThreads::widest_access);
    return extent + modulo(apart / bytes - extent, bytes_of_banks / bytes);
}

/// An odd number of vectors of steps, so that those of neighbouring lines are in different banks.
Integer pitch_of_lines(Integer depth, int steps) { return depth / steps % 2 == 0 ? depth + steps : depth; }

/// Of a bulk piece by lines: slices have whole rows, which the copy engine can swizzle.
Integer row_of_lines(const GpuSchedule& schedule, Number number) {
    return std::gcd(schedule.block_depth / schedule.slices, ir::tile_row_bytes / bytes_of(number));
}

} // namespace

std::array<GpuPiece, 2> pieces_of(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const int row_vector = GpuThreads::vector_of(oriented.number, schedule.thread_rows);
    const auto piece = [&](Number number, Integer extent, int lanes, int steps, Integer stride,
                           Integer depth_stride, int vector, std::size_t operand) {
        GpuPiece result{number, extent, schedule.block_depth, lanes};
        result.depth_run = std::gcd(schedule.block_depth, schedule.depth_run);
        result.steps = steps;
        result.parts = scalars_in(number);
        result.is_turned = schedule.is_turned(operand);
        result.is_bulk = schedule.is_bulk(operand) && !result.is_turned;
        if (result.is_turned) {
            result.pitch = extent + result.chunk(); // so that steps of neighbours go to other banks
            return result;
        }
        if (result.is_bulk) {
            result.pitch = extent;
            if (schedule.has_bulk_lines(operand)) result.row = row_of_lines(schedule, number);
            return result;
        }
        if (result.is_by_lines()) {
            result.pitch = schedule.warp_depth > 0 ? pitch_for_warps(number, schedule.block_depth, vector)
                                                   : pitch_of_lines(schedule.block_depth, steps);
            return result;
        }
        result.along_depth = lanes == 1 && depth_stride == 1 && stride != 1;
        // Steps of one row then go to different banks, and vectors of rows stay aligned.
        const Integer padding =
            result.along_depth ? GpuThreads::widest_access / bytes_of(oriented.number) : 0;
        result.pitch = schedule.warp_depth > 0 ? pitch_for_warps(number, extent) : extent + padding;
        return result;
    };
    return {piece(oriented.number_of_a(), schedule.block_rows, schedule.a_lanes, schedule.a_steps,
                  oriented.a.row_stride, oriented.a.column_stride, row_vector, 0),
            piece(oriented.number_of_b(), schedule.block_columns, schedule.b_lanes, schedule.b_steps,
                  oriented.b.column_stride, oriented.b.row_stride, 1, 1)};
}

} // namespace swirl::gemm
