#pragma once

#include "ir/instruction.hpp"

namespace swirl::target {

constexpr int warp_threads = 32;

/// What the thread whose number differs in the bits of `distance`, a power of two below 32, has of a float32: all threads of a warp execute it.
const ir::Instruction& warp_exchange(int distance);

} // namespace swirl::target
