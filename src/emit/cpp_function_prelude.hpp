#pragma once

#include "emit/cpp_prelude.hpp"

namespace swirl::emit {

/// Square roots, magnitudes and powers of two in emitted C++, as far as they are needed.
void write_function_helpers(SourceWriter& out, const PreludeNeeds& needs);

} // namespace swirl::emit
