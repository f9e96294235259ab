#pragma once

#include "base/error.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"

namespace swirl {

// Keywords of the text form of a problem; <swirl/transform.hpp> has the grammar.

const char* name_of(TransformKind kind);
const char* name_of(Direction direction);
const char* name_of(ComplexLayout layout);
const char* name_of(Placement placement);

} // namespace swirl
