#pragma once

#include "target/shuffle_family.hpp"

namespace swirl::target::arm {

std::span<const ShuffleFamily> neon_shuffles();

} // namespace swirl::target::arm
