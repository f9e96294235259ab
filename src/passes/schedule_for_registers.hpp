#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Orders each straight-line block so that few values are live at a time, whatever the number of registers: genfft's
/// recursive bisection (Frigo 1999, section 6). Operations nearer to the inputs precede those nearer to the outputs,
/// recursively within each half and each connected component.
///
/// Loads, constants and splats of them come just before their first use, stores just after their value. Accesses that
/// may alias keep their order, so a load crosses a store only if they are known to be disjoint.
ir::Program schedule_for_registers(ir::Program program);

} // namespace swirl::passes
