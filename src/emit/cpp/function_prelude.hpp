#pragma once

#include "emit/cpp/prelude.hpp"

namespace swirl::emit {

/// Helpers of emitted C++ for square roots, magnitudes and powers of two; writes only those needed.
void write_function_helpers(SourceWriter& out, const PreludeNeeds& needs);

} // namespace swirl::emit
