#pragma once

#include "base/integer.hpp"
#include "ir/type.hpp"

#include <string>

namespace swirl::emit {

/// A C literal of scalar type `scalar` with the value of `number` rounded to it: the shortest decimal that reads
/// back to the same bits. Infinities and NaN are the macros of <math.h>.
/// Types of 16 bits have no literals in C: InternalError.
std::string c_literal(long double number, ir::Scalar scalar);

/// An integer constant of 64 bits; the least value is spelled as C allows.
std::string c_literal(Integer number);

/// The same in PTX: bits of a float in hexadecimal (0f…, 0d…), so that nobody rounds again. A number of 16 bits is the
/// float32 that holds it.
std::string ptx_literal(long double number, ir::Scalar scalar);

/// The bits of a number of 16 bits in hexadecimal, as C and PTX spell an integer.
std::string bits_literal(long double number, ir::Scalar scalar);

} // namespace swirl::emit
