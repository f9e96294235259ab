/// Problems of matrix multiplication (GEMM): what to compute, and the data layout.
///
///     // C = A·B, column-major: m = 100, n = 80, k = 60
///     const auto plan = swirl::plan(swirl::MatrixProduct::column_major(swirl::DataType::float64, 100, 80, 60));
///     plan.execute(1, a, b, 0, c);
#pragma once

#include <swirl/export.h>
#include <swirl/data_type.hpp>
#include <swirl/element.hpp>
#include <swirl/expression.hpp>
#include <swirl/kinds.hpp>
#include <swirl/reduction.hpp>
#include <swirl/transform.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

/// Layout of a matrix: element (i, j) is at offset i·row_stride + j·column_stride elements from element (0, 0). Strides
/// may be negative. A transposed matrix is the same memory with exchanged strides.
struct MatrixLayout {
    Integer row_stride = 1;
    Integer column_stride = 1;
    bool conjugated = false;  ///< memory holds the conjugate of the matrix; A and B only
    Integer batch_stride = 0; ///< in elements, between consecutive matrices of a batch
    SWIRL_API friend bool operator==(const MatrixLayout& a, const MatrixLayout& b);
    friend bool operator!=(const MatrixLayout& a, const MatrixLayout& b) { return !(a == b); }
};

/// C = α·A·B + β·C for A of rows × k and B of k × columns (m × k and k × n in BLAS). α and β, of the accumulators' data
/// type, are given at each execution. If β is zero, C is not read; if α or k is zero, A and B are not read.
struct SWIRL_API MatrixProduct {
    DataType data_type = DataType::float64; ///< of the accumulators; default for A, B and C
    Integer rows = 0;                       ///< BLAS: m
    Integer columns = 0;                    ///< BLAS: n
    Integer k = 0;                          ///< BLAS: k
    MatrixLayout a = {};
    MatrixLayout b = {};
    MatrixLayout c = {};
    Integer batch = 1; ///< number of matrices
    /// Maps each element x = α·A·B + β·C of the result. An expression in x, row i, column j, matrix b of the batch, and
    /// arrays bound to the plan, such as
    ///     x + bias[i] < 0 ? 0 : x + bias[i]
    /// If β is not zero, x uses C as it was before the execution.
    Expression epilogue = {};
    std::vector<Reduction> reductions =
        {}; ///< over the elements of C after the epilogue; at most most_reductions, with distinct names
    std::optional<DataType> a_type = {};
    std::optional<DataType> b_type = {};
    /// Data type of C in memory, if it differs from the accumulators'. float32 accumulators: bfloat16, float16, int8,
    /// uint8 or a normalised type. int32 accumulators: half precision, 8-bit integers or float32; they are first
    /// converted to float32, exact up to 2^24 and rounded beyond. Rounds to nearest, ties to even; integers and
    /// normalised types saturate, NaN becomes 0. β must be 0: C is not read.
    std::optional<DataType> c_type = {};
    /// Pointer-array batch on a GPU: batch strides are ignored, and Plan::execute_each executes the plan. CPU
    /// plans take pointer arrays for any problem.
    bool listed = false;
    int list_alignment = 0; ///< alignment of these pointers in bytes, a power of two; 0: that of an element

    SWIRL_API friend bool operator==(const MatrixProduct& a, const MatrixProduct& b);
    friend bool operator!=(const MatrixProduct& a, const MatrixProduct& b) { return !(a == b); }

    DataType type_of_a() const { return a_type.value_or(data_type); }
    DataType type_of_b() const { return b_type.value_or(data_type); }
    DataType type_of_c() const { return c_type.value_or(data_type); }
    /// Whether C's data type differs from the accumulators'.
    bool converts() const { return type_of_c() != data_type; }
    /// Whether the accumulators' data type differs from that of A or B.
    bool widens() const { return type_of_a() != data_type || type_of_b() != data_type; }

    /// Contiguous matrices stored by columns.
    static MatrixProduct column_major(DataType data_type, Integer rows, Integer columns, Integer k) {
        return {data_type, rows, columns, k, {1, rows}, {1, k}, {1, rows}, 1};
    }
    /// Contiguous matrices stored by rows.
    static MatrixProduct row_major(DataType data_type, Integer rows, Integer columns, Integer k) {
        return {data_type, rows, columns, k, {k, 1}, {columns, 1}, {columns, 1}, 1};
    }
};

/// Throws UserError, naming the argument, its value and what would work, unless the product can be computed as stated:
/// - no extent and no batch count is negative
/// - sizes and extreme addresses, in bytes, fit in 64 bits
/// - no two elements of C share an address (elements of A and B may)
/// - A, B and C have the same data type, or a combination that DataType lists; C has the accumulators' type or c_type
/// - only A and B are conjugated, and only if complex
/// - list_alignment is 0 unless the batch is a pointer array
/// - the epilogue's indices are i, j and b; its arrays have the product's precision; it has no 'where'
/// - the same holds for the expressions of reductions, which are real; reductions have distinct names
SWIRL_API void validate(const MatrixProduct& product);

constexpr std::size_t most_reductions = 8;

/// The arrays that the epilogue and the reductions read.
SWIRL_API std::vector<AuxiliaryArray> arrays_of(const MatrixProduct& product);
/// The arrays that the reductions write, in the order of the reductions.
SWIRL_API std::vector<AuxiliaryArray> results_of(const MatrixProduct& product);

// Text form of a product, one line:
//
//   gemm ROWSxCOLUMNSxK option…
//
//   options   in any order; the first of each line is the default
//     float64  float32  complex64  complex128  int32     data type of the accumulators
//     a=columns  a=rows  a=2:100                          layout: by columns, by rows, or row and column stride;
//                                                         then ,conj  ,bfloat16 (data type in memory)
//                                                         ,shared (one for the batch)  ,step:5000 (elements apart)
//     b=…  c=…
//     batch=10  batch=10,lists  batch=10,lists:16         a batch; of pointer arrays; with their alignment
//     reduce=amax:max:columns:abs(x)                      reductions: name, operation, dimensions, expression
//     epilogue=max(0, x + bias[i])                        the rest of the line
//
// Names of other libraries mean the same: matmul gemm; sgemm dgemm cgemm zgemm, with their data types; single double half.

/// Parses a product; throws SyntaxError.
SWIRL_API MatrixProduct parse_matrix_product(std::string_view text);
/// Text that parses to an equal product.
SWIRL_API std::string to_text(const MatrixProduct& product);

} // namespace swirl
