#pragma once

#include <swirl/reduction.hpp>

#include "gemm/epilogue.hpp"
#include "ir/program.hpp"

#include <variant>

namespace swirl::gemm {

/// What β makes of an element x before the expression.
enum class BetaTerm : std::uint8_t {
    none,     ///< x
    adds_c,   ///< x + β·C; C has the elements' type
    scales_x, ///< β·x
    clears_x, ///< 0, which is β·x for β = 0: x is not read
};

/// Elements are stored in this type.
struct StoredElements {
    DataType type = DataType::float32;
    Integer row_stride = 1;   ///< of C, in elements; not 0
    bool is_in_place = false; ///< results replace the elements, which have as many bytes
    BetaTerm beta = BetaTerm::none;
    bool operator==(const StoredElements&) const = default;
};

/// Elements are reduced to float64 partial results.
struct ReducedElements {
    Reduce operation = Reduce::sum;
    Over over = Over::all;
    bool operator==(const ReducedElements&) const = default;
};

/// A kernel over finished elements in memory: evaluates an expression for each and stores or reduces the results.
struct ElementwiseKernel {
    DataType data_type =
        DataType::float32;    ///< of the elements: the accumulators', or float32 where these are int32
    Epilogue expression = {}; ///< none: the element itself
    Integer row_stride = 1;   ///< of the elements; not 0
    std::variant<StoredElements, ReducedElements> result = {};
    int lanes = 1;              ///< elements in a vector
    int columns_at_once = 1;    ///< whose partial results are in registers
    int rest = 0;               ///< rows beyond the last multiple of rows_at_once
    bool has_rest_only = false; ///< there are fewer rows than rows_at_once
    bool has_fma = true;        ///< the CPU rounds a fused multiply-add once
    Integer max_rows = 1;       ///< bounds of the parameters
    Integer max_columns = 1;
    Integer max_stride = 1; ///< from one column to the next, in either direction
    bool operator==(const ElementwiseKernel&) const = default;
};

/// Partial results of each column that a reduction keeps: element i of a column belongs to partial i mod 8. The same on
/// all CPUs, so vectors of any length give the same bits.
constexpr int partials_in_column = 8;

/// Rows per iteration.
int rows_at_once(const ElementwiseKernel& kernel);
/// Whether there is a buffer `results`: else results replace elements of the same type.
bool has_results(const ElementwiseKernel& kernel);
BetaTerm beta_term(const ElementwiseKernel& kernel);
/// Whether there is a buffer `beta`.
bool reads_beta(const ElementwiseKernel& kernel);

/// The program. Buffers: `elements`, `results` unless they replace elements of their type, `beta` where it is read; then the
/// expression's operands, which start at the first element. Parameters, in this order:
///   rows           rounded down to a multiple of rows_at_once
///   whole_columns  rounded down to a multiple of columns_at_once
///   columns
///   column_stride  of the elements
///   result_stride  from one column of stored results to the next; only with `results` that are stored
///
/// Results of a reduction are float64 and are combined with what `results` holds: element i with partial result i over
/// columns, column j with j over rows, all with the first over all. Columns are combined in order, and over rows each
/// column's partials too.
ir::Program elementwise(const ElementwiseKernel& kernel);

} // namespace swirl::gemm
