#pragma once

#include "ir/instruction.hpp"

namespace swirl::target {

/// The greater of two float32 values, NaN if either is NaN. Both instructions need compute capability 8.0.
const ir::Instruction& float32_maximum();
const ir::Instruction& float32_minimum();

} // namespace swirl::target
