#pragma once

#include "base/error.hpp"
#include "problem/problem.hpp"

namespace swirl {

// The text of a problem and its grammar: see <swirl/problem.hpp>. Here, the words of that text.

const char* name_of(TransformKind kind);
const char* name_of(Direction direction);
const char* name_of(Precision precision);
const char* name_of(ComplexLayout layout);
const char* name_of(Placement placement);

} // namespace swirl
