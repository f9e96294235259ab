#pragma once

#include "ir/program.hpp"
#include "target/cpu.hpp"

namespace swirl::passes {

/// Replaces every shuffle of floating-point lanes by the CPU's cheapest instruction with that lane map.
/// Keeps the shuffles for the portable CPU, which has no instructions.
ir::Program select_instructions(ir::Program program, const target::Cpu& cpu);

} // namespace swirl::passes
