#include "target/catalogue.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

namespace swirl::target {

namespace {

struct Entry {
    std::string name;
    ir::Instruction instruction;
};

/// Instructions created on demand and kept for the life of the process.
class Catalogue {
public:
    static Catalogue& instance() {
        static Catalogue& catalogue = *new Catalogue;
        return catalogue;
    }

    const ir::Instruction& of_family(const ShuffleFamily& family, int immediate) {
        const std::lock_guard lock(mutex_);
        auto& entry = families_[{&family, immediate}];
        if (!entry) entry = make(family, immediate);
        return entry->instruction;
    }

    const ir::Instruction& permutation(InstructionSet set, ir::Type type,
                                       const std::vector<std::int8_t>& map) {
        const std::lock_guard lock(mutex_);
        auto& entry = permutations_[{set, type, map}];
        if (!entry) entry = make(set, type, map);
        return entry->instruction;
    }

private:
    static std::string type_name(ir::Type type) {
        return fmt::format("f{}x{}", 8 * bytes_of(type.scalar), type.lanes);
    }

    /// The meaning of a pure shuffle, as the interpreter runs it.
    static void define(ir::Instruction& instruction, ir::Type type, bool two_sources,
                       std::vector<std::int8_t> map) {
        instruction.operands.assign(two_sources ? 2 : 1, type);
        instruction.result = type;
        instruction.lane_map = map;
        instruction.meaning = [map = std::move(map)](std::span<const ir::Lanes> operands) {
            ir::Lanes result;
            result.reserve(map.size());
            for (const std::int8_t source : map) {
                const auto lane = static_cast<std::size_t>(source);
                result.push_back(lane < map.size() ? operands[0][lane] : operands[1][lane - map.size()]);
            }
            return result;
        };
    }

    static std::unique_ptr<Entry> make(const ShuffleFamily& family, int immediate) {
        auto entry = std::make_unique<Entry>();
        const ir::Type type{family.scalar, family.lanes};
        entry->name = fmt::format("{}_{}", family.name, type_name(type));
        if (family.immediates > 0) entry->name += fmt::format("_0x{:02x}", immediate);
        std::vector<std::int8_t> map(static_cast<std::size_t>(family.lanes));
        for (int lane = 0; lane < family.lanes; ++lane)
            map[static_cast<std::size_t>(lane)] =
                static_cast<std::int8_t>(source_lane(family, lane, immediate));
        ir::Instruction& instruction = entry->instruction;
        define(instruction, type, family.sources == 2, std::move(map));
        instruction.name = entry->name;
        instruction.encoding = static_cast<std::uint32_t>(family.mnemonic);
        instruction.immediate = family.immediates > 0 ? immediate : -1;
        instruction.text = family.intrinsic;
        instruction.ports = family.ports;
        instruction.latency = family.latency;
        return entry;
    }

    static std::unique_ptr<Entry> make(InstructionSet set, ir::Type type,
                                       const std::vector<std::int8_t>& map) {
        auto entry = std::make_unique<Entry>();
        const bool two_sources =
            std::any_of(map.begin(), map.end(), [&](std::int8_t source) { return source >= type.lanes; });
        const bool is_double = type.scalar == DataType::float64;
        const int bytes = type.lanes * bytes_of(type.scalar);
        ir::Instruction& instruction = entry->instruction;
        define(instruction, type, two_sources, map);
        x86::Mnemonic mnemonic = x86::Mnemonic::expanded;
        // On 16 bytes vpermpd has no form with an index vector; vpermt2pd does.
        if (set == InstructionSet::avx512 && bytes >= 32 && !two_sources)
            mnemonic = is_double ? x86::Mnemonic::permpd_index : x86::Mnemonic::permps_index;
        else if (set == InstructionSet::avx512 && bytes >= 16)
            mnemonic = is_double ? x86::Mnemonic::permt2pd : x86::Mnemonic::permt2ps;
        else if (set == InstructionSet::avx2_fma && bytes == 32 && !is_double && !two_sources)
            mnemonic = x86::Mnemonic::permps_index;
        entry->name = fmt::format("{}permute_{}", mnemonic == x86::Mnemonic::expanded ? set_name(set) : "",
                                  type_name(type));
        for (const std::int8_t source : map) entry->name += fmt::format("_{}", int{source});
        instruction.name = entry->name;
        instruction.encoding = static_cast<std::uint32_t>(mnemonic);
        instruction.ports = "5";
        instruction.latency = mnemonic == x86::Mnemonic::expanded ? 7 : 3;
        return entry;
    }

    static std::string_view set_name(InstructionSet set) {
        switch (set) {
        case InstructionSet::portable: return "portable_";
        case InstructionSet::sse2: return "sse_";
        case InstructionSet::avx2_fma: return "avx2_";
        case InstructionSet::avx512: return "avx512_";
        case InstructionSet::neon: return "neon_";
        }
        return "";
    }

    ForkSafeMutex mutex_;
    std::map<std::pair<const ShuffleFamily*, int>, std::unique_ptr<Entry>> families_;
    std::map<std::tuple<InstructionSet, ir::Type, std::vector<std::int8_t>>, std::unique_ptr<Entry>>
        permutations_;
};

} // namespace

const ir::Instruction& instruction_of(const ShuffleFamily& family, int immediate) {
    return Catalogue::instance().of_family(family, immediate);
}

const ir::Instruction& permutation_of(InstructionSet set, ir::Type type,
                                      std::span<const std::int8_t> lane_map) {
    ensure(type.scalar == DataType::float32 || type.scalar == DataType::float64,
           "a permutation of something else than float32 or float64");
    ensure(static_cast<int>(lane_map.size()) == type.lanes, "a lane map of {} entries for {} lanes",
           lane_map.size(), type.lanes);
    std::vector<std::int8_t> map(lane_map.begin(), lane_map.end());
    for (std::int8_t& source : map) {
        ensure(source < 2 * type.lanes, "lane {} of two operands of {} lanes", int{source}, type.lanes);
        source = std::max<std::int8_t>(source, 0);
    }
    return Catalogue::instance().permutation(set, type, map);
}

std::span<const ir::Instruction* const> listed_instructions(InstructionSet set) {
    using Lists = std::array<std::vector<const ir::Instruction*>, instruction_sets>;
    static const Lists& lists = *new Lists([] {
        Lists all;
        for (std::size_t s = 0; s < all.size(); ++s)
            for (const ShuffleFamily* family : shuffle_families(static_cast<InstructionSet>(s))) {
                if (family->immediates == 0) all[s].push_back(&instruction_of(*family, 0));
                for (const int immediate : family->notable)
                    if (immediate >= 0) all[s].push_back(&instruction_of(*family, immediate));
            }
        return all;
    }());
    return lists[static_cast<std::size_t>(set)];
}

} // namespace swirl::target
