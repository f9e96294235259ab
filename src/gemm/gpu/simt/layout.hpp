#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <array>
#include <vector>

/// Layout of a block's elements in registers and in shared memory.
namespace swirl::gemm {

/// Assigns elements of a block's tile to threads: the tile consists of warp tiles; within these, threads have vectors
/// of rows and of columns, interleaved with those of adjacent threads.
class SimtThreadLayout {
public:
    static constexpr int widest_access = 16; ///< bytes
    /// Vector length for a thread tile of `extent` rows or columns.
    static int vector_of(DataType data_type, int extent);
    /// Whether threads load vectors along K from shared memory, one row or column at a time.
    static bool loads_k_vectors(const SimtGemm& schedule, std::size_t operand);
    /// Whether a thread's rows are single ones, so that threads of a warp have adjacent rows: of A they load k vectors.
    static bool has_single_rows(const SimtGemm& schedule, DataType data_type);
    /// Of the columns. For mma.sync two, as in its accumulator fragments, of each column that a thread loads at once.
    static int column_vector_of(const SimtGemm& schedule, DataType data_type);
    /// For mma.sync: adjacent columns of B that a thread loads at once, one for each of as many instructions.
    static int fragment_columns_of(const SimtGemm& schedule, DataType data_type);
    /// For mma.sync: adjacent k indices that a thread holds. Which of them an instruction's fragments have is free, as
    /// long as A and B agree: a 16-bit type's register has two, and one access four if both operands are K-major.
    static int fragment_k_run_of(const SimtGemm& schedule, DataType data_type);
    /// k indices that threads load at once, given copies of so many; mma.sync consumes one of each.
    static int k_at_once(const SimtGemm& schedule, int copy_vector_k);

    SimtThreadLayout(ir::Builder& builder, const SimtGemm& schedule, DataType data_type);

    int row_vector() const { return row_vector_; }
    int column_vector() const { return column_vector_; }
    /// Coordinate in the tile of the thread's i-th row, or j-th column.
    Affine row(int i) const;
    Affine column(int j) const;
    /// For mma.sync (target/nvidia/tensor_cores.hpp): the k index of the thread's `element`-th element of a row of A or
    /// a column of B, and the tile column of its element of B for the warp's `group`-th instruction. Of A it holds its
    /// own rows.
    Affine fragment_k(int element) const;
    Affine fragment_column(int group) const;
    int fragment_k_run() const { return fragment_k_run_; }
    int fragment_columns() const { return fragment_columns_; }
    /// Warp lanes along rows (operand 0) or columns (1), and a digit of the thread's coordinate among them.
    int lanes(std::size_t operand) const {
        return operand == 0 ? schedule_.warp_lanes().m : schedule_.warp_lanes().n;
    }
    Affine lane_digit(std::size_t operand, Integer divisor, Integer modulus) const;
    /// Index offsets of the threads that have the same rows, or columns, as the first of them: 0 for the first, then
    /// the others in the order of their columns, or rows.
    std::vector<Integer> sharing_rows() const;
    std::vector<Integer> sharing_columns() const;
    /// Both zero for the first of those threads.
    std::array<Affine, 2> index_among_columns() const { return {lane_column_, warp_column_}; }
    std::array<Affine, 2> index_among_rows() const { return {lane_row_, warp_row_}; }
    const Affine& in_k_slice() const { return in_k_slice_; } ///< thread index within its slice
    const Affine& slice() const { return slice_; }
    const Affine& matrix() const { return matrix_; } ///< index among the block's

private:
    Integer lane(Integer row, Integer column) const;

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    int row_vector_;
    int column_vector_;
    int fragment_columns_;
    int fragment_k_run_;
    Affine lane_row_, lane_column_, warp_row_, warp_column_, in_k_slice_, slice_, matrix_;
};

/// A digit of the thread index; 0 if it has a single value.
Affine thread_digit(ir::Builder& builder, Integer divisor, Integer modulus);

/// Joins a power of two of scalars into a vector.
ir::Value join_lanes(ir::Builder& builder, const std::vector<ir::Value>& lanes);

/// A k-tile of A or B in shared memory. Either all rows (columns) of the tile for each k, or all of K for each row
/// (column).
struct SmemTile {
    DataType data_type = DataType::float32; ///< of the operand
    Integer extent = 0;                     ///< rows of A, columns of B
    Integer k = 0;
    int vector_mn = 1;    ///< elements per copy along M or N
    bool k_major = false; ///< adjacent threads copy adjacent k indices, contiguous in the operand
    Integer copy_k = 1;   ///< if so, k indices of one row before the next row
    int vector_k = 1;    ///< elements per copy along K; if more than 1, each row's (column's) K is contiguous
    Integer pitch = 0;   ///< elements from one k index, or one row (column), to the next
    int components = 1;  ///< scalars per element: two for complex numbers
    bool is_tma = false; ///< TMA loads it, dense
    bool is_transposed = false; ///< threads transpose it from K-major rows that TMA loads
    /// K-major TMA: k indices per box row; each box row of all rows (columns) comes before the next.
    Integer row = 0;

    int elements_of_copy() const { return vector_mn * vector_k; } ///< one of the two is 1
    bool is_smem_k_major() const { return vector_k > 1 || row > 0; }
    Integer elements() const;
    Integer scalars() const { return elements() * components; }
    Integer bytes() const { return elements() * bytes_of(data_type); }
    /// Elements of a swizzle chunk, chunks per row, and rows that share a swizzle pattern.
    Integer chunk() const { return ir::swizzle_chunk_bytes / bytes_of(data_type); }
    Integer chunks_of_row() const { return row / chunk(); }
    Integer swizzle_period() const { return ir::swizzle_row_bytes / (row * bytes_of(data_type)); }
    /// Scalar offset of an element. Not for K-major tiles loaded by TMA.
    Affine offset_of(const Affine& mn, const Affine& k) const {
        return (is_smem_k_major() ? mn * pitch + k : k * pitch + mn) * components;
    }
};

/// A canonical problem with a SIMT schedule, and the layout of A's and B's k-tiles that follows from both. Made once, and
/// passed on; refers to both, which outlive it.
struct CanonicalSimtGemm {
    CanonicalSimtGemm(const CanonicalGemm& canonical, const SimtGemm& schedule);
    CanonicalSimtGemm(CanonicalGemm&&, const SimtGemm&) = delete;

    const CanonicalGemm& canonical;
    const SimtGemm& schedule;
    std::array<SmemTile, 2> k_tiles; ///< of A and B, as threads load operands from them
    std::array<SmemTile, 2> loaded; ///< as they arrive: K-major rows if threads transpose them, else the same
    /// k indices before 0 at which the first k-tile begins, where k-tiles do not divide K. Rows of a K-major box must
    /// begin at multiples of ir::swizzle_chunk_bytes. If TMA loads both operands, the first k-tile therefore begins at
    /// such a multiple, and the last one extends past K.
    Integer k_padding;

    const MatrixProduct& product() const { return canonical.product; }
};

} // namespace swirl::gemm
