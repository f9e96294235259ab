#include "target/x86/lane_functions.hpp"
#include "target/x86/tables.hpp"

namespace swirl::target::x86 {

namespace {

// clang-format off
constexpr ShuffleFamily sse2_table[] = {
    {.name = "sse_interleave_low", .mnemonic = Mnemonic::unpcklpd, .scalar = f64, .lanes = 2, .sources = 2,   // [a0 b0]
     .intrinsic = "_mm_unpacklo_pd", .ports = "15", .source = unpack_low_64},
    {.name = "sse_interleave_high", .mnemonic = Mnemonic::unpckhpd, .scalar = f64, .lanes = 2, .sources = 2,  // [a1 b1]
     .intrinsic = "_mm_unpackhi_pd", .ports = "15", .source = unpack_high_64},
    {.name = "sse_shuffle", .mnemonic = Mnemonic::shufpd, .scalar = f64, .lanes = 2, .sources = 2, .immediates = 4,
     .intrinsic = "_mm_shuffle_pd", .ports = "15", .source = shuffle_64, .notable = {1, 2, -1, -1, -1, -1, -1, -1}},

    {.name = "sse_interleave_low", .mnemonic = Mnemonic::unpcklps, .scalar = f32, .lanes = 4, .sources = 2,   // [a0 b0 a1 b1]
     .intrinsic = "_mm_unpacklo_ps", .ports = "15", .source = unpack_low_32},
    {.name = "sse_interleave_high", .mnemonic = Mnemonic::unpckhps, .scalar = f32, .lanes = 4, .sources = 2,  // [a2 b2 a3 b3]
     .intrinsic = "_mm_unpackhi_ps", .ports = "15", .source = unpack_high_32},
    {.name = "sse_interleave_low_pairs", .mnemonic = Mnemonic::unpcklpd, .scalar = f32, .lanes = 4, .sources = 2,
     .intrinsic = "_mm_movelh_ps", .ports = "15", .pairs = true, .source = unpack_low_64},                // [a0 a1 b0 b1]
    {.name = "sse_interleave_high_pairs", .mnemonic = Mnemonic::unpckhpd, .scalar = f32, .lanes = 4, .sources = 2,
     .ports = "15", .pairs = true, .source = unpack_high_64},                                             // [a2 a3 b2 b3]
    {.name = "sse_permute_in_block", .mnemonic = Mnemonic::pshufd, .scalar = f32, .lanes = 4, .sources = 1, .immediates = 256,
     .ports = "15", .source = permute_in_block_32, .notable = {0xb1, 0x4e, 0x00, 0x1b, -1, -1, -1, -1}},
    {.name = "sse_shuffle", .mnemonic = Mnemonic::shufps, .scalar = f32, .lanes = 4, .sources = 2, .immediates = 256,
     .intrinsic = "_mm_shuffle_ps", .ports = "15", .source = shuffle_32,
     .notable = {0x88, 0xdd, 0x44, 0xee, -1, -1, -1, -1}},
};
// clang-format on

} // namespace

std::span<const ShuffleFamily> sse2_shuffles() { return sse2_table; }

} // namespace swirl::target::x86
