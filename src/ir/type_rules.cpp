#include "ir/type_rules.hpp"

#include "ir/analysis.hpp"
#include "ir/instruction.hpp"
#include "problem/data_type.hpp"

namespace swirl::ir {

namespace {

using Mismatch = std::optional<std::string>;

template <class... Args> Mismatch problem(fmt::format_string<Args...> format, Args&&... args) {
    return fmt::format(format, std::forward<Args>(args)...);
}

bool is_numeric(DataType scalar) { return scalar != DataType::boolean; }

/// `address` of a load, store or atomic_add of type `type`.
Mismatch address_error(const Program& program, const Operation& operation, Type type) {
    const Address& address = operation.address;
    if (address.buffer < 0 || static_cast<std::size_t>(address.buffer) >= program.buffers.size())
        return problem("there is no buffer {}", address.buffer);
    const BufferInfo& buffer = program.buffers[static_cast<std::size_t>(address.buffer)];
    if (buffer.element != type.scalar)
        return problem("buffer '{}' holds {}, the access is of {}", buffer.name, name_of(buffer.element),
                       name_of(type));
    if (operation.active < 1 || operation.active > type.lanes)
        return problem("{} active lanes of {}", operation.active, type.lanes);
    if (address.dynamic != no_value && program[address.dynamic].type != Type{DataType::int64, 1})
        return problem("the dynamic index is {}, not int64", name_of(program[address.dynamic].type));
    if (address.dynamic_scale == 0) return problem("the dynamic index is taken 0 times");
    if (operation.asynchronous && operation.opcode != Opcode::store)
        return problem("asynchronous, and no store");
    if (address.lane_stride == 0 && operation.opcode != Opcode::load && operation.active > 1)
        return problem("{} lanes are stored to one element", operation.active);
    return std::nullopt;
}

Mismatch same_types(const Program& program, const Operation& operation, int count) {
    for (int i = 0; i < count; ++i) {
        const Type type = program[operation.operands[static_cast<std::size_t>(i)]].type;
        if (type != operation.type)
            return problem("operand {} is {}, the result {}", i + 1, name_of(type), name_of(operation.type));
    }
    return std::nullopt;
}

Mismatch shuffle_error(const Program& program, const Operation& operation) {
    const Type a = program[operation.operands[0]].type;
    const Type b = program[operation.operands[1]].type;
    if (a != b) return problem("operands are {} and {}", name_of(a), name_of(b));
    if (a.scalar != operation.type.scalar)
        return problem("operands are {}, the result {}", name_of(a), name_of(operation.type));
    if (static_cast<int>(operation.lane_map.size()) != operation.type.lanes)
        return problem("{} lane map entries for {}", operation.lane_map.size(), name_of(operation.type));
    for (const int lane : operation.lane_map)
        if (lane < -1 || lane >= 2 * a.lanes)
            return problem("lane map entry {} outside −1…{}", lane, 2 * a.lanes - 1);
    return std::nullopt;
}

Mismatch instruction_error(const Program& program, const Operation& operation) {
    if (operation.instruction == nullptr) return problem("no table entry");
    const Instruction& entry = *operation.instruction;
    if (entry.result != operation.type)
        return problem("'{}' gives {}, the result is {}", entry.name, name_of(entry.result),
                       name_of(operation.type));
    for (std::size_t i = 0; i < entry.operands.size(); ++i) {
        const Type type = program[operation.operands[i]].type;
        if (type != entry.operands[i])
            return problem("operand {} of '{}' is {}, not {}", i + 1, entry.name, name_of(type),
                           name_of(entry.operands[i]));
    }
    return std::nullopt;
}

Mismatch comparison_error(const Program& program, const Operation& operation) {
    const Type a = program[operation.operands[0]].type;
    const Type b = program[operation.operands[1]].type;
    if (a != b) return problem("operands are {} and {}", name_of(a), name_of(b));
    if (!is_numeric(a.scalar)) return problem("operands are {}", name_of(a));
    if (operation.type != Type{DataType::boolean, a.lanes})
        return problem("the result is {}, not {}", name_of(operation.type),
                       name_of(Type{DataType::boolean, a.lanes}));
    return std::nullopt;
}

Mismatch select_error(const Program& program, const Operation& operation) {
    const Type chooser = program[operation.operands[0]].type;
    if (chooser != Type{DataType::boolean, operation.type.lanes})
        return problem("operand 1 is {}, the result {}", name_of(chooser), name_of(operation.type));
    for (const std::size_t i : {1U, 2U}) {
        const Type type = program[operation.operands[i]].type;
        if (type != operation.type)
            return problem("operand {} is {}, the result {}", i + 1, name_of(type), name_of(operation.type));
    }
    return std::nullopt;
}

Mismatch operand_error(const Program& program, const Operation& operation) {
    if (operation.opcode == Opcode::instruction && operation.instruction == nullptr)
        return problem("no table entry");
    int position = 0;
    Mismatch found;
    for_each_operand(operation, [&](Value value) {
        ++position;
        if (found) return;
        if (value < 0 || static_cast<std::size_t>(value) >= program.operations.size())
            found = problem("operand {} is missing", position);
        else if (!has_result(program[value].opcode))
            found =
                problem("operand {} is a {}, which has no result", position, name_of(program[value].opcode));
    });
    return found;
}

Mismatch conversion_error(const Program& program, const Operation& operation) {
    const Type from = program[operation.operands[0]].type;
    if (from.lanes != operation.type.lanes)
        return problem("operand is {}, the result {}", name_of(from), name_of(operation.type));
    if (!is_numeric(operation.type.scalar)) return problem("to {}", name_of(operation.type));
    return std::nullopt;
}

Mismatch bitcast_error(const Program& program, const Operation& operation) {
    const Type from = program[operation.operands[0]].type, to = operation.type;
    if (!is_integer(from.scalar) || !is_integer(to.scalar))
        return problem("operand is {}, the result {}; both must be integers", name_of(from), name_of(to));
    if (from.lanes * bytes_of(from.scalar) != to.lanes * bytes_of(to.scalar))
        return problem("operand is {}, the result {}", name_of(from), name_of(to));
    return std::nullopt;
}

Mismatch splat_error(const Program& program, const Operation& operation) {
    const Type from = program[operation.operands[0]].type;
    if (from != Type{operation.type.scalar, 1})
        return problem("operand is {}, the result {}", name_of(from), name_of(operation.type));
    return std::nullopt;
}

} // namespace

std::optional<std::string> type_error(const Program& program, const Operation& operation) {
    if (operation.type.lanes < 1) return problem("{} lanes", operation.type.lanes);
    if (!is_scalar(operation.type.scalar)) return problem("no values are {}", name_of(operation.type));
    if (Mismatch missing = operand_error(program, operation)) return missing;
    const DataType scalar = operation.type.scalar;
    if (operation.strict &&
        (operand_count(operation.opcode) < 1 || accesses_memory(operation.opcode) || !is_floating(scalar)))
        return problem("strict, and no floating-point arithmetic");
    switch (operation.opcode) {
    case Opcode::constant: return std::nullopt;
    case Opcode::index:
        if (operation.type != Type{DataType::int64, 1})
            return problem("the result is {}, not int64", name_of(operation.type));
        return std::nullopt;
    case Opcode::load:
    case Opcode::prefetch: return address_error(program, operation, operation.type);
    case Opcode::atomic_add:
        if (operation.type.lanes != 1) return problem("operand is {}, not a scalar", name_of(operation.type));
        [[fallthrough]];
    case Opcode::store:
        if (Mismatch different = same_types(program, operation, 1)) return different;
        return address_error(program, operation, operation.type);
    case Opcode::splat: return splat_error(program, operation);
    case Opcode::negate:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
        if (!is_numeric(scalar)) return problem("arithmetic of {}", name_of(operation.type));
        return same_types(program, operation, operand_count(operation.opcode));
    case Opcode::divide:
        if (operation.type == Type{DataType::int64, 1}) return same_types(program, operation, 2);
        [[fallthrough]];
    case Opcode::square_root:
    case Opcode::magnitude:
    case Opcode::power_of_two:
        if (scalar != DataType::float32 && scalar != DataType::float64)
            return problem("{} of {}, not of float32 or float64", name_of(operation.opcode),
                           name_of(operation.type));
        return same_types(program, operation, operand_count(operation.opcode));
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma:
        if (!is_floating(scalar)) return problem("fused arithmetic of {}", name_of(operation.type));
        return same_types(program, operation, 3);
    case Opcode::bit_and:
    case Opcode::bit_xor:
        if (!is_integer(scalar)) return problem("bits of {}", name_of(operation.type));
        return same_types(program, operation, 2);
    case Opcode::shuffle: return shuffle_error(program, operation);
    case Opcode::convert: return conversion_error(program, operation);
    case Opcode::bitcast: return bitcast_error(program, operation);
    case Opcode::less: return comparison_error(program, operation);
    case Opcode::select: return select_error(program, operation);
    case Opcode::instruction: return instruction_error(program, operation);
    case Opcode::tma_load:
    case Opcode::tma_store:
    case Opcode::wgmma:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::mbarrier_wait: return tile_error(program, operation);
    }
    return problem("unknown opcode {}", static_cast<int>(operation.opcode));
}

std::string name_of(Type type) {
    if (type.lanes == 1) return std::string(name_of(type.scalar));
    return fmt::format("{}x{}", name_of(type.scalar), type.lanes);
}

std::string_view name_of(Opcode opcode) {
    switch (opcode) {
    case Opcode::constant: return "constant";
    case Opcode::index: return "index";
    case Opcode::load: return "load";
    case Opcode::store: return "store";
    case Opcode::atomic_add: return "atomic_add";
    case Opcode::prefetch: return "prefetch";
    case Opcode::splat: return "splat";
    case Opcode::negate: return "negate";
    case Opcode::add: return "add";
    case Opcode::subtract: return "subtract";
    case Opcode::multiply: return "multiply";
    case Opcode::divide: return "divide";
    case Opcode::square_root: return "square_root";
    case Opcode::magnitude: return "magnitude";
    case Opcode::power_of_two: return "power_of_two";
    case Opcode::fma: return "fma";
    case Opcode::fms: return "fms";
    case Opcode::fnma: return "fnma";
    case Opcode::shuffle: return "shuffle";
    case Opcode::convert: return "convert";
    case Opcode::bitcast: return "bitcast";
    case Opcode::bit_and: return "bit_and";
    case Opcode::bit_xor: return "bit_xor";
    case Opcode::less: return "less";
    case Opcode::select: return "select";
    case Opcode::instruction: return "instruction";
    case Opcode::tma_load: return "tma_load";
    case Opcode::tma_store: return "tma_store";
    case Opcode::wgmma: return "wgmma";
    case Opcode::mbarrier_init: return "mbarrier_init";
    case Opcode::mbarrier_arrive: return "mbarrier_arrive";
    case Opcode::mbarrier_arrive_expect_tx: return "mbarrier_arrive_expect_tx";
    case Opcode::mbarrier_wait: return "mbarrier_wait";
    }
    return "?";
}

std::string_view name_of(Space space) {
    switch (space) {
    case Space::argument: return "argument";
    case Space::table: return "table";
    case Space::scratch: return "scratch";
    case Space::local: return "local";
    case Space::shared: return "shared";
    }
    return "?";
}

std::string_view name_of(For::Kind kind) {
    switch (kind) {
    case For::Kind::serial: return "serial";
    case For::Kind::vector: return "vector";
    case For::Kind::parallel: return "parallel";
    case For::Kind::unrolled: return "unrolled";
    }
    return "?";
}

} // namespace swirl::ir
