/// Which matrix product to compute, on data laid out how.
#pragma once

#include <swirl/export.h>
#include <swirl/kinds.hpp>

namespace swirl {

/// What a matrix's numbers are. Products of complex numbers are of one precision throughout.
enum class Number : std::uint8_t { float32, float64, complex32, complex64 };

constexpr bool is_complex(Number number) { return number >= Number::complex32; }
constexpr Integer bytes_of(Number number) {
    return number == Number::float32 ? 4 : number == Number::complex64 ? 16 : 8;
}

/// Where a matrix lies: element (i, j) is i·row_stride + j·column_stride elements behind element (0, 0). Strides may be
/// negative; a transposed matrix is the same memory with its strides exchanged.
struct MatrixLayout {
    Integer row_stride = 1;
    Integer column_stride = 1;
    bool conjugated = false;  ///< the matrix holds the conjugates of what lies in memory
    Integer batch_stride = 0; ///< elements from one matrix of a batch to the next
    bool operator==(const MatrixLayout&) const = default;
};

/// C = α·A·B + β·C, for A of rows × depth, B of depth × columns. α and β, numbers of the same kind as C's elements, are given
/// at each execution. Where β is zero C is not read; where α or the depth is zero, neither are A and B.
struct MatrixProduct {
    Number number = Number::float64;
    Integer rows = 0;    ///< m of the BLAS
    Integer columns = 0; ///< n
    Integer depth = 0;   ///< k
    MatrixLayout a = {};
    MatrixLayout b = {};
    MatrixLayout c = {};
    Integer batch = 1; ///< so many products
    bool operator==(const MatrixProduct&) const = default;
};

} // namespace swirl
