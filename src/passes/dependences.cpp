#include "passes/dependences.hpp"

#include "ir/analysis.hpp"
#include "passes/footprint.hpp"

#include <algorithm>

namespace swirl::passes {
namespace {

using namespace ir;

struct MemoryAccess {
    Footprint footprint;
    int position;
    bool writes;
};

/// Whether footprints are intervals of one shape: sorted by offset, only nearby ones can overlap.
bool are_intervals(const std::vector<MemoryAccess>& accesses) {
    for (const MemoryAccess& access : accesses)
        if (access.footprint.shape != accesses.front().footprint.shape || access.footprint.lane_stride < 0 ||
            access.footprint.lane_stride > 1)
            return false;
    return true;
}

class Finder {
public:
    Finder(const Program& program, const StraightLineBlock& block) : program_(program), block_(block) {}

    std::vector<std::pair<int, int>> find() {
        std::vector<int> writes(program_.buffers.size(), 0), accesses(program_.buffers.size(), 0);
        for (const Value value : block_.operations) {
            const Operation& operation = program_[value];
            if (!accesses_memory(operation.opcode)) continue;
            ++accesses[static_cast<std::size_t>(operation.address.buffer)];
            writes[static_cast<std::size_t>(operation.address.buffer)] += has_side_effect(operation.opcode);
        }
        for (std::size_t b = 0; b < writes.size(); ++b)
            if (writes[b] > 0 && accesses[b] > 1) find_in(static_cast<Buffer>(b));
        return std::move(pairs_);
    }

private:
    void find_in(Buffer buffer) {
        std::vector<MemoryAccess> accesses;
        for (std::size_t p = 0; p < block_.operations.size(); ++p) {
            const Operation& operation = program_[block_.operations[p]];
            if (accesses_memory(operation.opcode) && operation.address.buffer == buffer)
                accesses.push_back(
                    {table_.footprint(operation), static_cast<int>(p), has_side_effect(operation.opcode)});
        }
        const bool intervals = are_intervals(accesses);
        if (intervals)
            std::stable_sort(accesses.begin(), accesses.end(),
                             [](const MemoryAccess& a, const MemoryAccess& b) {
                                 return a.footprint.offset < b.footprint.offset;
                             });
        for (auto a = accesses.begin(); a != accesses.end(); ++a)
            for (auto b = a + 1; b != accesses.end(); ++b) {
                if (intervals && b->footprint.offset >= a->footprint.offset + a->footprint.active) break;
                if ((a->writes || b->writes) && table_.may_overlap(a->footprint, b->footprint))
                    pairs_.emplace_back(std::min(a->position, b->position),
                                        std::max(a->position, b->position));
            }
    }

    const Program& program_;
    const StraightLineBlock& block_;
    FootprintTable table_;
    std::vector<std::pair<int, int>> pairs_;
};

} // namespace

std::vector<std::pair<int, int>> memory_dependences(const Program& program, const StraightLineBlock& block) {
    return Finder(program, block).find();
}

} // namespace swirl::passes
