#include "target/x86/lane_functions.hpp"
#include "target/x86/tables.hpp"

// On vectors of 16 and 32 bytes the integer forms vpunpck* and the shuffles vshufp* run on two ports; vunpck*p* and
// everything that crosses 128-bit blocks runs on one (uops.info, Golden Cove). The integer forms have no bypass delay
// there.

namespace swirl::target::x86 {

namespace {

/// vperm2f128 without its zeroing bits 3 and 7.
int permute_blocks(int lane, int immediate, int lanes) {
    if (immediate & 0xcc) return ShuffleFamily::invalid;
    const int half = lanes / 2;
    const int block = immediate >> (lane < half ? 0 : 4) & 3;
    return block / 2 * lanes + block % 2 * half + lane % half;
}

// clang-format off
constexpr ShuffleFamily avx2_table[] = {
    // float64x4
    {.name = "interleave_low", .mnemonic = Mnemonic::punpcklqdq, .scalar = f64, .lanes = 4, .sources = 2,   // [a0 b0 a2 b2]
     .intrinsic = "_mm256_unpacklo_pd", .ports = "15", .source = unpack_low_64},
    {.name = "interleave_high", .mnemonic = Mnemonic::punpckhqdq, .scalar = f64, .lanes = 4, .sources = 2,  // [a1 b1 a3 b3]
     .intrinsic = "_mm256_unpackhi_pd", .ports = "15", .source = unpack_high_64},
    {.name = "blend", .mnemonic = Mnemonic::blendpd, .scalar = f64, .lanes = 4, .sources = 2, .immediates = 16,
     .intrinsic = "_mm256_blend_pd", .ports = "015", .source = blend, .notable = {0x3, 0xc, 0x5, 0xa, -1, -1, -1, -1}},
    {.name = "permute_in_block", .mnemonic = Mnemonic::permilpd, .scalar = f64, .lanes = 4, .sources = 1, .immediates = 16,
     .intrinsic = "_mm256_permute_pd", .ports = "15", .source = permute_in_block_64, .notable = {0x5, 0x0, 0xf, -1, -1, -1, -1, -1}},
    {.name = "shuffle", .mnemonic = Mnemonic::shufpd, .scalar = f64, .lanes = 4, .sources = 2, .immediates = 16,
     .intrinsic = "_mm256_shuffle_pd", .ports = "15", .source = shuffle_64, .notable = {0x5, 0xa, -1, -1, -1, -1, -1, -1}},
    {.name = "permute", .mnemonic = Mnemonic::permpd, .scalar = f64, .lanes = 4, .sources = 1, .immediates = 256,
     .intrinsic = "_mm256_permute4x64_pd", .ports = "5", .latency = 3, .source = permute_in_256,
     .notable = {0xd8, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "permute_blocks", .mnemonic = Mnemonic::perm2f128, .scalar = f64, .lanes = 4, .sources = 2, .immediates = 256,
     .intrinsic = "_mm256_permute2f128_pd", .ports = "5", .latency = 3, .source = permute_blocks,
     .notable = {0x20, 0x31, 0x21, -1, -1, -1, -1, -1}},

    // float32x8
    {.name = "interleave_low", .mnemonic = Mnemonic::punpckldq, .scalar = f32, .lanes = 8, .sources = 2,    // [a0 b0 a1 b1 …]
     .intrinsic = "_mm256_unpacklo_ps", .ports = "15", .source = unpack_low_32},
    {.name = "interleave_high", .mnemonic = Mnemonic::punpckhdq, .scalar = f32, .lanes = 8, .sources = 2,   // [a2 b2 a3 b3 …]
     .intrinsic = "_mm256_unpackhi_ps", .ports = "15", .source = unpack_high_32},
    {.name = "interleave_low_pairs", .mnemonic = Mnemonic::punpcklqdq, .scalar = f32, .lanes = 8, .sources = 2,
     .ports = "15", .pairs = true, .source = unpack_low_64},                                                // [a0 a1 b0 b1 …]
    {.name = "interleave_high_pairs", .mnemonic = Mnemonic::punpckhqdq, .scalar = f32, .lanes = 8, .sources = 2,
     .ports = "15", .pairs = true, .source = unpack_high_64},                                               // [a2 a3 b2 b3 …]
    {.name = "blend", .mnemonic = Mnemonic::blendps, .scalar = f32, .lanes = 8, .sources = 2, .immediates = 256,
     .intrinsic = "_mm256_blend_ps", .ports = "015", .source = blend, .notable = {0x0f, 0xf0, 0x55, 0xaa, 0x33, 0xcc, -1, -1}},
    {.name = "permute_in_block", .mnemonic = Mnemonic::permilps, .scalar = f32, .lanes = 8, .sources = 1, .immediates = 256,
     .intrinsic = "_mm256_permute_ps", .ports = "15", .source = permute_in_block_32, .notable = {0xb1, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "shuffle", .mnemonic = Mnemonic::shufps, .scalar = f32, .lanes = 8, .sources = 2, .immediates = 256,
     .intrinsic = "_mm256_shuffle_ps", .ports = "15", .source = shuffle_32, .notable = {0x88, 0xdd, 0x44, 0xee, -1, -1, -1, -1}},
    {.name = "shuffle_pairs", .mnemonic = Mnemonic::shufpd, .scalar = f32, .lanes = 8, .sources = 2, .immediates = 16,
     .ports = "15", .pairs = true, .source = shuffle_64, .notable = {0x5, 0xa, -1, -1, -1, -1, -1, -1}},
    {.name = "permute_pairs", .mnemonic = Mnemonic::permpd, .scalar = f32, .lanes = 8, .sources = 1, .immediates = 256,
     .ports = "5", .latency = 3, .pairs = true, .source = permute_in_256, .notable = {0xd8, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "permute_blocks", .mnemonic = Mnemonic::perm2f128, .scalar = f32, .lanes = 8, .sources = 2, .immediates = 256,
     .intrinsic = "_mm256_permute2f128_ps", .ports = "5", .latency = 3, .source = permute_blocks,
     .notable = {0x20, 0x31, 0x21, -1, -1, -1, -1, -1}},

    // float64x2
    {.name = "interleave_low", .mnemonic = Mnemonic::punpcklqdq, .scalar = f64, .lanes = 2, .sources = 2,   // [a0 b0]
     .intrinsic = "_mm_unpacklo_pd", .ports = "15", .source = unpack_low_64},
    {.name = "interleave_high", .mnemonic = Mnemonic::punpckhqdq, .scalar = f64, .lanes = 2, .sources = 2,  // [a1 b1]
     .intrinsic = "_mm_unpackhi_pd", .ports = "15", .source = unpack_high_64},
    {.name = "blend", .mnemonic = Mnemonic::blendpd, .scalar = f64, .lanes = 2, .sources = 2, .immediates = 4,
     .intrinsic = "_mm_blend_pd", .ports = "015", .source = blend, .notable = {1, 2, -1, -1, -1, -1, -1, -1}},
    {.name = "permute_in_block", .mnemonic = Mnemonic::permilpd, .scalar = f64, .lanes = 2, .sources = 1, .immediates = 4,
     .intrinsic = "_mm_permute_pd", .ports = "15", .source = permute_in_block_64, .notable = {0, 1, 3, -1, -1, -1, -1, -1}},
    {.name = "shuffle", .mnemonic = Mnemonic::shufpd, .scalar = f64, .lanes = 2, .sources = 2, .immediates = 4,
     .intrinsic = "_mm_shuffle_pd", .ports = "15", .source = shuffle_64, .notable = {1, -1, -1, -1, -1, -1, -1, -1}},

    // float32x4
    {.name = "interleave_low", .mnemonic = Mnemonic::punpckldq, .scalar = f32, .lanes = 4, .sources = 2,    // [a0 b0 a1 b1]
     .intrinsic = "_mm_unpacklo_ps", .ports = "15", .source = unpack_low_32},
    {.name = "interleave_high", .mnemonic = Mnemonic::punpckhdq, .scalar = f32, .lanes = 4, .sources = 2,   // [a2 b2 a3 b3]
     .intrinsic = "_mm_unpackhi_ps", .ports = "15", .source = unpack_high_32},
    {.name = "interleave_low_pairs", .mnemonic = Mnemonic::punpcklqdq, .scalar = f32, .lanes = 4, .sources = 2,
     .intrinsic = "_mm_movelh_ps", .ports = "15", .pairs = true, .source = unpack_low_64},                  // [a0 a1 b0 b1]
    {.name = "interleave_high_pairs", .mnemonic = Mnemonic::punpckhqdq, .scalar = f32, .lanes = 4, .sources = 2,
     .ports = "15", .pairs = true, .source = unpack_high_64},                                               // [a2 a3 b2 b3]
    {.name = "blend", .mnemonic = Mnemonic::blendps, .scalar = f32, .lanes = 4, .sources = 2, .immediates = 16,
     .intrinsic = "_mm_blend_ps", .ports = "015", .source = blend, .notable = {0x3, 0xc, 0x5, 0xa, -1, -1, -1, -1}},
    {.name = "permute_in_block", .mnemonic = Mnemonic::permilps, .scalar = f32, .lanes = 4, .sources = 1, .immediates = 256,
     .intrinsic = "_mm_permute_ps", .ports = "15", .source = permute_in_block_32, .notable = {0xb1, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "shuffle", .mnemonic = Mnemonic::shufps, .scalar = f32, .lanes = 4, .sources = 2, .immediates = 256,
     .intrinsic = "_mm_shuffle_ps", .ports = "15", .source = shuffle_32, .notable = {0x88, 0xdd, 0x44, 0xee, -1, -1, -1, -1}},
};
// clang-format on

} // namespace

std::span<const ShuffleFamily> avx2_shuffles() { return avx2_table; }

} // namespace swirl::target::x86
