#pragma once

#include <swirl/element.hpp>

#include "plan/gemm/cpu/code.hpp"

/// What the routines' products are computed with. The BLAS has no plans that could hold it: it is made at a data type's
/// first product, by the schedule that wisdom has then, and stays as long as the process.
namespace swirl::blas {

const planning::MatrixCode& code_for(DataType data_type);
template <class T> const planning::MatrixCode& code_for() { return code_for(data_type_of<T>()); }

} // namespace swirl::blas
