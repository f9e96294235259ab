#include "jit/aliasing.hpp"

#include <algorithm>
#include <limits>

namespace swirl::jit {

namespace {

struct ByteRange {
    Integer low;
    Integer high; ///< one past the last byte
    Position position;
};

/// The stores of a block to one buffer through one induction variable.
struct Group {
    const MemoryOperand* example;
    bool is_dynamic;
    Integer longest = 0;
    std::vector<Position> positions; ///< ascending
    std::vector<ByteRange> ranges;   ///< by low end
};

bool same_induction(const MemoryOperand& a, const MemoryOperand& b) {
    return a.base == b.base && a.index == b.index;
}

std::vector<Group> group_stores(const Block& block) {
    std::vector<Group> groups;
    Position position = -1;
    for (const X86Operation& operation : block.operations) {
        ++position;
        if (operation.form != Form::store) continue;
        const MemoryOperand& memory_operand =
            block.memory_operands[static_cast<std::size_t>(operation.memory)];
        if (memory_operand.buffer < 0) continue;
        const bool is_dynamic = memory_operand.dynamic != no_register;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
            return g.example->buffer == memory_operand.buffer && same_induction(*g.example, memory_operand) &&
                   g.is_dynamic == is_dynamic;
        });
        if (group == groups.end())
            group = groups.insert(groups.end(), Group{&memory_operand, is_dynamic, 0, {}, {}});
        group->positions.push_back(position);
        const Integer bytes = operation.memory_bytes;
        group->ranges.push_back({memory_operand.displacement, memory_operand.displacement + bytes, position});
        group->longest = std::max(group->longest, bytes);
    }
    for (Group& group : groups)
        std::sort(group.ranges.begin(), group.ranges.end(),
                  [](const ByteRange& a, const ByteRange& b) { return a.low < b.low; });
    return groups;
}

Position first_after(const std::vector<Position>& positions, Position from) {
    const auto at = std::lower_bound(positions.begin(), positions.end(), from);
    return at == positions.end() ? never : *at;
}

Position first_overlap(const Group& group, const Leaf& leaf) {
    const Integer low = leaf.memory_operand.displacement;
    const Integer high = low + leaf.bytes;
    auto at = std::lower_bound(group.ranges.begin(), group.ranges.end(), low - group.longest,
                               [](const ByteRange& range, Integer value) { return range.low < value; });
    Position first = never;
    for (; at != group.ranges.end() && at->low < high; ++at)
        if (at->high > low && at->position >= leaf.created) first = std::min(first, at->position);
    return first;
}

} // namespace

void find_expiries(const ir::Program& program, bool arguments_may_overlap, Block& block) {
    const std::vector<Group> groups = group_stores(block);
    if (groups.empty()) return;
    const auto may_overlap_others = [&](ir::Buffer buffer) {
        return arguments_may_overlap &&
               program.buffers[static_cast<std::size_t>(buffer)].space == ir::Space::argument;
    };
    for (Leaf& leaf : block.leaves) {
        const ir::Buffer buffer = leaf.memory_operand.buffer;
        if (buffer < 0 || program.buffers[static_cast<std::size_t>(buffer)].space == ir::Space::table)
            continue;
        for (const Group& group : groups) {
            const ir::Buffer stored = group.example->buffer;
            Position first = never;
            if (stored != buffer) {
                if (may_overlap_others(stored) && may_overlap_others(buffer))
                    first = first_after(group.positions, leaf.created);
            } else if (group.is_dynamic || !same_induction(*group.example, leaf.memory_operand)) {
                first = first_after(group.positions, leaf.created);
            } else {
                first = first_overlap(group, leaf);
            }
            leaf.expires = std::min(leaf.expires, first);
        }
    }
}

} // namespace swirl::jit
