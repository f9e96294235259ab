#pragma once

#include <swirl/matrix_product.hpp>

#include "problem/expression_scope.hpp"
#include "problem/problem.hpp"

#include <string_view>

namespace swirl {

/// "float32" and the like.
std::string_view word_of(Number number);

/// Integers that stand for what they are over the greatest of them.
constexpr bool is_normalised(Number number) {
    return number == Number::unorm8 || number == Number::snorm8 || number == Number::unorm16 ||
           number == Number::snorm16;
}

/// UserError for a valid product that only GPUs have.
void validate_for_cpus(const MatrixProduct& product);

/// Lowest and highest offset, in elements from element (0, 0) of the first matrix, that a matrix of so many rows and columns
/// and its fellows of a batch touch; of a valid product's, none of whose extents is zero.
Extent extent_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch);

/// What epilogues compute with, and their arrays hold: sums, or float32 where these are int32.
Number number_of_epilogue(const MatrixProduct& product);

/// What names in an epilogue stand for: axes are the batch, C's rows and its columns. While the product is there.
ExpressionScope scope_of(const MatrixProduct& product);
/// The same of one of the product's reductions, while both are there.
ExpressionScope scope_of(const MatrixProduct& product, const Reduction& reduction);

/// What executions are given: arrays_of, then results_of.
std::vector<ProblemArray> given_arrays_of(const MatrixProduct& product);

/// UserError where an epilogue or a reduction cannot be.
void check_matrix_expressions(const MatrixProduct& product);

/// Numbers that a reduction has of each matrix.
Integer results_of_matrix(const MatrixProduct& product, Over over);

/// "sum", "max", "min"; "columns", "rows", "all".
std::string_view word_of(Reduce operation);
std::string_view word_of(Over over);

} // namespace swirl
