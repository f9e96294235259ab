#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Orders each straight run so that few values are alive at a time, whatever the number of registers: genfft's
/// recursive bisection (Frigo 1999, section 6). The operations nearer to the inputs come before those nearer to the
/// outputs, and so on within each half and each connected part.
///
/// Loads, constants and splats of them come right before their first use, stores right after their value. Accesses
/// that may touch the same element keep their order; so a load crosses a store only if they are known to be disjoint.
ir::Program schedule_for_registers(ir::Program program);

} // namespace swirl::passes
