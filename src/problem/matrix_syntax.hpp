#pragma once

#include <swirl/matrix_product.hpp>

#include <string>
#include <string_view>

namespace swirl {

/// Parses a matrix multiplication from one line of text, for people and tests:
///
///     gemm ROWSxCOLUMNSxK [TYPE] [a=LAYOUT] [b=LAYOUT] [c=LAYOUT] [batch=COUNT] [reduce=REDUCTION …]
///         [epilogue=EXPRESSION]
///
/// A layout is `columns` (contiguous, column-major; the default), `rows`, or the row and the column stride, as 2:100.
/// It may be followed by ,conj; for a batch by ,shared (one matrix for all); and by a data type in memory that differs
/// from the accumulators': ,bfloat16 and the like. Data types are float64, float32, complex64, complex128 and int32; for
/// operands also bfloat16, float16, int8 and uint8. The epilogue is the rest of the line.
/// A reduction is NAME:OPERATION:OVER or NAME:OPERATION:OVER:EXPRESSION: sum, max or min over columns, rows or all. An
/// expression with blanks is quoted: reduce=amax:max:columns:abs(x) reduce=total:sum:all.
/// SyntaxError shows what is wrong and where.
MatrixProduct parse_matrix_product(std::string_view text);

/// Text that parses to an equal product.
std::string to_text(const MatrixProduct& product);

} // namespace swirl
