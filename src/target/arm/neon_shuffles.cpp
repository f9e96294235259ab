#include "target/arm/tables.hpp"

// Advanced SIMD of AArch64. Meanings: Arm Architecture Reference Manual, section C7.2. Latency is two cycles on any of
// the vector pipelines (Arm Neoverse N1 Software Optimization Guide, section 3.17). Entries without an intrinsic are
// those whose intrinsic takes different operands; compilers recognise them by their lane maps.

namespace swirl::target::arm {

namespace {

int zip_low(int lane, int, int lanes) { return lane / 2 + lane % 2 * lanes; }
int zip_high(int lane, int, int lanes) { return (lanes + lane) / 2 + lane % 2 * lanes; }
int unzip_even(int lane, int, int) { return 2 * lane; }
int unzip_odd(int lane, int, int) { return 2 * lane + 1; }
int transpose_even(int lane, int, int lanes) { return lane - lane % 2 + lane % 2 * lanes; }
int transpose_odd(int lane, int, int lanes) { return lane - lane % 2 + 1 + lane % 2 * lanes; }
int extract(int lane, int immediate, int) { return lane + immediate; }
int duplicate(int, int immediate, int) { return immediate; }
int reverse_pairs(int lane, int, int) { return lane ^ 1; }

/// ins: replaces lane immediate / lanes with lane immediate % lanes of b.
int insert(int lane, int immediate, int lanes) {
    return lane == immediate / lanes ? lanes + immediate % lanes : lane;
}

// clang-format off
constexpr ShuffleFamily neon_table[] = {
    // float64x2
    {.name = "neon_zip_low", .scalar = f64, .lanes = 2, .sources = 2,                                         // [a0 b0]
     .intrinsic = "vzip1q_f64", .ports = "V", .latency = 2, .source = zip_low},
    {.name = "neon_zip_high", .scalar = f64, .lanes = 2, .sources = 2,                                        // [a1 b1]
     .intrinsic = "vzip2q_f64", .ports = "V", .latency = 2, .source = zip_high},
    {.name = "neon_extract", .scalar = f64, .lanes = 2, .sources = 2, .immediates = 2,                        // 1: [a1 b0]
     .intrinsic = "vextq_f64", .ports = "V", .latency = 2, .source = extract, .notable = {1, -1, -1, -1, -1, -1, -1, -1}},
    {.name = "neon_insert", .scalar = f64, .lanes = 2, .sources = 2, .immediates = 4,                         // 3: [a0 b1]
     .ports = "V", .latency = 2, .source = insert, .notable = {3, 0, -1, -1, -1, -1, -1, -1}},
    {.name = "neon_duplicate", .scalar = f64, .lanes = 2, .sources = 1, .immediates = 2,
     .intrinsic = "vdupq_laneq_f64", .ports = "V", .latency = 2, .source = duplicate, .notable = {0, 1, -1, -1, -1, -1, -1, -1}},

    // float32x4
    {.name = "neon_zip_low", .scalar = f32, .lanes = 4, .sources = 2,                                         // [a0 b0 a1 b1]
     .intrinsic = "vzip1q_f32", .ports = "V", .latency = 2, .source = zip_low},
    {.name = "neon_zip_high", .scalar = f32, .lanes = 4, .sources = 2,                                        // [a2 b2 a3 b3]
     .intrinsic = "vzip2q_f32", .ports = "V", .latency = 2, .source = zip_high},
    {.name = "neon_unzip_even", .scalar = f32, .lanes = 4, .sources = 2,                                      // [a0 a2 b0 b2]
     .intrinsic = "vuzp1q_f32", .ports = "V", .latency = 2, .source = unzip_even},
    {.name = "neon_unzip_odd", .scalar = f32, .lanes = 4, .sources = 2,                                       // [a1 a3 b1 b3]
     .intrinsic = "vuzp2q_f32", .ports = "V", .latency = 2, .source = unzip_odd},
    {.name = "neon_transpose_even", .scalar = f32, .lanes = 4, .sources = 2,                                  // [a0 b0 a2 b2]
     .intrinsic = "vtrn1q_f32", .ports = "V", .latency = 2, .source = transpose_even},
    {.name = "neon_transpose_odd", .scalar = f32, .lanes = 4, .sources = 2,                                   // [a1 b1 a3 b3]
     .intrinsic = "vtrn2q_f32", .ports = "V", .latency = 2, .source = transpose_odd},
    {.name = "neon_zip_low_pairs", .scalar = f32, .lanes = 4, .sources = 2,                                   // [a0 a1 b0 b1]
     .intrinsic = "vzip1q_f64", .ports = "V", .latency = 2, .pairs = true, .source = zip_low},
    {.name = "neon_zip_high_pairs", .scalar = f32, .lanes = 4, .sources = 2,                                  // [a2 a3 b2 b3]
     .intrinsic = "vzip2q_f64", .ports = "V", .latency = 2, .pairs = true, .source = zip_high},
    {.name = "neon_extract", .scalar = f32, .lanes = 4, .sources = 2, .immediates = 4,                        // 1: [a1 a2 a3 b0]
     .intrinsic = "vextq_f32", .ports = "V", .latency = 2, .source = extract, .notable = {1, 2, 3, -1, -1, -1, -1, -1}},
    {.name = "neon_insert_pairs", .scalar = f32, .lanes = 4, .sources = 2, .immediates = 4,                   // 3: [a0 a1 b2 b3]
     .ports = "V", .latency = 2, .pairs = true, .source = insert, .notable = {3, 0, -1, -1, -1, -1, -1, -1}},
    {.name = "neon_insert", .scalar = f32, .lanes = 4, .sources = 2, .immediates = 16,                        // 6: [a0 b2 a2 a3]
     .ports = "V", .latency = 2, .source = insert, .notable = {5, 15, -1, -1, -1, -1, -1, -1}},
    {.name = "neon_reverse_pairs", .scalar = f32, .lanes = 4, .sources = 1,                                   // [a1 a0 a3 a2]
     .intrinsic = "vrev64q_f32", .ports = "V", .latency = 2, .source = reverse_pairs},
    {.name = "neon_duplicate", .scalar = f32, .lanes = 4, .sources = 1, .immediates = 4,
     .intrinsic = "vdupq_laneq_f32", .ports = "V", .latency = 2, .source = duplicate, .notable = {0, 1, 2, 3, -1, -1, -1, -1}},

    // float32x2: half a register
    {.name = "neon_zip_low", .scalar = f32, .lanes = 2, .sources = 2,                                         // [a0 b0]
     .intrinsic = "vzip1_f32", .ports = "V", .latency = 2, .source = zip_low},
    {.name = "neon_zip_high", .scalar = f32, .lanes = 2, .sources = 2,                                        // [a1 b1]
     .intrinsic = "vzip2_f32", .ports = "V", .latency = 2, .source = zip_high},
    {.name = "neon_extract", .scalar = f32, .lanes = 2, .sources = 2, .immediates = 2,                        // 1: [a1 b0]
     .intrinsic = "vext_f32", .ports = "V", .latency = 2, .source = extract, .notable = {1, -1, -1, -1, -1, -1, -1, -1}},
    {.name = "neon_insert", .scalar = f32, .lanes = 2, .sources = 2, .immediates = 4,                         // 3: [a0 b1]
     .ports = "V", .latency = 2, .source = insert, .notable = {3, 0, -1, -1, -1, -1, -1, -1}},
    {.name = "neon_reverse_pairs", .scalar = f32, .lanes = 2, .sources = 1,                                   // [a1 a0]
     .intrinsic = "vrev64_f32", .ports = "V", .latency = 2, .source = reverse_pairs},
    {.name = "neon_duplicate", .scalar = f32, .lanes = 2, .sources = 1, .immediates = 2,
     .intrinsic = "vdup_lane_f32", .ports = "V", .latency = 2, .source = duplicate, .notable = {0, 1, -1, -1, -1, -1, -1, -1}},
};
// clang-format on

} // namespace

std::span<const ShuffleFamily> neon_shuffles() { return neon_table; }

} // namespace swirl::target::arm
