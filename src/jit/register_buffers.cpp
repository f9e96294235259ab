#include "jit/register_buffers.hpp"

#include "ir/analysis.hpp"

#include <algorithm>

namespace swirl::jit {

namespace {

/// Minimum number of registers that straight-line blocks need, by class.
constexpr std::array<int, classes> least_remaining = {4, 0, 1};

/// The accesses to one buffer: lanes by first index, 0: no access begins there.
struct Accesses {
    std::vector<int> lanes;
    bool qualifies = false;

    void add(const ir::Operation& access, ir::Type type) {
        const ir::Address& address = access.address;
        const bool is_plain = address.index.is_constant() && address.dynamic == ir::no_value &&
                              access.active == type.lanes && (type.lanes == 1 || address.lane_stride == 1);
        const Integer at = address.index.constant();
        if (!is_plain || at < 0 || at + type.lanes > static_cast<Integer>(lanes.size())) {
            qualifies = false;
            return;
        }
        int& known = lanes[static_cast<std::size_t>(at)];
        qualifies = qualifies && (known == 0 || known == type.lanes);
        known = type.lanes;
    }

    /// Whether every access is a full tile.
    bool are_tiles(DataType element) const {
        return std::all_of(lanes.begin(), lanes.end(),
                           [&](int known) { return known == 0 || known * bytes_of(element) == tile_bytes; });
    }

    /// Number of vectors if they are disjoint; else −1. A buffer without accesses has none and needs no memory.
    int vectors() const {
        int count = 0;
        for (std::size_t at = 0; at < lanes.size(); ++at) {
            if (lanes[at] == 0) continue;
            ++count;
            for (int lane = 1; lane < lanes[at]; ++lane)
                if (lanes[at + static_cast<std::size_t>(lane)] != 0) return -1;
        }
        return count;
    }
};

std::vector<Accesses> accesses_of(const ir::Program& program) {
    std::vector<Accesses> found(program.buffers.size());
    for (std::size_t b = 0; b < found.size(); ++b) {
        const ir::BufferInfo& buffer = program.buffers[b];
        found[b].qualifies = buffer.space == ir::Space::local && buffer.first == 0 &&
                             (buffer.element == DataType::float32 || buffer.element == DataType::float64 ||
                              buffer.element == DataType::int32);
        if (found[b].qualifies) found[b].lanes.resize(static_cast<std::size_t>(buffer.elements));
    }
    ir::for_each_straight_line_block(program, [&](const ir::StraightLineBlock& block) {
        for (const ir::Value value : block.operations) {
            const ir::Operation& operation = program[value];
            if (!ir::accesses_memory(operation.opcode)) continue;
            Accesses& accesses = found[static_cast<std::size_t>(operation.address.buffer)];
            if (!accesses.qualifies) continue;
            accesses.add(operation, operation.opcode == ir::Opcode::load
                                        ? operation.type
                                        : program[operation.operands[0]].type);
        }
    });
    return found;
}

} // namespace

RegisterBuffers::RegisterBuffers(const ir::Program& program, const target::Cpu& cpu)
    : registers_by_lane_(program.buffers.size()) {
    std::array<int, classes> next = {cpu.vector_registers, 0, tile_registers};
    const std::vector<Accesses> found = accesses_of(program);
    for (std::size_t b = 0; b < found.size(); ++b) {
        if (!found[b].qualifies) continue;
        const int vectors = found[b].vectors();
        const auto kind = static_cast<std::size_t>(
            found[b].are_tiles(program.buffers[b].element) && vectors > 0 ? Class::tile : Class::vector);
        if (vectors < 0 || next[kind] - vectors < least_remaining[kind]) continue;
        registers_by_lane_[b].assign(found[b].lanes.size(), -1);
        for (std::size_t at = 0; at < found[b].lanes.size(); ++at) {
            if (found[b].lanes[at] == 0) continue;
            registers_by_lane_[b][at] = static_cast<std::int8_t>(--next[kind]);
            registers_[kind] |= 1U << next[kind];
        }
    }
}

} // namespace swirl::jit
