#pragma once

#include "lower/context.hpp"
#include "lower/factors.hpp"

namespace swirl::lower {

/// Emits a call's loops and its codelet's straight-line code. One loop becomes vector lanes when that pays.
void emit_call(Context& context, const Call& call);

} // namespace swirl::lower
