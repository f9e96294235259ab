#include "target/shuffle_family.hpp"

#include "target/arm/tables.hpp"
#include "target/x86/lane_functions.hpp"
#include "target/x86/tables.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace swirl::target {

int source_lane(const ShuffleFamily& family, int lane, int immediate) {
    if (!family.pairs) return family.source(lane, immediate, family.lanes);
    const int pair = family.source(lane / 2, immediate, family.lanes / 2);
    return pair == ShuffleFamily::invalid ? pair : pair * 2 + lane % 2;
}

int solve_immediate(const ShuffleFamily& family, std::span<const std::int8_t> lane_map) {
    const auto matches = [&](int immediate) {
        for (int lane = 0; lane < family.lanes; ++lane) {
            const int wanted = lane_map[static_cast<std::size_t>(lane)];
            if (wanted >= 0 && wanted != source_lane(family, lane, immediate)) return false;
        }
        return true;
    };
    if (family.source == x86::blend) {
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
    static const Families& sse2 = *new Families(collect({x86::sse2_shuffles()}));
    static const Families& avx2 = *new Families(collect({x86::avx2_shuffles()}));
    static const Families& avx512 = *new Families(collect({x86::avx512_shuffles(), x86::avx2_shuffles()}));
    static const Families& neon = *new Families(collect({arm::neon_shuffles()}));
    switch (set) {
    case InstructionSet::portable: return {};
    case InstructionSet::sse2: return sse2;
    case InstructionSet::avx2_fma: return avx2;
    case InstructionSet::avx512: return avx512;
    case InstructionSet::neon: return neon;
    }
    return {};
}

} // namespace swirl::target
