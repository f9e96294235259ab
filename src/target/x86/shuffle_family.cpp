#include "target/x86/tables.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace swirl::target::x86 {

namespace {

int unpack(int lane, int lanes, int per_block, bool high) {
    const int block = lane / per_block * per_block;
    const int within = lane % per_block;
    return block + within / 2 + (high ? per_block / 2 : 0) + (within % 2) * lanes;
}

} // namespace

int source_lane(const ShuffleFamily& family, int lane, int immediate) {
    if (!family.pairs) return family.source(lane, immediate, family.lanes);
    const int pair = family.source(lane / 2, immediate, family.lanes / 2);
    return pair == ShuffleFamily::invalid ? pair : pair * 2 + lane % 2;
}

int unpack_low_32(int lane, int, int lanes) { return unpack(lane, lanes, 4, false); }
int unpack_high_32(int lane, int, int lanes) { return unpack(lane, lanes, 4, true); }
int unpack_low_64(int lane, int, int lanes) { return unpack(lane, lanes, 2, false); }
int unpack_high_64(int lane, int, int lanes) { return unpack(lane, lanes, 2, true); }

int shuffle_32(int lane, int immediate, int lanes) {
    const int within = lane % 4;
    return lane - within + (immediate >> (2 * within) & 3) + (within / 2) * lanes;
}

int shuffle_64(int lane, int immediate, int lanes) {
    const int within = lane % 2;
    return lane - within + (immediate >> lane & 1) + within * lanes;
}

int permute_in_block_32(int lane, int immediate, int) {
    const int within = lane % 4;
    return lane - within + (immediate >> (2 * within) & 3);
}

int permute_in_block_64(int lane, int immediate, int) { return lane - lane % 2 + (immediate >> lane & 1); }

int permute_in_256(int lane, int immediate, int lanes) { return permute_in_block_32(lane, immediate, lanes); }

int blend(int lane, int immediate, int lanes) { return lane + (immediate >> lane & 1) * lanes; }

int align(int lane, int immediate, int lanes) {
    const int position = lane + immediate;
    return position < lanes ? lanes + position : position - lanes;
}

int solve_immediate(const ShuffleFamily& family, std::span<const std::int8_t> lane_map) {
    const auto matches = [&](int immediate) {
        for (int lane = 0; lane < family.lanes; ++lane) {
            const int wanted = lane_map[static_cast<std::size_t>(lane)];
            if (wanted >= 0 && wanted != source_lane(family, lane, immediate)) return false;
        }
        return true;
    };
    if (family.source == blend) {
        int immediate = 0;
        for (int lane = 0; lane < family.lanes; ++lane)
            immediate |= (lane_map[static_cast<std::size_t>(lane)] >= family.lanes ? 1 : 0) << lane;
        return matches(immediate) ? immediate : -1;
    }
    for (int immediate = 0; immediate < std::max(family.immediates, 1); ++immediate)
        if (matches(immediate)) return immediate;
    return -1;
}

std::span<const ShuffleFamily* const> shuffle_families(InstructionSet set) {
    using Families = std::vector<const ShuffleFamily*>;
    const auto collect = [](std::initializer_list<std::span<const ShuffleFamily>> tables) {
        Families all;
        for (const auto& table : tables)
            for (const ShuffleFamily& family : table) all.push_back(&family);
        return all;
    };
    static const Families sse2 = collect({sse2_shuffles()});
    static const Families avx2 = collect({avx2_shuffles()});
    static const Families avx512 = collect({avx512_shuffles(), avx2_shuffles()});
    switch (set) {
    case InstructionSet::portable: return {};
    case InstructionSet::sse2: return sse2;
    case InstructionSet::avx2_fma: return avx2;
    case InstructionSet::avx512: return avx512;
    }
    return {};
}

} // namespace swirl::target::x86
