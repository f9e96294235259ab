/// Reductions over the result of a matrix multiplication: sum, maximum, minimum.
#pragma once

#include <swirl/export.h>
#include <swirl/expression.hpp>

#include <cstdint>
#include <string>

namespace swirl {

enum class Reduce : std::uint8_t {
    sum,
    maximum, ///< maximum and minimum are NaN if any element is
    minimum,
};

/// The dimensions of C that a reduction runs over.
enum class Over : std::uint8_t {
    columns, ///< along each row: one result per row
    rows,    ///< along each column: one result per column
    all,     ///< over the matrix: one result
};

/// Reduces each row of C, each column, or all of C, separately for each matrix of a batch. `of` is evaluated for each
/// element x of C after the epilogue and before conversion to C's data type in memory. It may use i, j, b and arrays
/// like MatrixProduct::epilogue. Example: the largest magnitude of each row:
///
///     {.name = "amax", .operation = Reduce::maximum, .over = Over::columns, .of = Expression("abs(x)")}
///
/// Results have the data type in which epilogues compute: the product's data type, or float32 where accumulators are
/// int32. They are written to the array bound to the plan under this name: contiguous, one matrix of the batch after
/// the other. Each execution overwrites them. Over no elements, a sum is 0, a maximum −∞ and a minimum ∞. The same data
/// give the same bits for any number of threads.
struct Reduction {
    std::string name;
    Reduce operation = Reduce::sum;
    Over over = Over::all;
    Expression of = {}; ///< real; default: x, where x is real
    SWIRL_API friend bool operator==(const Reduction& a, const Reduction& b);
    friend bool operator!=(const Reduction& a, const Reduction& b) { return !(a == b); }
};

} // namespace swirl
