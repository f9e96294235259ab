#pragma once

#include <cstdint>

namespace swirl::target::x86 {

/// What ir::Instruction::encoding holds for x86 instructions. jit/ maps it to the encoder's numbers, with the legacy
/// form on SSE2 and the VEX or EVEX form elsewhere.
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
    blendmps, ///< the immediate is the mask register's contents
    blendmpd,
    permps_index, ///< one source; the index vector comes from the lane map
    permpd_index,
    permt2ps, ///< two sources; the index vector comes from the lane map
    permt2pd,
    expanded,            ///< no single instruction: the encoder makes a sequence from the lane map
    rounded_to_bfloat16, ///< two or three instructions each
    pairs_of_bfloat16,
    largest_magnitude,
    least_magnitude,
    tdpbf16ps, ///< tiles: the first operand is added to
    tdpbssd,
    tdpbsud,
    tdpbusd,
    tdpbuud,
    dpbf16ps, ///< vectors: the first operand is added to
    dpbusd,
    pmaddwd,
    count,
};

} // namespace swirl::target::x86
