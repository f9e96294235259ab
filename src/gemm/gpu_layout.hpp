#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <array>
#include <vector>

/// Where a product's numbers are in a block: its threads' registers, and shared memory.
namespace swirl::gemm {

/// Which elements of a block's tile its threads have: parts of the tile that warps have, in which threads have vectors of rows and of
/// columns, those of neighbours next to each other.
class GpuThreads {
public:
    static constexpr int widest_access = 16; ///< bytes
    /// Elements of a vector of a thread's part that has so many rows or columns.
    static int vector_of(Number number, int extent);
    /// Whether threads load each line of an operand by itself, as its steps are next to each other in shared memory.
    static bool loads_lines(const GpuSchedule& schedule, std::size_t operand);
    /// Of the columns; two where warps multiply, as their sums are.
    static int column_vector_of(const GpuSchedule& schedule, Number number);
    /// Steps that threads load together where copies move so many: instructions of a warp take one of each.
    static int steps_at_once(const GpuSchedule& schedule, int steps_of_copy);

    GpuThreads(ir::Builder& builder, const GpuSchedule& schedule, Number number);

    int row_vector() const { return row_vector_; }
    int column_vector() const { return column_vector_; }
    /// The place in the tile of the thread's i-th row, its j-th column.
    Affine row(int i) const;
    Affine column(int j) const;
    /// Where warps multiply (target/gpu_tensor_cores.hpp): of each four steps the one of which the thread has factors, and the place
    /// in the tile of its factor in B of the warp's `group`-th eight columns. Of A it has those of its rows.
    const Affine& factor_step() const { return lane_column_; }
    Affine factor_column(int group) const;
    /// Lanes along the rows (operand 0) or columns (1), and such a digit of the thread's place among these.
    int lanes(std::size_t operand) const {
        return operand == 0 ? schedule_.lane_rows : schedule_.lane_columns;
    }
    Affine lane_digit(std::size_t operand, Integer divisor, Integer modulus) const;
    /// Of the threads that have the same rows as this one, or the same columns, their numbers less that of the first one, itself the
    /// first; the others in the order of their columns, or rows.
    std::vector<Integer> sharing_rows() const;
    std::vector<Integer> sharing_columns() const;
    /// Zero all of the first of these.
    std::array<Affine, 2> number_among_columns() const { return {lane_column_, warp_column_}; }
    std::array<Affine, 2> number_among_rows() const { return {lane_row_, warp_row_}; }
    const Affine& in_slice() const { return in_slice_; } ///< the thread's number in its slice
    const Affine& slice() const { return slice_; }
    const Affine& matrix() const { return matrix_; } ///< of those that the block has

private:
    Integer lane(Integer row, Integer column) const;

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    int row_vector_;
    int column_vector_;
    Affine lane_row_, lane_column_, warp_row_, warp_column_, in_slice_, slice_, matrix_;
};

/// A digit of the thread's index in its block; 0 where it has one value.
Affine thread_digit(ir::Builder& builder, Integer divisor, Integer modulus);

/// A vector of values that have one lane, a power of two of them.
ir::Value join_lanes(ir::Builder& builder, const std::vector<ir::Value>& lanes);

/// A piece of A, or of B, in shared memory: for each step along the depth all of the tile's rows, or columns (its lines), or for each
/// line all steps.
struct GpuPiece {
    Number number = Number::float32; ///< as in the operand
    Integer extent = 0;              ///< rows of A, columns of B
    Integer depth = 0;
    int lanes = 1; ///< elements, along the extent, of a copy
    bool along_depth =
        false; ///< neighbouring threads copy steps, as these are next to each other in the operand
    Integer depth_run = 1; ///< then so many of one row, before those of the next
    int steps =
        1; ///< of a line, that one copy moves; if more than 1, all steps of a line are next to each other
    Integer pitch = 0;      ///< elements from one step to the next, or one line
    int parts = 1;          ///< scalars of an element: of complex numbers two
    bool is_bulk = false;   ///< the copy engine brings it, dense
    bool is_turned = false; ///< threads write it, from lines that the copy engine brings
    Integer row =
        0; ///< then of lines: steps that one row of a box has. Rows of all lines follow each other, then those of the next steps

    int elements_of_copy() const { return lanes * steps; } ///< one of both is 1
    bool is_by_lines() const { return steps > 1 || row > 0; }
    Integer elements() const;
    Integer scalars() const { return elements() * parts; }
    Integer bytes() const { return elements() * bytes_of(number); }
    /// Elements that stay together where the copy engine exchanges parts of rows, such parts of a row, and lines that it exchanges alike.
    Integer chunk() const { return ir::tile_piece_bytes / bytes_of(number); }
    Integer chunks_of_row() const { return row / chunk(); }
    Integer lines_alike() const { return ir::tile_row_bytes / (row * bytes_of(number)); }
    /// Of a line's step, in scalars. Not of lines that the copy engine brings.
    Affine place(const Affine& line, const Affine& step) const {
        return (is_by_lines() ? line * pitch + step : step * pitch + line) * parts;
    }
};
/// Of A and of B, of a product as it is oriented.
std::array<GpuPiece, 2> pieces_of(const GpuSchedule& schedule, const MatrixProduct& oriented);

} // namespace swirl::gemm
