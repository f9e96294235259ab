#pragma once

#include "gemm/gpu_range.hpp"
#include "gemm/gpu_schedule.hpp"
#include "ir/builder.hpp"

#include <array>
#include <optional>
#include <vector>

/// float32 numbers as sums of bfloat16 terms, each the rest of those before it rounded to the nearest: of three terms all 24 bits.
/// Products of terms are exact in float32; of those of two numbers, the ones whose terms' numbers add up to less than the count of
/// terms are added, the smallest first (Henry, Tang and Heinecke 2019, "Leveraging the bfloat16 Artificial Intelligence Datatype For
/// Higher-Precision Computations"; Ootomo and Yokota, arXiv 2203.03341).
namespace swirl::gemm {

/// Which term of A and which of B, in the order in which they are multiplied.
std::vector<std::array<int, 2>> products_of_terms(int terms);
/// The same as tables of a kernel: which of B, and which of A.
std::array<ir::Buffer, 2> tables_of_products(ir::Builder& builder, int terms);

/// Where terms of a matrix are: neighbours are next to each other as they are in the matrix, all of the first term before the second.
struct GpuTermsLayout {
    bool along_rows = true; ///< neighbours are of one column
    Integer extent = 0;     ///< neighbours
    Integer others = 0;     ///< lines of them
    Integer pitch = 0;      ///< elements from line to line
    Integer planes = 0;     ///< a term of a matrix each
    Integer terms = 0;
    Integer plane() const { return others * pitch; }
    Integer elements() const { return planes * plane(); }
};
GpuTermsLayout terms_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch, int terms);

/// Where they are handed over: in a buffer `name`_terms.
ir::BufferInfo buffer_of_terms(const char* name, const GpuTermsLayout& terms);

/// A matrix of float32 that is split into terms.
struct GpuSplit {
    MatrixLayout layout;
    Integer rows = 0, columns = 0;
    Integer batch = 1;
    int terms = 1;
    std::optional<GpuTermsRange> range = {}; ///< outside of which it is told that some number lies
};
/// The kernel that splits a matrix `name`: to a scratch buffer `name`_terms.
ir::Program gpu_split(const char* name, const GpuSplit& split);

} // namespace swirl::gemm
