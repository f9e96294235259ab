#include "target/x86/lane_functions.hpp"
#include "target/x86/tables.hpp"

// 64-byte vectors; shorter ones use the AVX2 table. All but the blends run on port 5 alone (uops.info, Golden Cove), so
// a transposition costs one cycle per shuffle, whichever shuffles it uses.

namespace swirl::target::x86 {

namespace {

/// vshuff64x2, vshuff32x4: the lower two 128-bit blocks from a, the upper two from b.
int shuffle_blocks(int lane, int immediate, int lanes) {
    const int size = lanes / 4;
    const int block = lane / size;
    return (immediate >> (2 * block) & 3) * size + lane % size + block / 2 * lanes;
}

// clang-format off
constexpr ShuffleFamily avx512_table[] = {
    // float64x8
    {.name = "interleave_low", .mnemonic = Mnemonic::unpcklpd, .scalar = f64, .lanes = 8, .sources = 2,   // [a0 b0 a2 b2 a4 b4 a6 b6]
     .intrinsic = "_mm512_unpacklo_pd", .ports = "5", .source = unpack_low_64},
    {.name = "interleave_high", .mnemonic = Mnemonic::unpckhpd, .scalar = f64, .lanes = 8, .sources = 2,  // [a1 b1 a3 b3 a5 b5 a7 b7]
     .intrinsic = "_mm512_unpackhi_pd", .ports = "5", .source = unpack_high_64},
    {.name = "blend", .mnemonic = Mnemonic::blendmpd, .scalar = f64, .lanes = 8, .sources = 2, .immediates = 256,
     .ports = "05", .source = blend, .notable = {0x0f, 0xf0, 0x55, 0xaa, 0x33, 0xcc, -1, -1}},
    {.name = "permute_in_block", .mnemonic = Mnemonic::permilpd, .scalar = f64, .lanes = 8, .sources = 1, .immediates = 256,
     .intrinsic = "_mm512_permute_pd", .ports = "5", .source = permute_in_block_64, .notable = {0x55, 0x00, 0xff, -1, -1, -1, -1, -1}},
    {.name = "shuffle", .mnemonic = Mnemonic::shufpd, .scalar = f64, .lanes = 8, .sources = 2, .immediates = 256,
     .intrinsic = "_mm512_shuffle_pd", .ports = "5", .source = shuffle_64, .notable = {0x55, 0xaa, -1, -1, -1, -1, -1, -1}},
    {.name = "permute", .mnemonic = Mnemonic::permpd, .scalar = f64, .lanes = 8, .sources = 1, .immediates = 256,
     .intrinsic = "_mm512_permutex_pd", .ports = "5", .latency = 3, .source = permute_in_256,
     .notable = {0xd8, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "shuffle_blocks", .mnemonic = Mnemonic::shuff64x2, .scalar = f64, .lanes = 8, .sources = 2, .immediates = 256,
     .intrinsic = "_mm512_shuffle_f64x2", .ports = "5", .latency = 3, .source = shuffle_blocks,
     .notable = {0x88, 0xdd, 0x44, 0xee, 0x4e, -1, -1, -1}},
    {.name = "align", .mnemonic = Mnemonic::alignq, .scalar = f64, .lanes = 8, .sources = 2, .immediates = 8,
     .ports = "5", .latency = 3, .source = align, .notable = {1, 7, -1, -1, -1, -1, -1, -1}},

    // float32x16
    {.name = "interleave_low", .mnemonic = Mnemonic::unpcklps, .scalar = f32, .lanes = 16, .sources = 2,  // [a0 b0 a1 b1 …]
     .intrinsic = "_mm512_unpacklo_ps", .ports = "5", .source = unpack_low_32},
    {.name = "interleave_high", .mnemonic = Mnemonic::unpckhps, .scalar = f32, .lanes = 16, .sources = 2, // [a2 b2 a3 b3 …]
     .intrinsic = "_mm512_unpackhi_ps", .ports = "5", .source = unpack_high_32},
    {.name = "interleave_low_pairs", .mnemonic = Mnemonic::unpcklpd, .scalar = f32, .lanes = 16, .sources = 2,
     .ports = "5", .pairs = true, .source = unpack_low_64},                                               // [a0 a1 b0 b1 …]
    {.name = "interleave_high_pairs", .mnemonic = Mnemonic::unpckhpd, .scalar = f32, .lanes = 16, .sources = 2,
     .ports = "5", .pairs = true, .source = unpack_high_64},                                              // [a2 a3 b2 b3 …]
    {.name = "blend", .mnemonic = Mnemonic::blendmps, .scalar = f32, .lanes = 16, .sources = 2, .immediates = 65536,
     .ports = "05", .source = blend, .notable = {0x00ff, 0xff00, 0x5555, 0xaaaa, 0x3333, 0xcccc, 0x0f0f, 0xf0f0}},
    {.name = "permute_in_block", .mnemonic = Mnemonic::permilps, .scalar = f32, .lanes = 16, .sources = 1, .immediates = 256,
     .intrinsic = "_mm512_permute_ps", .ports = "5", .source = permute_in_block_32, .notable = {0xb1, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "shuffle", .mnemonic = Mnemonic::shufps, .scalar = f32, .lanes = 16, .sources = 2, .immediates = 256,
     .intrinsic = "_mm512_shuffle_ps", .ports = "5", .source = shuffle_32, .notable = {0x88, 0xdd, 0x44, 0xee, -1, -1, -1, -1}},
    {.name = "shuffle_pairs", .mnemonic = Mnemonic::shufpd, .scalar = f32, .lanes = 16, .sources = 2, .immediates = 256,
     .ports = "5", .pairs = true, .source = shuffle_64, .notable = {0x55, 0xaa, -1, -1, -1, -1, -1, -1}},
    {.name = "permute_pairs", .mnemonic = Mnemonic::permpd, .scalar = f32, .lanes = 16, .sources = 1, .immediates = 256,
     .ports = "5", .latency = 3, .pairs = true, .source = permute_in_256, .notable = {0xd8, 0x4e, 0x1b, -1, -1, -1, -1, -1}},
    {.name = "shuffle_blocks", .mnemonic = Mnemonic::shuff32x4, .scalar = f32, .lanes = 16, .sources = 2, .immediates = 256,
     .intrinsic = "_mm512_shuffle_f32x4", .ports = "5", .latency = 3, .source = shuffle_blocks,
     .notable = {0x88, 0xdd, 0x44, 0xee, 0x4e, -1, -1, -1}},
    {.name = "align", .mnemonic = Mnemonic::alignd, .scalar = f32, .lanes = 16, .sources = 2, .immediates = 16,
     .ports = "5", .latency = 3, .source = align, .notable = {1, 15, -1, -1, -1, -1, -1, -1}},
};
// clang-format on

} // namespace

std::span<const ShuffleFamily> avx512_shuffles() { return avx512_table; }

} // namespace swirl::target::x86
