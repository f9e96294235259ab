#pragma once

#include <swirl/matrix_product.hpp>

#include "plan/gemm/cpu/elementwise_kernels.hpp"
#include "plan/gemm/cpu/lowered_expression.hpp"

#include <vector>

namespace swirl::planning {

/// A product's reductions on CPUs, in the canonical orientation. Elements are read from memory block by block; the grid
/// of blocks depends only on the product, and partial results are combined in block order. So the bits do not depend on
/// the number of threads. Sums are in float64.
class MatrixReductions {
public:
    /// The product must be valid.
    explicit MatrixReductions(const MatrixProduct& product);

    struct One {
        LoweredExpression expression;
        Reduce operation;
        Over over;         ///< of the canonical C
        Integer of_matrix; ///< results per matrix
        /// The kernels that reduce a block of elements, combine blocks and store results; null on CPUs without
        /// generated code, and `store` where results are float64.
        std::shared_ptr<ElementwiseKernels> of_block = nullptr, of_partials = nullptr, store = nullptr;
    };
    /// The kernels are compiled on first use.
    void generate_for(const MatrixProduct& product, const target::Cpu& cpu, KernelCheck check);
    const std::vector<One>& all() const { return all_; }
    std::size_t first_result() const { return first_result_; } ///< its index in given_arrays_of

private:
    std::vector<One> all_;
    std::size_t first_result_;
};

/// The reductions in one execution.
struct ReductionCall {
    const MatrixReductions* reductions = nullptr; ///< null: there are none
    const void* const* arrays = nullptr;          ///< in the order of given_arrays_of
    Integer matrix = 0;                           ///< of the batch

    explicit operator bool() const { return reductions != nullptr; }
};

/// Blocks of a matrix in row-major order.
struct ReductionGrid {
    Integer rows = 0, columns = 0;             ///< of the matrix
    Integer block_rows = 1, block_columns = 1; ///< blocks at the edges are smaller

    Integer row_blocks() const { return ceil_divide(rows, block_rows); }
    Integer column_blocks() const { return ceil_divide(columns, block_columns); }
    Integer count() const { return row_blocks() * column_blocks(); }
    /// Index of the block that starts at (row, column).
    Integer block_index(Integer row, Integer column) const {
        return row / block_rows * column_blocks() + column / block_columns;
    }
};

/// Partial results of one matrix.
class PartialReductions {
public:
    PartialReductions(const MatrixProduct& canonical, const ReductionCall& call, const ReductionGrid& grid);

    /// Reduces a block of elements after the epilogue. `c` points to its first element; elements have the product's
    /// data type (float32 where accumulators are int32). Several threads may take blocks at once.
    void take(Integer block, const void* c, Integer row_stride, Integer column_stride);
    /// Writes the results once all blocks have been taken.
    void finish();

private:
    /// The block's elements: where they begin, and how many there are.
    struct Extents {
        Integer first_row, first_column, rows, columns;
    };
    Extents extents_of(Integer block) const;
    /// Address of a block's partial results for reduction k, and the number of partial results per result.
    double* partials(std::size_t k, Integer block);
    Integer partials_of_result(Over over) const;

    const MatrixProduct& product_;
    ReductionCall call_;
    ReductionGrid grid_;
    std::vector<std::vector<double>>
        partials_; ///< by reduction: all partial results of the first block along the reduced dimension, then the next
};

/// The grid for elements in memory, with enough blocks for several threads.
ReductionGrid usual_grid(const MatrixProduct& canonical);
/// Reduces one matrix C in memory with at most `threads` threads.
void reduce_matrix(const MatrixProduct& canonical, const ReductionCall& call, const void* c, int threads);

} // namespace swirl::planning
