#include "target/shuffle.hpp"

#include "base/fork_gate.hpp"
#include "base/hash.hpp"
#include "target/catalogue.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace swirl::target {

namespace {

constexpr std::size_t longest_map = 16;
using LaneMap = std::array<std::int8_t, longest_map>;

struct Query {
    InstructionSet set;
    ir::Type type;
    LaneMap map; ///< −1 beyond the type's lanes
    bool operator==(const Query&) const = default;
};

struct HashOfQuery {
    std::size_t operator()(const Query& query) const {
        std::array<std::uint64_t, 2> words;
        std::memcpy(words.data(), query.map.data(), sizeof words);
        const auto head = static_cast<std::uint64_t>(query.set) << 32 |
                          static_cast<std::uint64_t>(query.type.scalar) << 16 |
                          static_cast<std::uint64_t>(query.type.lanes);
        return mix_hash(mix_hash(static_cast<std::size_t>(head), words[0]), words[1]);
    }
};

const ir::Instruction* search(const Query& query) {
    const std::span<const std::int8_t> map(query.map.data(), static_cast<std::size_t>(query.type.lanes));
    const bool uses_b =
        std::any_of(map.begin(), map.end(), [&](int source) { return source >= query.type.lanes; });
    for (const ShuffleFamily* family : shuffle_families(query.set)) {
        if (family->scalar != query.type.scalar || family->lanes != query.type.lanes) continue;
        if (uses_b != (family->sources == 2)) continue;
        const int immediate = solve_immediate(*family, map);
        if (immediate >= 0) return &instruction_of(*family, immediate);
    }
    return nullptr;
}

/// The lane of `first`'s result that supplies each lane of `map`; empty if one is missing.
std::vector<std::int8_t> permutation_after(const ir::Instruction& first, std::span<const std::int8_t> map,
                                           bool swapped) {
    const int lanes = static_cast<int>(map.size());
    std::vector<std::int8_t> result(map.size(), -1);
    for (std::size_t lane = 0; lane < map.size(); ++lane) {
        if (map[lane] < 0) continue;
        const int wanted = swapped ? (map[lane] + lanes) % (2 * lanes) : map[lane];
        const auto at = std::find(first.lane_map.begin(), first.lane_map.end(), wanted);
        if (at == first.lane_map.end()) return {};
        result[lane] = static_cast<std::int8_t>(at - first.lane_map.begin());
    }
    return result;
}

ShufflePair search_pair(const Cpu& cpu, const Query& query) {
    const std::span<const std::int8_t> map(query.map.data(), static_cast<std::size_t>(query.type.lanes));
    ShufflePair best;
    int best_latency = 100;
    for (const ShuffleFamily* family : shuffle_families(query.set)) {
        if (family->scalar != query.type.scalar || family->lanes != query.type.lanes || family->sources != 2)
            continue;
        if (family->immediates > 256) continue;
        for (int immediate = 0; immediate < std::max(family->immediates, 1); ++immediate) {
            if (source_lane(*family, 0, immediate) == ShuffleFamily::invalid) continue;
            const ir::Instruction& first = instruction_of(*family, immediate);
            for (const bool swapped : {false, true}) {
                if (first.latency >= best_latency) continue;
                const std::vector<std::int8_t> rest = permutation_after(first, map, swapped);
                if (rest.empty()) continue;
                const ir::Instruction* second = find_shuffle(cpu, query.type, rest);
                if (second == nullptr) second = &general_permute(cpu, query.type, rest);
                if (static_cast<x86::Mnemonic>(second->encoding) == x86::Mnemonic::expanded) continue;
                if (first.latency + second->latency >= best_latency) continue;
                best = {&first, swapped, second};
                best_latency = first.latency + second->latency;
            }
        }
    }
    return best;
}

/// Caches search results: a search tries all immediates of all families.
template <class CachedShuffle> class Memory {
public:
    template <class Search> CachedShuffle find(const Query& query, Search&& search_for) {
        {
            const std::shared_lock lock(mutex_);
            const auto known = cache_entries_.find(query);
            if (known != cache_entries_.end()) return known->second;
        }
        const CachedShuffle cached = search_for(query);
        const std::unique_lock lock(mutex_);
        cache_entries_.emplace(query, cached);
        return cached;
    }

private:
    ForkSafe<std::shared_mutex> mutex_;
    std::unordered_map<Query, CachedShuffle, HashOfQuery> cache_entries_;
};

Query query_of(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map) {
    Query query{cpu.set, type, {}};
    query.map.fill(-1);
    std::copy_n(lane_map.begin(), std::min(lane_map.size(), longest_map), query.map.begin());
    return query;
}

bool can_be_shuffled(ir::Type type) {
    return (type.scalar == DataType::float32 || type.scalar == DataType::float64) &&
           static_cast<std::size_t>(type.lanes) <= longest_map;
}

/// The map with the two operands swapped.
std::vector<std::int8_t> swapped(std::span<const std::int8_t> map, int lanes) {
    std::vector<std::int8_t> result(map.begin(), map.end());
    for (std::int8_t& source : result)
        if (source >= 0) source = static_cast<std::int8_t>(source < lanes ? source + lanes : source - lanes);
    return result;
}

/// The map with every source taken from operand a.
std::vector<std::int8_t> from_one(std::span<const std::int8_t> map, int lanes) {
    std::vector<std::int8_t> result(map.begin(), map.end());
    for (std::int8_t& source : result)
        if (source >= lanes) source = static_cast<std::int8_t>(source - lanes);
    return result;
}

/// An instruction for a map of one operand, which a two-operand instruction may receive twice.
ShuffleChoice choose_for_one(const Cpu& cpu, ir::Type type, const std::vector<std::int8_t>& map,
                             int operand) {
    const ir::Instruction* best = find_shuffle(cpu, type, map);
    // Each lane may come from either copy. Instructions take whole halves or alternating lanes from each.
    for (const int period : {1, 2, type.lanes / 2}) {
        if (best != nullptr && best->latency == 1) break;
        std::vector<std::int8_t> spread = map;
        for (std::size_t lane = 0; lane < spread.size(); ++lane)
            if (spread[lane] >= 0 && period > 0 && static_cast<int>(lane) / period % 2 == 1)
                spread[lane] = static_cast<std::int8_t>(spread[lane] + type.lanes);
        const ir::Instruction* found = find_shuffle(cpu, type, spread);
        if (found != nullptr && (best == nullptr || found->latency < best->latency)) best = found;
    }
    if (best == nullptr) best = &general_permute(cpu, type, map);
    return {best, {operand, operand}};
}

} // namespace

