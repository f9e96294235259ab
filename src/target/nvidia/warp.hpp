#pragma once

#include "ir/instruction.hpp"

namespace swirl::target {

constexpr int warp_threads = 32;

/// The float32 value of the thread whose lane id is the own one XOR `distance`, a power of two below 32
/// (shfl.sync.bfly). All threads of a warp execute it.
const ir::Instruction& warp_exchange(int distance);

} // namespace swirl::target
