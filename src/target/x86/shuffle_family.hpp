#pragma once

#include "ir/type.hpp"
#include "target/cpu.hpp"
#include "target/x86/mnemonic.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace swirl::target::x86 {

/// All immediates of one shuffle instruction on one element type and one CPU.
struct ShuffleFamily {
    std::string_view name; ///< of the operation; lanes and immediate are appended
    Mnemonic mnemonic;
    ir::Scalar scalar;
    int lanes;
    int sources;        ///< 1 or 2 vector operands
    int immediates = 0; ///< number of immediates (0…immediates−1), 0: the instruction has none
    std::string_view intrinsic = {}; ///< as <immintrin.h> spells it
    std::string_view ports = {};     ///< uops.info, Golden Cove
    int latency = 1;                 ///< cycles, uops.info, Golden Cove
    bool pairs = false;              ///< moves pairs of 32-bit lanes: `source` is meant on 64-bit lanes

    /// Index into a ‖ b of result lane `lane` for `immediate`, or `invalid`.
    int (*source)(int lane, int immediate, int lanes) = nullptr;

    /// Immediates worth listing in Cpu::instructions; any other is found by its lane map.
    std::array<int, 8> notable = {-1, -1, -1, -1, -1, -1, -1, -1};

    static constexpr int invalid = 127;
};

/// `source`, with pairs spread to single lanes.
int source_lane(const ShuffleFamily& family, int lane, int immediate);

/// In order of preference within one type.
std::span<const ShuffleFamily* const> shuffle_families(InstructionSet set);

/// The immediate with which the family has this lane map (−1 in it: anything; 0 if the family has no immediates), or
/// −1 if there is none.
int solve_immediate(const ShuffleFamily& family, std::span<const std::int8_t> lane_map);

// Lane functions shared by the tables (Intel SDM volume 2); `block` is a 128-bit lane.
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
