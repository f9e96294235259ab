#pragma once

#include <swirl/matrix_product.hpp>

#include "plan/placed_expression.hpp"

#include <vector>

namespace swirl::planning {

/// A product's reductions on CPUs, in the orientation in which it is computed. Elements are taken from memory, block by block of a grid that depends on
/// the product alone, and parts of results are put together in the order of blocks: so bits do not depend on threads. Sums are of
/// float64.
class MatrixReductions {
public:
    /// Of a valid product.
    explicit MatrixReductions(const MatrixProduct& product);

    struct One {
        PlacedExpression expression;
        Reduce operation;
        Over over;         ///< of C as it is oriented
        Integer of_matrix; ///< results
    };
    const std::vector<One>& all() const { return all_; }
    std::size_t first_result() const { return first_result_; } ///< of given_arrays_of

private:
    std::vector<One> all_;
    std::size_t first_result_;
};

/// The reductions in an execution.
struct ReductionCall {
    const MatrixReductions* reductions = nullptr; ///< null: there are none
    const void* const* arrays = nullptr;          ///< in the order of given_arrays_of
    Integer matrix = 0;                           ///< of the batch

    explicit operator bool() const { return reductions != nullptr; }
};

/// Blocks of a matrix, one row of blocks after the other.
struct ReductionGrid {
    Integer rows = 0, columns = 0;             ///< of the matrix
    Integer block_rows = 1, block_columns = 1; ///< those at the edges are shorter

    Integer row_blocks() const { return ceil_divide(rows, block_rows); }
    Integer column_blocks() const { return ceil_divide(columns, block_columns); }
    Integer count() const { return row_blocks() * column_blocks(); }
    /// Of the block that begins there.
    Integer number_at(Integer row, Integer column) const {
        return row / block_rows * column_blocks() + column / block_columns;
    }
};

/// The parts of the results of one matrix.
class ReductionParts {
public:
    ReductionParts(const MatrixProduct& oriented, const ReductionCall& call, const ReductionGrid& grid);

    /// Takes the elements of a block, of which `c` is the first, as the epilogue has left them: with these strides, of the product's
    /// precision (float32 where sums are int32). Blocks may be taken by several threads at once.
    void take(Integer block, const void* c, Integer row_stride, Integer column_stride);
    /// Writes the results, when all blocks have been taken.
    void finish();

private:
    template <class R, class T, class Two>
    void take_one(std::size_t k, Integer block, const T* c, Integer row_stride, Integer column_stride,
                  Two&& two);
    /// Where parts of results of one reduction begin that the block has, and how many of each.
    double* parts(std::size_t k, Integer block);
    Integer parts_of_result(Over over) const;

    const MatrixProduct& product_;
    ReductionCall call_;
    ReductionGrid grid_;
    std::vector<std::vector<double>>
        parts_; ///< by reduction: all results of the first block along what is reduced, then of the next
};

/// The grid of elements that lie in memory: blocks are for several threads.
ReductionGrid usual_grid(const MatrixProduct& oriented);
/// All of one matrix C, in memory, by so many threads at most.
void reduce_matrix(const MatrixProduct& oriented, const ReductionCall& call, const void* c, int threads);

} // namespace swirl::planning
