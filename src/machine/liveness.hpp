#pragma once

#include "machine/registers.hpp"

#include <bitset>

namespace swirl::machine {

using RegisterSet = std::bitset<zero_register + 1>;

/// Registers that somebody may still read, before each instruction. An instruction that is not understood may read all.
std::vector<RegisterSet> live_registers(const Code& code);

} // namespace swirl::machine
