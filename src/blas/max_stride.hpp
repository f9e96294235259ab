#pragma once

#include <swirl/kinds.hpp>

namespace swirl::blas {

/// Elements between the columns, or rows, of matrices of the BLAS: more than memory has room for.
constexpr Integer max_stride = Integer{1} << 36;

} // namespace swirl::blas
