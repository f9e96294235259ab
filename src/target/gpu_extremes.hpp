#pragma once

#include "ir/instruction.hpp"

namespace swirl::target {

/// The greater of two numbers of float32, NaN where one is; from compute capability 8.0 on, as the next.
const ir::Instruction& maximum_of_two();
const ir::Instruction& minimum_of_two();

} // namespace swirl::target
