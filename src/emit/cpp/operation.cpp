// Expressions of emitted C++, one per ir operation.

#include "base/error.hpp"
#include "emit/cpp/kernel.hpp"
#include "emit/cpp/prelude.hpp"
#include "emit/literal.hpp"
#include "ir/analysis.hpp"
#include "ir/instruction.hpp"
#include "ir/type_rules.hpp"

#include <algorithm>

namespace swirl::emit {
std::string CppKernelWriter::operand(ir::Value value) const {
    const ir::Operation& operation = program_[value];
    if (operation.opcode != ir::Opcode::constant || operation.type.lanes != 1)
        return fmt::format("v{}", value);
    std::string literal = c_literal(operation.constant, operation.type.scalar);
    return literal.starts_with('-') ? fmt::format("({})", literal) : literal;
}

// ---- memory ---------------------------------------------------------------------------------------------------

std::string CppKernelWriter::load(const ir::Operation& operation) const {
    const ir::Type type = operation.type;
    const ir::Address& address = operation.address;
    if (type.lanes == 1) return element(address);
    ensure(type.scalar != DataType::boolean, "emit_cpp: boolean vectors are not loaded");
    if (moves_half(operation, vectors_)) return fmt::format("load_half({})", pointer(address));
    if (operation.active == type.lanes && address.lane_stride == 1)
        return fmt::format("load<{}>({})", cpp_type(type), pointer(address));
    return fmt::format("load_lanes<{}, {}>({}, {})", cpp_type(type), operation.active, pointer(address),
                       address.lane_stride);
}

std::string CppKernelWriter::store(const ir::Operation& operation) const {
    const ir::Address& address = operation.address;
    const std::string value = operand(operation.operands[0]);
    expect_written(address);
    if (operation.type.lanes == 1) return fmt::format("{} = {};", element(address), value);
    ensure(operation.type.scalar != DataType::boolean, "emit_cpp: boolean vectors are not stored");
    if (moves_half(operation, vectors_)) return fmt::format("store_half({}, {});", pointer(address), value);
    if (operation.active == operation.type.lanes && address.lane_stride == 1)
        return fmt::format("store({}, {});", pointer(address), value);
    return fmt::format("store_lanes<{}>({}, {}, {});", operation.active, pointer(address),
                       address.lane_stride, value);
}

// ---- arithmetic and lanes -------------------------------------------------------------------------------------

std::string CppKernelWriter::fused(const ir::Operation& operation) const {
    const bool scalar = operation.type.lanes == 1;
    if (operation.opcode == ir::Opcode::fnma && vectors_ == CppVectors::neon && !scalar)
        return fmt::format("subtract_product({}, {}, {})", operand(operation.operands[0]),
                           operand(operation.operands[1]), operand(operation.operands[2]));
    const char* function = scalar ? "std::fma" : "multiply_add";
    return fmt::format("{}({}{}, {}, {}{})", function, operation.opcode == ir::Opcode::fnma ? "-" : "",
                       operand(operation.operands[0]), operand(operation.operands[1]),
                       operation.opcode == ir::Opcode::fms ? "-" : "", operand(operation.operands[2]));
}

std::string CppKernelWriter::convert(const ir::Operation& operation) const {
    const std::string a = operand(operation.operands[0]);
    const std::string type = cpp_type(operation.type);
    if (operation.type.lanes == 1) return fmt::format("static_cast<{}>({})", type, a);
    if (program_[operation.operands[0]].type.scalar != DataType::boolean)
        return fmt::format("convert<{}>({})", type, a);
    const auto all = [&](int value) {
        return fmt::format("splat<{}>({})", type, c_literal(value, operation.type.scalar));
    };
    return fmt::format("select({}, {}, {})", a, all(1), all(0));
}

std::string CppKernelWriter::shuffle(const ir::Operation& operation,
                                     std::span<const std::int8_t> lane_map) const {
    const auto sources = ir::operands(operation);
    const int lanes = program_[sources.front()].type.lanes;
    ensure(operation.type.scalar != DataType::boolean, "emit_cpp: booleans are not shuffled");
    const auto lane = [&](int from) {
        const std::string value = operand(from < lanes ? sources.front() : sources.back());
        return lanes == 1 ? value : fmt::format("{}[{}]", value, std::max(from, 0) % lanes);
    };
    if (operation.type.lanes == 1) return lane(lane_map[0]);
    const std::string type = cpp_type(operation.type);
    if (lanes == 1) {
        std::vector<std::string> elements;
        for (const std::int8_t from : lane_map) elements.push_back(lane(from));
        return fmt::format("{}{{{}}}", type, fmt::join(elements, ", "));
    }
    const std::vector<int> from(lane_map.begin(), lane_map.end());
    return fmt::format("shuffle<{}, {}>({}, {})", type, fmt::join(from, ", "), operand(sources.front()),
                       operand(sources.back()));
}

/// An intrinsic on 64-bit lanes moves pairs of floats.
std::string CppKernelWriter::intrinsic(const ir::Operation& operation, std::string_view function) const {
    const bool in_pairs = operation.type.scalar == DataType::float32 && function.ends_with("_f64");
    std::string arguments;
    for (const ir::Value value : ir::operands(operation))
        arguments +=
            fmt::format("{}{}", arguments.empty() ? "" : ", ",
                        in_pairs ? fmt::format("vreinterpretq_f64_f32({})", operand(value)) : operand(value));
    if (operation.instruction->immediate >= 0)
        arguments += fmt::format(", {}", operation.instruction->immediate);
    return in_pairs ? fmt::format("vreinterpretq_f32_f64({}({}))", function, arguments)
                    : fmt::format("{}({})", function, arguments);
}

std::string CppKernelWriter::expression(const ir::Operation& operation) const {
    using ir::Opcode;
    const auto a = [&] { return operand(operation.operands[0]); };
    const auto b = [&] { return operand(operation.operands[1]); };
    const auto c = [&] { return operand(operation.operands[2]); };
    const bool scalar = operation.type.lanes == 1;
    switch (operation.opcode) {
    case Opcode::constant:
        return fmt::format("splat<{}>({})", cpp_type(operation.type),
                           c_literal(operation.constant, operation.type.scalar));
    case Opcode::index: return form(operation.address.index);
    case Opcode::load: return load(operation);
    case Opcode::splat:
        if (scalar) return a();
        if (const ir::Operation& source = program_[operation.operands[0]]; source.opcode == Opcode::constant)
            return fmt::format("splat<{}>({})", cpp_type(operation.type),
                               c_literal(source.constant, source.type.scalar));
        return fmt::format("splat<{}>({})", cpp_type(operation.type), a());
    case Opcode::negate: return c_arithmetic(operation.opcode, a(), "");
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide: return c_arithmetic(operation.opcode, a(), b());
    case Opcode::square_root: return fmt::format("{}({})", scalar ? "std::sqrt" : "square_root", a());
    case Opcode::magnitude: return fmt::format("{}({})", scalar ? "std::fabs" : "magnitude", a());
    case Opcode::power_of_two: return fmt::format("power_of_two({})", a());
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma: return fused(operation);
    case Opcode::shuffle: return shuffle(operation, operation.lane_map);
    case Opcode::convert: return convert(operation);
    case Opcode::bitcast:
    case Opcode::bit_and:
    case Opcode::bit_xor:
        throw UserError("standalone C++ has no {} of this kernel; it exists as machine code only",
                        name_of(operation.opcode));
    case Opcode::less: return scalar ? a() + " < " + b() : fmt::format("less({}, {})", a(), b());
    case Opcode::select:
        return scalar ? fmt::format("{} ? {} : {}", a(), b(), c())
                      : fmt::format("select({}, {}, {})", a(), b(), c());
    case Opcode::instruction:
        if (operation.instruction->lane_map.empty())
            throw UserError(
                "instruction '{}' exists on one machine only and has no standalone C++; emit the kernel "
                "before instructions are selected",
                operation.instruction->name);
        if (const std::string_view function = intrinsic_of(operation, vectors_); !function.empty())
            return intrinsic(operation, function);
        return shuffle(operation, operation.instruction->lane_map);
    case Opcode::store:
    case Opcode::atomic_add:
    case Opcode::tma_load:
    case Opcode::tma_store:
    case Opcode::wgmma:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_expect_tx:
    case Opcode::mbarrier_wait:
    case Opcode::prefetch: break;
    }
    throw InternalError("emit_cpp: a statement where an expression was expected");
}

} // namespace swirl::emit
