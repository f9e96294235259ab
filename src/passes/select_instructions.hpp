#pragma once

#include "ir/program.hpp"
#include "target/cpu.hpp"

namespace swirl::passes {

/// Makes every shuffle of floating lanes the CPU's cheapest instruction with that lane map.
/// For the portable CPU, which has no instructions, shuffles stay.
ir::Program select_instructions(ir::Program program, const target::Cpu& cpu);

} // namespace swirl::passes