const ir::Instruction* find_shuffle(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map) {
    if (!can_be_shuffled(type)) return nullptr;
    static auto& memory = *new Memory<const ir::Instruction*>;
    return memory.find(query_of(cpu, type, lane_map), search);
}

ShufflePair find_shuffle_pair(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map) {
    if (!can_be_shuffled(type)) return {};
    static auto& memory = *new Memory<ShufflePair>;
    return memory.find(query_of(cpu, type, lane_map),
                       [&](const Query& query) { return search_pair(cpu, query); });
}

const ir::Instruction& general_permute(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map) {
    return permutation_of(cpu.set, type, lane_map);
}

ShuffleChoice choose_shuffle(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map,
                             bool same_operand) {
    const auto takes_from_a = [&](std::int8_t source) { return source >= 0 && source < type.lanes; };
    const auto takes_from_b = [&](std::int8_t source) { return source >= type.lanes; };
    const bool uses_a = std::any_of(lane_map.begin(), lane_map.end(), takes_from_a);
    const bool uses_b = std::any_of(lane_map.begin(), lane_map.end(), takes_from_b);
    if (same_operand || !uses_a || !uses_b)
        return choose_for_one(cpu, type, from_one(lane_map, type.lanes), uses_b && !uses_a ? 1 : 0);
    const ir::Instruction* straight = find_shuffle(cpu, type, lane_map);
    if (straight != nullptr && straight->latency == 1) return {straight, {0, 1}};
    const ir::Instruction* exchanged = find_shuffle(cpu, type, swapped(lane_map, type.lanes));
    if (exchanged != nullptr && (straight == nullptr || exchanged->latency < straight->latency))
        return {exchanged, {1, 0}};
    if (straight != nullptr) return {straight, {0, 1}};
    return {&general_permute(cpu, type, lane_map), {0, 1}};
}

} // namespace swirl::target
