/// Numbers reduced over the result of a product of matrices: sums, largest and least ones.
#pragma once

#include <swirl/export.h>
#include <swirl/expression.hpp>

#include <cstdint>
#include <string>

namespace swirl {

enum class Reduce : std::uint8_t {
    sum,
    maximum, ///< NaN where any of the numbers is, as of the following
    minimum,
};

/// Which elements of C are taken together.
enum class Over : std::uint8_t {
    columns, ///< those of a row: one number for each row
    rows,    ///< those of a column: one number for each column
    all,     ///< one number
};

/// One number for each row or column of C, or for all of it, and that for each matrix of a batch: the sum, the greatest or the least of
/// `of`, an expression of the element x of C as the epilogue leaves it, before it is converted to what C's elements are in memory, of i,
/// j, b and arrays as in MatrixProduct::epilogue. Such as the greatest magnitude of each row:
///
///     {.name = "amax", .operation = Reduce::maximum, .over = Over::columns, .of = Expression("abs(x)")}
///
/// The numbers are of what epilogues compute with: the product's precision, float32 where sums are int32. They are written to the array that is given to
/// the plan by the name: contiguous, those of one matrix after the other. Each execution writes them anew; of no elements a sum is 0, the greatest −∞
/// and the least ∞. The same data give the same bits at any number of threads.
struct Reduction {
    std::string name;
    Reduce operation = Reduce::sum;
    Over over = Over::all;
    Expression of = {}; ///< real; x as it is, where nothing is said and x is real
    bool operator==(const Reduction&) const = default;
};

} // namespace swirl
