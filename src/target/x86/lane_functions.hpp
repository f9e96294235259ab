#pragma once

/// Source lanes of x86 shuffles, in the form of ShuffleFamily::source (Intel SDM volume 2); `block` is a 128-bit lane.
namespace swirl::target::x86 {

int unpack_low_32(int lane, int immediate, int lanes);
int unpack_high_32(int lane, int immediate, int lanes);
int unpack_low_64(int lane, int immediate, int lanes);
int unpack_high_64(int lane, int immediate, int lanes);
int shuffle_32(int lane, int immediate, int lanes);          ///< shufps
int shuffle_64(int lane, int immediate, int lanes);          ///< shufpd
int permute_in_block_32(int lane, int immediate, int lanes); ///< permilps, pshufd
int permute_in_block_64(int lane, int immediate, int lanes); ///< permilpd
int permute_in_256(int lane, int immediate, int lanes);      ///< vpermpd with an immediate
int blend(int lane, int immediate, int lanes);               ///< bit l of the immediate: lane l from b
int align(int lane, int immediate, int lanes);               ///< (second ‖ first operand) shifted down

} // namespace swirl::target::x86
