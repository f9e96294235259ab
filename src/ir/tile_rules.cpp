// Type rules of operations on tiles and mbarriers.
#include "ir/tile.hpp"
#include "ir/type_rules.hpp"

#include "ir/analysis.hpp"

#include <fmt/format.h>

namespace swirl::ir {

namespace {

using Mismatch = std::optional<std::string>;

const BufferInfo* buffer_at(const Program& program, const Address& of_address) {
    if (of_address.buffer < 0 || static_cast<std::size_t>(of_address.buffer) >= program.buffers.size())
        return nullptr;
    return &program.buffers[static_cast<std::size_t>(of_address.buffer)];
}

Mismatch address_error(const Program& program, const Address& of_address) {
    if (buffer_at(program, of_address) == nullptr)
        return fmt::format("there is no buffer {}", of_address.buffer);
    if (of_address.dynamic == no_value) return std::nullopt;
    if (program[of_address.dynamic].type != Type{DataType::int64, 1} || of_address.dynamic_scale == 0)
        return fmt::format("the dynamic index is {} {} times", name_of(program[of_address.dynamic].type),
                           of_address.dynamic_scale);
    return std::nullopt;
}

Mismatch mbarrier_error(const Program& program, const Address& of_address) {
    if (Mismatch problem = address_error(program, of_address)) return problem;
    const BufferInfo& buffer = *buffer_at(program, of_address);
    if (buffer.space != Space::shared || buffer.element != DataType::int64 ||
        buffer.dsmem_elements_per_block != 0)
        return fmt::format("a signal in '{}', which is no shared memory of int64", buffer.name);
    return std::nullopt;
}

Mismatch tile_address_error(const Program& program, const Address& of_address, DataType element) {
    if (Mismatch problem = address_error(program, of_address)) return problem;
    const BufferInfo& buffer = *buffer_at(program, of_address);
    if (buffer.space != Space::shared || buffer.element != element || buffer.dsmem_elements_per_block != 0 ||
        buffer.alignment % swizzle_pattern_bytes != 0 || buffer.alignment == 0)
        return fmt::format("a tile in '{}', which is no shared memory of {} aligned to {} bytes", buffer.name,
                           name_of(element), swizzle_pattern_bytes);
    return std::nullopt;
}

Mismatch transfer_error(const Program& program, const Operation& operation) {
    const Tensor tensor = operation.tile->tensor;
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= program.tensors.size())
        return fmt::format("there is no tensor {}", tensor);
    const TensorInfo& info = program.tensors[static_cast<std::size_t>(tensor)];
    const auto coordinates = operands(operation);
    if (coordinates.size() != info.extents.size())
        return fmt::format("{} coordinates in '{}', which has {}", coordinates.size(), info.name,
                           info.extents.size());
    for (const Value value : coordinates)
        if (program[value].type != Type{DataType::int64, 1})
            return fmt::format("a coordinate is {}, not int64", name_of(program[value].type));
    const DataType element = program.buffers[static_cast<std::size_t>(info.buffer)].element;
    if (Mismatch problem = tile_address_error(program, operation.address, element)) return problem;
    if (operation.opcode == Opcode::tma_store) return std::nullopt;
    if (operation.tile->addresses.size() != 1) return "no signal, or several";
    return mbarrier_error(program, operation.tile->addresses.front());
}

bool is_in_registers(const Program& program, const Address& of_address) {
    const BufferInfo* const buffer = buffer_at(program, of_address);
    return buffer != nullptr && buffer->space == Space::local;
}

/// Requires `registers` float32 elements of the thread's local memory, at a constant index.
Mismatch registers_error(const Program& program, const Address& of_address, const char* what, int registers) {
    if (Mismatch problem = address_error(program, of_address)) return problem;
    const BufferInfo& buffer = *buffer_at(program, of_address);
    if (buffer.space != Space::local || buffer.element != DataType::float32 ||
        !of_address.index.is_constant() || of_address.dynamic != no_value)
        return fmt::format("{} at no constant index of '{}', or no float32 of a thread's own", what,
                           buffer.name);
    const Integer first = of_address.index.constant();
    if (first < 0 || first + registers > buffer.elements)
        return fmt::format("{} from {} on of '{}', which has {}", what, first, buffer.name, buffer.elements);
    return std::nullopt;
}

Mismatch product_error(const Program& program, const Operation& operation) {
    const AsyncTileOperation& tile = *operation.tile;
    if (tile.instruction == nullptr) return "no table entry";
    if (Mismatch problem = registers_error(program, operation.address, "sums", tile.instruction->registers()))
        return problem;
    if (tile.addresses.size() != 2) return "not two operands";
    for (std::size_t operand = 0; operand < 2; ++operand) {
        if (operand == 0 && tile.instruction->a_in_registers &&
            is_in_registers(program, tile.addresses[operand])) {
            if (Mismatch problem = registers_error(program, tile.addresses[operand], "an operand",
                                                   tile.instruction->a_registers()))
                return problem;
            continue;
        }
        if (Mismatch problem =
                tile_address_error(program, tile.addresses[operand], tile.instruction->operand_type))
            return problem;
        if (!tile.layouts[operand].k_major && !tile.instruction->has_layouts)
            return fmt::format("'{}' needs K-major operands", tile.instruction->name);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> tile_error(const Program& program, const Operation& operation) {
    if (operation.tile == nullptr) return "nothing is said of its tile";
    switch (operation.opcode) {
    case Opcode::tma_load:
    case Opcode::tma_store: return transfer_error(program, operation);
    case Opcode::wgmma: return product_error(program, operation);
    default: break;
    }
    for (const Value value : operands(operation))
        if (program[value].type != Type{DataType::int64, 1})
            return fmt::format("an operand is {}, not int64", name_of(program[value].type));
    return mbarrier_error(program, operation.address);
}

} // namespace swirl::ir
