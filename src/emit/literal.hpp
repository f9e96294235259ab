#pragma once

#include "base/integer.hpp"
#include "ir/type.hpp"

#include <string>

namespace swirl::emit {

/// A C literal of type `scalar` with the value of `number` rounded to it: the shortest decimal that reads back to the
/// same bits. Infinities and NaN are the macros of <math.h>.
/// InternalError for 16-bit types, which have no literals in C.
std::string c_literal(long double value, DataType scalar);

/// A 64-bit integer constant; the minimum is spelled as an expression, as C requires.
std::string c_literal(Integer value);

/// A literal in PTX: the bits of a float in hexadecimal (0f…, 0d…), so that nothing rounds again. A 16-bit value
/// becomes the float32 that equals it.
std::string ptx_literal(long double value, DataType scalar);

/// The bits of a 16-bit value in hexadecimal, as C and PTX spell an integer.
std::string bits_literal(long double value, DataType scalar);

} // namespace swirl::emit
