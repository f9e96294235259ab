#pragma once

#include <swirl/data_type.hpp>
#include <swirl/reduction.hpp>

#include "base/integer.hpp"

/// Reductions without generated code: the fallback where none can run, with the same bits.
namespace swirl::planning {

struct ExpressionCall;

/// A block of finished elements.
struct HostElements {
    DataType data_type = DataType::float32;
    const void* first = nullptr;
    Integer row_stride = 1, column_stride = 1;
    Integer rows = 0, columns = 0;
};

/// What no elements give: 0, −∞, ∞.
double identity_of(Reduce operation);

/// Combines a block's elements with partial results, as gemm::elementwise does.
void reduce_on_host(const ExpressionCall& call, Reduce operation, Over over, const HostElements& c,
                    double* to);

/// Combines partial results, all of one block after those of the previous one, and stores them in the real type of
/// `data_type`.
void combine_on_host(Reduce operation, const double* partials, Integer results, Integer partials_of_result,
                     DataType data_type, void* to);

} // namespace swirl::planning
