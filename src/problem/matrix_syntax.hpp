#pragma once

#include <swirl/matrix_product.hpp>

#include <string>
#include <string_view>

namespace swirl {

/// A product of matrices from one line of text, for people and tests:
///
///     gemm ROWSxCOLUMNSxDEPTH [NUMBER] [a=LAYOUT] [b=LAYOUT] [c=LAYOUT] [batch=COUNT] [reduce=REDUCTION …]
///         [epilogue=EXPRESSION]
///
/// A layout is `columns` (contiguous, columns one behind the other; what is meant without one), `rows`, or two strides, of rows
/// and of columns, as 2:100; behind it may stand ,conj and, of a batch, ,shared (one matrix for all), and of A, B or C numbers other than sums: ,bfloat16 and the like. Numbers are
/// float64, float32, complex32, complex64 and int32, of operands also bfloat16, float16, int8 and uint8. The epilogue is the rest of the line.
/// A reduction is NAME:OPERATION:OVER or NAME:OPERATION:OVER:EXPRESSION of sum, max or min over columns, rows or all; an expression with blanks is in
/// quotes: reduce=amax:max:columns:abs(x) reduce=total:sum:all.
/// SyntaxError shows what is wrong where.
MatrixProduct parse_matrix_product(std::string_view text);

/// Text that reads as the same product.
std::string to_text(const MatrixProduct& product);

} // namespace swirl
