#pragma once

#include "base/error.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"

#include <string>
#include <string_view>

namespace swirl {

// Keywords of the text form of a problem; <swirl/transform.hpp> has the grammar.

const char* name_of(TransformKind kind);
/// The keyword of the problem's kind, or those of its kinds: "dct2,dst3".
std::string kind_text(const Transform& problem);
const char* name_of(Direction direction);
const char* name_of(ComplexLayout layout);
const char* name_of(Placement placement);

/// Whether the first word of a problem's text names a matrix multiplication.
bool names_product(std::string_view text);

} // namespace swirl
