#pragma once

#include "ir/type.hpp"
#include "target/cpu.hpp"
#include "target/x86/mnemonic.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace swirl::target {

/// Short names for the tables.
inline constexpr DataType f32 = DataType::float32, f64 = DataType::float64;

/// All immediates of one shuffle instruction, for one vector type and instruction set.
struct ShuffleFamily {
    std::string_view name;                        ///< of the operation; lanes and immediate are appended
    x86::Mnemonic mnemonic = x86::Mnemonic::none; ///< for the encoder; none: emitted as text only
    DataType scalar;
    int lanes;
    int sources;        ///< 1 or 2 vector operands
    int immediates = 0; ///< number of immediates (0…immediates−1), 0: the instruction has none
    std::string_view intrinsic = {}; ///< as spelled in <immintrin.h> or <arm_neon.h>
    std::string_view ports = {};     ///< by the source that the table cites
    int latency = 1;                 ///< cycles, by the same source
    bool pairs = false;              ///< moves pairs of 32-bit lanes: `source` counts 64-bit lanes

    /// Index into a ‖ b of result lane `lane` for `immediate`, or `invalid`.
    int (*source)(int lane, int immediate, int lanes) = nullptr;

    /// Immediates listed in Cpu::instructions; any other is found by its lane map.
    std::array<int, 8> notable = {-1, -1, -1, -1, -1, -1, -1, -1};

    static constexpr int invalid = 127;
};

/// `source`, with pairs expanded to single lanes.
int source_lane(const ShuffleFamily& family, int lane, int immediate);

/// In order of preference within one type.
std::span<const ShuffleFamily* const> shuffle_families(InstructionSet set);

/// The immediate with which the family has this lane map (−1 in the map: don't care; 0 if the family has no
/// immediates), or −1 if there is none.
int solve_immediate(const ShuffleFamily& family, std::span<const std::int8_t> lane_map);

} // namespace swirl::target
