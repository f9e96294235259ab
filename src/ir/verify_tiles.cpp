// Operations on tiles and mbarriers, fences and roles.
#include "ir/verify_rules.hpp"

#include "ir/tile.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

namespace swirl::ir {

namespace {

using Mismatch = std::optional<std::string>;

constexpr Integer warp = 32;
constexpr int fewest_registers = 24, most_registers = 240, registers_multiple = 8;

const BufferInfo& buffer_of(const Program& program, Buffer buffer) {
    return program.buffers[static_cast<std::size_t>(buffer)];
}

/// Checks that the constant parts of an address are multiples of `alignment` bytes, and that `reach` elements from
/// there are inside the buffer.
Mismatch address_error(const Program& program, const VariableRanges& ranges, const Address& of_address,
                       Integer reach, Integer alignment, bool is_certain) {
    const BufferInfo& buffer = buffer_of(program, of_address.buffer);
    const Integer bytes = bytes_of(buffer.element);
    if (modulo(of_address.index.constant() * bytes, alignment) != 0)
        return fmt::format("is at {} bytes of '{}', no multiple of {}", of_address.index.constant() * bytes,
                           buffer.name, alignment);
    if (of_address.dynamic != no_value && modulo(of_address.dynamic_scale * bytes, alignment) != 0)
        return fmt::format("moves in '{}' by {} bytes, no multiple of {}", buffer.name,
                           of_address.dynamic_scale * bytes, alignment);
    if (of_address.dynamic != no_value || (!is_certain && !of_address.index.is_constant()))
        return std::nullopt;
    const std::optional<Range> range = ranges.range(of_address.index);
    if (!range || (range->low >= 0 && range->high + reach <= buffer.elements)) return std::nullopt;
    return fmt::format("reaches elements {} to {} of '{}', which has 0 to {}", range->low,
                       range->high + reach - 1, buffer.name, buffer.elements - 1);
}

/// Elements from the start of an operand to the end of its last element.
Integer reach_of(const SmemTileLayout& layout, int element_bytes, Integer rows, Integer k) {
    Integer last = 0;
    for (Integer i = 0; i < rows; ++i) last = std::max(last, offset_in_tile(layout, element_bytes, i, k - 1));
    return last + 1;
}

Mismatch product_rule_error(const Program& program, const VariableRanges& ranges,
                            const AsyncTileOperation& tile, bool is_certain) {
    const WgmmaInstruction& entry = *tile.instruction;
    const int bytes = bytes_of(entry.operand_type);
    for (std::size_t operand = 0; operand < tile.addresses.size(); ++operand) {
        if (buffer_of(program, tile.addresses[operand].buffer).space == Space::local) continue;
        const Integer rows = operand == 0 ? entry.rows : entry.columns;
        const Integer reach = reach_of(tile.layouts[operand], bytes, rows, entry.k);
        const Address& of_address = tile.addresses[operand];
        if (Mismatch problem =
                address_error(program, ranges, of_address, reach, swizzle_chunk_bytes, is_certain))
            return problem;
        const Integer row = swizzle_row_bytes / bytes;
        if (tile.layouts[operand].k_major && modulo(of_address.index.constant(), row) + entry.k > row)
            return fmt::format("has an operand that extends beyond a row of {} elements", row);
    }
    return std::nullopt;
}

/// Rows of boxes must start at whole chunks of the tensor. For an index, checks what is known of it.
Mismatch begin_error(const Program& program, const Operation& operation, Integer element_bytes) {
    const Operation& x = program[operation.operands[0]];
    Integer unit = 0, constant = 0;
    if (x.opcode == Opcode::constant) {
        constant = static_cast<Integer>(x.constant);
    } else if (x.opcode == Opcode::index) {
        constant = x.address.index.constant();
        for (const auto& [variable, coefficient] : x.address.index.terms())
            unit = std::gcd(unit, coefficient);
    } else {
        return std::nullopt;
    }
    const Integer chunk = swizzle_chunk_bytes / element_bytes;
    if (constant % std::gcd(unit, chunk) == 0) return std::nullopt;
    return fmt::format("begins at an element no multiple of {} of a row of '{}': {}", chunk,
                       program.tensors[static_cast<std::size_t>(operation.tile->tensor)].name, constant);
}

Mismatch mbarrier_rule_error(const Program& program, const VariableRanges& ranges, const Address& of_address,
                             bool is_certain) {
    return address_error(program, ranges, of_address, 1, 1, is_certain);
}

} // namespace

Mismatch roles_error(const Program& program, const WarpRoles& warp_roles) {
    if (program.launch.threads[1] != 1 || program.launch.threads[2] != 1)
        return "of threads that are not all along x";
    std::vector<const WarpRole*> roles;
    for (const WarpRole& role : warp_roles.roles) {
        const Integer granularity =
            role.registers == 0 ? warp : warpgroup_threads; // a warpgroup changes its registers
        if (role.threads <= 0 || role.threads % granularity != 0 ||
            role.first_thread % warpgroup_threads != 0)
            return fmt::format("'{}' has no whole warpgroups", role.name);
        if (role.registers != 0 && (role.registers < fewest_registers || role.registers > most_registers ||
                                    role.registers % registers_multiple != 0))
            return fmt::format("'{}' has {} registers", role.name, role.registers);
        roles.push_back(&role);
    }
    std::sort(roles.begin(), roles.end(),
              [](const WarpRole* a, const WarpRole* b) { return a->first_thread < b->first_thread; });
    Integer next = 0;
    for (const WarpRole* role : roles) {
        if (role->first_thread != next)
            return fmt::format("'{}' begins at thread {}, not {}", role->name, role->first_thread, next);
        next += role->threads;
    }
    if (next != program.launch.threads[0])
        return fmt::format("of {} threads in a block of {}", next, program.launch.threads[0]);
    return std::nullopt;
}

Mismatch fence_error(const AsyncFence& fence) {
    if (fence.kind == AsyncFence::Kind::begin && fence.what != AsyncFence::What::wgmmas)
        return "a fence begins what is no product of tiles";
    return std::nullopt;
}

Mismatch tile_rule_error(const Program& program, const VariableRanges& ranges, const Operation& operation,
                         bool is_certain) {
    const AsyncTileOperation& tile = *operation.tile;
    switch (operation.opcode) {
    case Opcode::wgmma: return product_rule_error(program, ranges, tile, is_certain);
    case Opcode::tma_load:
    case Opcode::tma_store: break;
    case Opcode::mbarrier_init:
        if (tile.count < 1) return fmt::format("waits for {} arrivals", tile.count);
        return mbarrier_rule_error(program, ranges, operation.address, is_certain);
    default:
        if (tile.count < 0) return fmt::format("expects {} bytes", tile.count);
        return mbarrier_rule_error(program, ranges, operation.address, is_certain);
    }
    const TensorInfo& tensor = program.tensors[static_cast<std::size_t>(tile.tensor)];
    const Integer elements =
        std::accumulate(tensor.box.begin(), tensor.box.end(), Integer{1}, std::multiplies<>());
    if (Mismatch problem =
            address_error(program, ranges, operation.address, elements, box_alignment_bytes, is_certain))
        return problem;
    const Integer bytes = bytes_of(buffer_of(program, operation.address.buffer).element);
    if (Mismatch problem = begin_error(program, operation, bytes)) return problem;
    if (operation.opcode == Opcode::tma_store)
        return tensor.rounds ? Mismatch("stores what is rounded as it is loaded") : std::nullopt;
    if (program.launch.cluster < 32 && (tile.blocks >> program.launch.cluster) != 0)
        return fmt::format("is for blocks {:#b} of a cluster of {}", tile.blocks, program.launch.cluster);
    return mbarrier_rule_error(program, ranges, tile.addresses.front(), is_certain);
}

} // namespace swirl::ir
