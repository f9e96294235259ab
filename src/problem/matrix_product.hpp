#pragma once

#include <swirl/matrix_product.hpp>

#include "problem/data_type.hpp"
#include "problem/expression_scope.hpp"
#include "problem/overlap.hpp"
#include "problem/problem.hpp"

#include <string_view>

namespace swirl {

/// Throws Unsupported for a valid product that only GPUs compute.
void validate_for_cpus(const MatrixProduct& product);

/// The same memory, rows and columns exchanged.
MatrixLayout transposed(MatrixLayout layout);
/// Cᵀ = α·Bᵀ·Aᵀ + β·Cᵀ: the same memory, with A and B exchanged.
MatrixProduct transposed(const MatrixProduct& product);

/// Lowest and highest offset, in elements from element (0, 0) of the first matrix, that a batch of matrices of this
/// many rows and columns touches. The product must be valid, with no extent zero.
Extent extent_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch);

/// The elements of such a batch, of so many bytes each.
Elements elements_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch, Integer bytes);

/// Data type of epilogue arithmetic and arrays: the accumulators', or float32 if that is int32.
DataType epilogue_type(const MatrixProduct& product);

/// Scope of an epilogue: axes are the batch, C's rows and C's columns. Valid while the product lives.
ExpressionScope scope_of(const MatrixProduct& product);
/// Scope of one of the product's reductions; valid while both live.
ExpressionScope scope_of(const MatrixProduct& product, const Reduction& reduction);

/// The arrays passed to executions: arrays_of, then results_of.
std::vector<AuxiliaryArray> given_arrays_of(const MatrixProduct& product);

/// Throws UserError for an invalid epilogue or reduction.
void check_matrix_expressions(const MatrixProduct& product);

/// Number of results of a reduction per matrix.
Integer results_of_matrix(const MatrixProduct& product, Over over);

/// "sum", "max", "min"; "columns", "rows", "all".
std::string_view name_of(Reduce operation);
std::string_view name_of(Over over);

} // namespace swirl
