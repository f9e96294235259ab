// ir operations as expressions of the GPU dialects, lane by lane.

#include "base/error.hpp"
#include "emit/gpu_c/kernel.hpp"
#include "emit/gpu_c/launch.hpp"
#include "emit/literal.hpp"
#include "ir/analysis.hpp"
#include "ir/rounding.hpp"

#include <bit>
#include <cmath>

namespace swirl::emit {
namespace {

/// `a` rounded to a 16-bit type and converted back to float.
std::string rounded(DataType scalar, const std::string& a) {
    return scalar == DataType::float16 ? fmt::format("float16_value(float16_bits({}))", a)
                                       : fmt::format("bfloat16_value(bfloat16_bits({}))", a);
}

} // namespace

std::string gpu_literal(const GpuDialect& dialect, long double constant, DataType scalar) {
    if (!is_floating(scalar)) return c_literal(constant, scalar);
    const double value = ir::round_to(scalar, constant);
    const bool is_wide = scalar == DataType::float64;
    if (std::isfinite(value)) return c_literal(value, is_wide ? scalar : DataType::float32);
    if (is_wide)
        return fmt::format(fmt::runtime(dialect.float64_of_bits),
                           fmt::format("0x{:016X}", std::bit_cast<std::uint64_t>(value)));
    return fmt::format(fmt::runtime(dialect.float32_of_bits),
                       fmt::format("0x{:08X}", std::bit_cast<std::uint32_t>(static_cast<float>(value))));
}

std::string gpu_table_entry(const GpuDialect& dialect, long double value, DataType scalar) {
    return is_short(scalar) ? bits_literal(value, scalar) : gpu_literal(dialect, value, scalar);
}

const GpuKernelWriter::Lanes& GpuKernelWriter::lanes_of(const ir::Operation& operation,
                                                        std::size_t position) const {
    const Lanes& lanes = values_[static_cast<std::size_t>(operation.operands[position])];
    ensure(!lanes.empty(), "a value is used before it is written");
    return lanes;
}

void GpuKernelWriter::compute(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const auto count = static_cast<std::size_t>(operation.type.lanes);
    Lanes& result = values_[static_cast<std::size_t>(value)];
    const auto of_lane_map = [&](std::span<const std::int8_t> map) {
        return shuffled(lanes_of(operation, 0), lanes_of(operation, ir::operand_count(operation) - 1), map);
    };
    switch (operation.opcode) {
    case ir::Opcode::constant: {
        const std::string literal = gpu_literal(dialect_, operation.constant, operation.type.scalar);
        result.assign(count, literal.starts_with('-') ? fmt::format("({})", literal) : literal);
        return;
    }
    case ir::Opcode::splat: result.assign(count, lanes_of(operation, 0).front()); return;
    case ir::Opcode::shuffle: result = of_lane_map(operation.lane_map); return;
    case ir::Opcode::instruction:
        if (operation.instruction->threads > 1 && dialect_.has_ptx) return write_ptx(value);
        if (operation.instruction->lane_map.empty())
            throw UserError("instruction '{}' exists on one machine only and has no {}",
                            operation.instruction->name, dialect_.name);
        result = of_lane_map(operation.instruction->lane_map);
        return;
    default: break;
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
        result.push_back(count == 1 ? fmt::format("v{}", value) : fmt::format("v{}_{}", value, lane));
        out_.line("const {} {} = {};", value_type(operation.type.scalar), result.back(),
                  expression(operation, lane));
    }
}

/// A PTX instruction whose operands are register lists, the result's first.
void GpuKernelWriter::write_ptx(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Instruction& entry = *operation.instruction;
    const auto letter = [](DataType scalar) { return scalar == DataType::float64 ? 'd' : 'f'; };
    Lanes& result = values_[static_cast<std::size_t>(value)];
    std::vector<std::string> outputs, inputs, lists;
    int register_index = 0;
    std::string before; // packs half-precision values in pairs
    int pairs = 0;
    const auto list_of = [&](const ir::Type& type) {
        std::vector<std::string> registers_text;
        for (int lane = 0; lane < type.lanes; ++lane)
            registers_text.push_back(fmt::format("%{}", register_index++));
        if (is_short(type.scalar)) {
            std::vector<std::string> registers;
            for (std::size_t lane = 0; lane + 1 < registers_text.size(); lane += 2) {
                registers.push_back(fmt::format("pair{}", pairs++));
                before += fmt::format(".reg .b32 {0}; cvt.rn.{1}x2.f32 {0}, {2}, {3}; ", registers.back(),
                                      type.scalar == DataType::float16 ? "f16" : "bf16",
                                      registers_text[lane + 1], registers_text[lane]);
            }
            registers_text = registers;
        }
        lists.push_back(fmt::format("{{{}}}", fmt::join(registers_text, ", ")));
    };
    list_of(entry.result);
    for (int lane = 0; lane < entry.result.lanes; ++lane) {
        result.push_back(fmt::format("v{}_{}", value, lane));
        outputs.push_back(fmt::format("\"={}\"({})", letter(entry.result.scalar), result.back()));
    }
    for (std::size_t i = 0; i < entry.operands.size(); ++i) {
        list_of(entry.operands[i]);
        for (const std::string& lane : lanes_of(operation, i))
            inputs.push_back(fmt::format("\"{}\"({})", letter(entry.operands[i].scalar), lane));
    }
    out_.line("{} {};", value_type(entry.result.scalar), fmt::join(result, ", "));
    const std::string text = fmt::format("{}{} {};", before, entry.text, fmt::join(lists, ", "));
    out_.line("asm volatile(\"{}\" : {} : {});", before.empty() ? text : "{ " + text + " }",
              fmt::join(outputs, ", "), fmt::join(inputs, ", "));
}

std::string GpuKernelWriter::expression(const ir::Operation& operation, std::size_t lane) const {
    using ir::Opcode;
    const auto a = [&](std::size_t position) -> const std::string& {
        return lanes_of(operation, position)[lane];
    };
    const DataType scalar = operation.type.scalar;
    const bool is_wide = scalar == DataType::float64;
    switch (operation.opcode) {
    case Opcode::index: return form(operation.address.index);
    case Opcode::negate: return c_arithmetic(operation.opcode, a(0), "");
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply: {
        // float32 has more than twice the significand bits of the half-precision types, so rounding twice equals
        // rounding once.
        const std::string result = c_arithmetic(operation.opcode, a(0), a(1));
        return is_short(scalar) ? rounded(scalar, result) : result;
    }
    case Opcode::divide:
        return fmt::format(fmt::runtime(scalar != DataType::float32 ? "{} / {}" : dialect_.divide32), a(0),
                           a(1));
    case Opcode::square_root:
        return fmt::format("{}({})", is_wide ? dialect_.square_root64 : dialect_.square_root32, a(0));
    case Opcode::magnitude:
        return fmt::format("{}({})", is_wide ? dialect_.magnitude64 : dialect_.magnitude32, a(0));
    case Opcode::power_of_two: return power_of_two(scalar, a(0));
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma: return fused(operation, lane);
    case Opcode::convert: return converted(program_[operation.operands[0]].type.scalar, scalar, a(0));
    case Opcode::bit_and: return a(0) + " & " + a(1);
    case Opcode::bit_xor: return a(0) + " ^ " + a(1);
    case Opcode::less: return a(0) + " < " + a(1);
    case Opcode::select: return fmt::format("{} ? {} : {}", a(0), a(1), a(2));
    default: throw InternalError("a statement where an expression was expected");
    }
}

/// 2^a: adding a large constant leaves a + bias as an integer in the last bits; a shift moves it to the exponent field.
std::string GpuKernelWriter::power_of_two(DataType scalar, const std::string& a) const {
    const auto format = [](std::string_view text, const std::string& argument) {
        return fmt::format(fmt::runtime(text), argument);
    };
    if (scalar == DataType::float32) {
        const std::string sum = a + " + " + c_literal(0x1.8p23L + 127, scalar);
        return format(dialect_.float32_of_bits,
                      fmt::format("(int)((unsigned int){} << 23)", format(dialect_.bits_of_float32, sum)));
    }
    const std::string sum = a + " + " + c_literal(0x1.8p52L + 1023, scalar);
    return format(dialect_.float64_of_bits,
                  fmt::format("({0})((unsigned {0}){1} << 52)", dialect_.wide_integer,
                              format(dialect_.bits_of_float64, sum)));
}

std::string GpuKernelWriter::fused(const ir::Operation& operation, std::size_t lane) const {
    const DataType scalar = operation.type.scalar;
    const std::string& b = lanes_of(operation, 1)[lane];
    const std::string a = (operation.opcode == ir::Opcode::fnma ? "-" : "") + lanes_of(operation, 0)[lane];
    const std::string c = (operation.opcode == ir::Opcode::fms ? "-" : "") + lanes_of(operation, 2)[lane];
    const bool is_float32 = scalar == DataType::float32;
    const std::string_view function = is_float32 ? dialect_.fma32 : dialect_.fma64;
    if (!is_short(scalar)) return fmt::format("{}({}, {}, {})", function, a, b, c);
    // In float64, where the sum of a product and a half-precision value is exact whenever its rounding is in doubt.
    return rounded(scalar, fmt::format("to_odd({}((double){}, (double){}, (double){}))", function, a, b, c));
}

std::string GpuKernelWriter::converted(DataType from, DataType to, const std::string& a) const {
    if (from == to) return a;
    ensure(to != DataType::boolean, "a conversion to boolean");
    if (from == DataType::boolean)
        return fmt::format("{} ? {} : {}", a, gpu_literal(dialect_, 1, to), gpu_literal(dialect_, 0, to));
    if (is_short_integer(to) && to != DataType::int32)
        return fmt::format("(int)({})(int){}", gpu_memory_type(dialect_, to), a);
    if (!is_short(to)) return fmt::format("({}){}", value_type(to), a);
    return rounded(
        to, from == DataType::float64 || from == DataType::int64 ? fmt::format("to_odd((double){})", a) : a);
}

} // namespace swirl::emit
