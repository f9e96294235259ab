#pragma once

#include <swirl/reduction.hpp>

#include "ir/builder.hpp"

/// The arithmetic of reductions over C, on CPUs and GPUs.
namespace swirl::gemm {

/// The neutral element: 0, −∞, ∞.
ir::Value identity_of(ir::Builder& builder, ir::Type type, Reduce operation);
/// Of two scalars or vectors; NaN propagates.
ir::Value reduce_two(ir::Builder& builder, Reduce operation, ir::Value a, ir::Value b);

} // namespace swirl::gemm
