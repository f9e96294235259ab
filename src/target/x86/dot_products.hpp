#pragma once

#include "ir/instruction.hpp"

namespace swirl::target::x86 {

/// Dot products of low-precision elements, several per 32-bit lane; `lanes` is 4, 8 or 16. The elements are packed in
/// int32 lanes, lowest bits first.

/// c + a·b of two bfloat16 per lane: first the upper halves, then the lower, each by a fused multiply-add. Rounds to
/// nearest, ties to even; subnormal inputs and results are flushed to zero (AVX-512 BF16, Intel SDM volume 2,
/// VDPBF16PS).
const ir::Instruction& dot_product_of_bfloat16(int lanes);

/// c + a·b of four bytes per lane, unsigned in a, signed in b; modulo 2^32 (AVX-512 VNNI or AVX-VNNI, VPDPBUSD).
const ir::Instruction& dot_product_of_bytes(int lanes);

/// a·b of two int16 per lane (VPMADDWD); modulo 2^32.
const ir::Instruction& dot_product_of_int16(int lanes);

} // namespace swirl::target::x86
