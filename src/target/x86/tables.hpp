#pragma once

#include "target/shuffle_family.hpp"

namespace swirl::target::x86 {

std::span<const ShuffleFamily> sse2_shuffles();
std::span<const ShuffleFamily> avx2_shuffles();
std::span<const ShuffleFamily> avx512_shuffles();

} // namespace swirl::target::x86
