#pragma once

#include <cstdint>

namespace swirl::target::x86 {

/// Values of ir::Instruction::encoding for x86 instructions. jit/ maps them to the encoder's ids: the legacy form on
/// SSE2, the VEX or EVEX form elsewhere.
enum class Mnemonic : std::uint32_t {
    none,
    unpcklps,
    unpckhps,
    unpcklpd,
    unpckhpd,
    punpckldq,
    punpckhdq,
    punpcklqdq,
    punpckhqdq,
    shufps,
    shufpd,
    pshufd,
    permilps,
    permilpd,
    permpd,
    perm2f128,
    shuff32x4,
    shuff64x2,
    alignd,
    alignq,
    blendps,
    blendpd,
    blendmps, ///< the immediate is the contents of the mask register
    blendmpd,
    permps_index, ///< one source; the index vector comes from the lane map
    permpd_index,
    permt2ps, ///< two sources; the index vector comes from the lane map
    permt2pd,
    expanded,            ///< no single instruction: the encoder expands the lane map to a sequence
    rounded_to_bfloat16, ///< two or three instructions each
    pairs_of_bfloat16,
    largest_magnitude,
    least_magnitude,
    tdpbf16ps, ///< tiles: accumulates into the first operand
    tdpbssd,
    tdpbsud,
    tdpbusd,
    tdpbuud,
    dpbf16ps, ///< vectors: accumulates into the first operand
    dpbusd,
    pmaddwd,
    count,
};

} // namespace swirl::target::x86
