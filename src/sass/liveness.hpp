#pragma once

#include "sass/registers.hpp"

#include <bitset>

namespace swirl::sass {

using RegisterSet = std::bitset<zero_register + 1>;

/// Registers live before each instruction. An unknown instruction may read all.
std::vector<RegisterSet> live_registers(const Code& code);

} // namespace swirl::sass
