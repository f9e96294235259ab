#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Sums of products of narrow numbers, several in each lane of 32 bits, by lanes: 4, 8 or 16 of them. Narrow numbers are the bits
/// of int32 lanes, the lowest first.

/// c + a·b of two bfloat16: those in the upper halves, then those in the lower ones, each by a fused multiply-add. All rounds to
/// nearest, ties to even; subnormal numbers, read or computed, are zero (AVX-512 BF16, Intel SDM volume 2, VDPBF16PS).
const ir::Instruction& dot_product_of_bfloat16(int lanes);

/// c + a·b of four bytes, without sign in a, with sign in b; modulo 2^32 (AVX-512 VNNI or AVX-VNNI, VPDPBUSD).
const ir::Instruction& dot_product_of_bytes(int lanes);

/// a·b of two int16 (VPMADDWD); modulo 2^32.
const ir::Instruction& dot_product_of_int16(int lanes);

} // namespace swirl::target::x86
