#pragma once

#include "gemm/gpu/epilogue/range_check.hpp"
#include "gemm/gpu/schedule.hpp"
#include "ir/builder.hpp"

#include <array>
#include <optional>
#include <vector>

/// float32 values as sums of bfloat16 terms; each term is the remainder after the previous ones, rounded to nearest,
/// so three terms hold all 24 bits. Products of terms are exact in float32. The product of two values keeps those
/// pairs of terms whose indices add up to less than the number of terms, the smallest first (Henry, Tang and Heinecke
/// 2019, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations"; Ootomo and
/// Yokota, arXiv 2203.03341).
namespace swirl::gemm {

/// The pairs (term of A, term of B) in the order of their multiplication.
std::vector<std::array<int, 2>> bf16_split_products(int terms);
/// The same as constant tables of a kernel: terms of B, and terms of A.
std::array<ir::Buffer, 2> tables_of_bf16_split_products(ir::Builder& builder, int terms);

/// Layout of a matrix's split terms: contiguous along the direction in which the matrix is; all of the first term
/// precedes the second.
struct Bf16SplitLayout {
    bool along_rows = true; ///< contiguous along a column
    Integer extent = 0;     ///< along the contiguous direction
    Integer others = 0;     ///< number of contiguous rows or columns
    Integer pitch = 0;      ///< elements from one contiguous row or column to the next
    Integer planes = 0;     ///< one per term and matrix
    Integer terms = 0;
    Integer plane() const { return others * pitch; }
    Integer elements() const { return planes * plane(); }
};
Bf16SplitLayout bf16_split_layout(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch,
                                  int terms);

/// Their buffer, workspace named after the operand: a_terms or b_terms.
ir::BufferInfo buffer_of_bf16_split(ir::ArgumentRole operand, const Bf16SplitLayout& terms);

/// A float32 matrix to split.
struct Bf16SplitMatrix {
    MatrixLayout layout;
    Integer rows = 0, columns = 0;
    Integer batch = 1;
    int terms = 1;
    std::optional<Bf16SplitRange> range = {}; ///< if set, report elements outside of it
};
/// The kernel that splits operand A or B.
ir::Program bf16_split_kernel(ir::ArgumentRole operand, const Bf16SplitMatrix& matrix);

} // namespace swirl::gemm
