// ir operations as PTX instructions, lane by lane. Roundings are always explicit (`add.rn`): without them ptxas may
// contract.

#include "base/error.hpp"
#include "emit/literal.hpp"
#include "emit/ptx/kernel.hpp"
#include "ir/analysis.hpp"
#include "ir/type_rules.hpp"
#include "problem/data_type.hpp"

namespace swirl::emit {

std::string_view ptx_type(DataType scalar) {
    switch (scalar) {
    case DataType::boolean: return "pred";
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32: return "s32"; // shorter integers are held so
    case DataType::int64: return "s64";
    case DataType::float8_e4m3: // held so, like the next
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float32: return "f32";
    case DataType::float64: return "f64";
    default: throw InternalError("ptx: no registers hold {}", name_of(scalar));
    }
}

PtxRegister ptx_register(DataType scalar) {
    switch (scalar) {
    case DataType::boolean: return PtxRegister::predicate;
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32: return PtxRegister::int32;
    case DataType::int64: return PtxRegister::int64;
    case DataType::float8_e4m3:
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float32: return PtxRegister::float32;
    case DataType::float64: return PtxRegister::float64;
    default: throw InternalError("ptx: no registers hold {}", name_of(scalar));
    }
}

namespace {

/// Integers shorter than 32 bits are only moved, compared and converted; 8-bit floats are only moved and widened.
void expect_arithmetic(DataType scalar) {
    ensure(!is_short_integer(scalar) && scalar != DataType::float8_e4m3, "ptx: arithmetic of {}",
           name_of(scalar));
}

} // namespace

const PtxKernelWriter::Lanes& PtxKernelWriter::operand(const ir::Operation& operation,
                                                       std::size_t position) const {
    const Lanes& result = values_[static_cast<std::size_t>(operation.operands[position])];
    ensure(!result.empty(), "ptx: operand {} of a {} is not computed yet", position + 1,
           name_of(operation.opcode));
    return result;
}

PtxKernelWriter::Lanes PtxKernelWriter::lanes(const ir::Operation& operation) {
    using ir::Opcode;
    const auto count = static_cast<std::size_t>(operation.type.lanes);
    const auto each = [&](auto&& lane) {
        Lanes result;
        for (std::size_t l = 0; l < count; ++l) result.push_back(lane(l));
        return result;
    };
    const auto of_lane_map = [&](std::span<const std::int8_t> map) {
        return shuffled(operand(operation, 0), operand(operation, ir::operand_count(operation) - 1), map);
    };
    switch (operation.opcode) {
    case Opcode::constant: return constant(operation.type, operation.constant);
    case Opcode::index: return {addresses_.converted(addresses_.value(operation.address.index), true).text};
    case Opcode::load: return load(operation);
    case Opcode::splat: return Lanes(count, operand(operation, 0).front());
    case Opcode::negate:
        return each([&](std::size_t l) { return negated(operation.type.scalar, operand(operation, 0)[l]); });
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply: return each([&](std::size_t l) { return arithmetic(operation, l); });
    case Opcode::divide: return each([&](std::size_t l) { return quotient(operation, l); });
    case Opcode::square_root:
    case Opcode::magnitude: return each([&](std::size_t l) { return root_or_magnitude(operation, l); });
    case Opcode::power_of_two:
        return each(
            [&](std::size_t l) { return power_of_two(operation.type.scalar, operand(operation, 0)[l]); });
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma: return each([&](std::size_t l) { return fused(operation, l); });
    case Opcode::shuffle: return of_lane_map(operation.lane_map);
    case Opcode::convert:
        return each([&](std::size_t l) {
            return converted(program_[operation.operands[0]].type.scalar, operation.type.scalar,
                             operand(operation, 0)[l]);
        });
    case Opcode::less: return each([&](std::size_t l) { return less(operation, l); });
    case Opcode::select: return each([&](std::size_t l) { return select(operation, l); });
    case Opcode::bit_and:
    case Opcode::bit_xor: return each([&](std::size_t l) { return bitwise(operation, l); });
    case Opcode::bitcast: throw InternalError("ptx: a {}, which is of CPUs", name_of(operation.opcode));
    case Opcode::instruction:
        if (operation.instruction->threads > 1) return warp_instruction(operation);
        if (operation.instruction->lane_map.empty() && !operation.instruction->text.empty())
            return executed(operation);
        ensure(!operation.instruction->lane_map.empty(),
               "ptx: instruction '{}' is not one of this back end, nor a move of lanes",
               operation.instruction->name);
        return of_lane_map(operation.instruction->lane_map);
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
    throw InternalError("ptx: a statement where an expression was expected");
}

/// Literals replace registers, except booleans, which have no literals.
PtxKernelWriter::Lanes PtxKernelWriter::constant(ir::Type type, long double value) {
    const std::string literal = ptx_literal(value, type.scalar);
    const auto count = static_cast<std::size_t>(type.lanes);
    if (type.scalar != DataType::boolean) return Lanes(count, literal);
    return Lanes(count, out_.result(PtxRegister::predicate, "mov.pred", {literal}));
}

/// Packs pairs of half-precision values, one pair per register.
PtxKernelWriter::Lanes PtxKernelWriter::pairs(DataType scalar, const Lanes& lanes) {
    Lanes result;
    for (std::size_t l = 0; l + 1 < lanes.size(); l += 2) {
        const std::string low = packed(scalar, lanes[l]), high = packed(scalar, lanes[l + 1]);
        result.push_back(out_.result(PtxRegister::int32, "mov.b32", {fmt::format("{{{}, {}}}", low, high)}));
    }
    return result;
}

/// A scalar instruction, whose operands may be literals.
PtxKernelWriter::Lanes PtxKernelWriter::executed(const ir::Operation& operation) {
    const ir::Instruction& entry = *operation.instruction;
    ensure(entry.operands.size() == 2 && entry.result.lanes == 1 &&
               static_cast<int>(entry.encoding) <= layout_.capability,
           "ptx: instruction '{}' for compute capability {}", entry.name, layout_.capability);
    return {out_.result(ptx_register(entry.result.scalar), entry.text,
                        {operand(operation, 0).front(), operand(operation, 1).front()})};
}

/// Reads the value of another thread of the warp (shfl.sync with all threads active).
PtxKernelWriter::Lanes PtxKernelWriter::exchanged(const ir::Operation& operation) {
    const ir::Instruction& entry = *operation.instruction;
    std::string value = operand(operation, 0).front();
    if (!value.starts_with('%')) // a literal
        value = out_.result(PtxRegister::float32, "mov.f32", {value});
    return {out_.result(PtxRegister::float32, entry.text,
                        {value, std::to_string(entry.immediate), "31", "0xffffffff"})};
}

/// An instruction whose operands are register lists, the result's first.
PtxKernelWriter::Lanes PtxKernelWriter::warp_instruction(const ir::Operation& operation) {
    const ir::Instruction& entry = *operation.instruction;
    ensure(!entry.text.empty() && static_cast<int>(entry.encoding) <= layout_.capability,
           "ptx: instruction '{}' for compute capability {}", entry.name, layout_.capability);
    if (entry.immediate >= 0) return exchanged(operation);
    Lanes result;
    for (int lane = 0; lane < entry.result.lanes; ++lane)
        result.push_back(out_.fresh(ptx_register(entry.result.scalar)));
    std::vector<std::string> lists = {fmt::format("{{{}}}", fmt::join(result, ", "))};
    for (std::size_t i = 0; i < entry.operands.size(); ++i) {
        Lanes registers;
        const DataType scalar = entry.operands[i].scalar;
        if (is_short(scalar)) {
            lists.push_back(fmt::format("{{{}}}", fmt::join(pairs(scalar, operand(operation, i)), ", ")));
            continue;
        }
        for (const std::string& lane : operand(operation, i)) // which may be literals
            registers.push_back(
                lane.starts_with('%')
                    ? lane
                    : out_.result(ptx_register(scalar), fmt::format("mov.{}", ptx_type(scalar)), {lane}));
        lists.push_back(fmt::format("{{{}}}", fmt::join(registers, ", ")));
    }
    out_.code().line("{} {};", entry.text, fmt::join(lists, ", "));
    return result;
}

std::string PtxKernelWriter::negated(DataType scalar, const std::string& a) {
    expect_arithmetic(scalar);
    return out_.result(ptx_register(scalar), fmt::format("neg.{}", ptx_type(scalar)), {a});
}

std::string PtxKernelWriter::quotient(const ir::Operation& operation, std::size_t lane) {
    const DataType scalar = operation.type.scalar;
    const std::string_view rounding = scalar == DataType::int64 ? "" : ".rn";
    return out_.result(ptx_register(scalar), fmt::format("div{}.{}", rounding, ptx_type(scalar)),
                       {operand(operation, 0)[lane], operand(operation, 1)[lane]});
}

std::string PtxKernelWriter::root_or_magnitude(const ir::Operation& operation, std::size_t lane) {
    const DataType scalar = operation.type.scalar;
    const std::string_view name = operation.opcode == ir::Opcode::magnitude ? "abs" : "sqrt.rn";
    return out_.result(ptx_register(scalar), fmt::format("{}.{}", name, ptx_type(scalar)),
                       {operand(operation, 0)[lane]});
}

std::string PtxKernelWriter::arithmetic(const ir::Operation& operation, std::size_t lane) {
    using ir::Opcode;
    const DataType scalar = operation.type.scalar;
    expect_arithmetic(scalar);
    const bool is_integer = scalar == DataType::int64;
    std::string_view name = "mul";
    if (operation.opcode == Opcode::add) name = "add";
    if (operation.opcode == Opcode::subtract) name = "sub";
    std::string_view rounding = ".rn";
    if (is_integer) rounding = operation.opcode == Opcode::multiply ? ".lo" : "";
    const std::string result =
        out_.result(ptx_register(scalar), fmt::format("{}{}.{}", name, rounding, ptx_type(scalar)),
                    {operand(operation, 0)[lane], operand(operation, 1)[lane]});
    // float32 has more than twice the significand bits of the half-precision types, so rounding twice equals rounding
    // once.
    return is_short(scalar) ? rounded(scalar, result) : result;
}

/// 2^a: adding a large constant leaves a + bias as an integer in the last bits; a shift moves it to the exponent field.
std::string PtxKernelWriter::power_of_two(DataType scalar, const std::string& a) {
    const bool is_double = scalar == DataType::float64;
    const PtxRegister real = ptx_register(scalar);
    const PtxRegister whole = is_double ? PtxRegister::int64 : PtxRegister::int32;
    const std::string_view bits = is_double ? "b64" : "b32";
    const std::string shift = ptx_literal(is_double ? 0x1.8p52L + 1023 : 0x1.8p23L + 127, scalar);
    const std::string sum = out_.result(real, fmt::format("add.rn.{}", ptx_type(scalar)), {a, shift});
    const std::string exponent =
        out_.result(whole, fmt::format("shl.{}", bits),
                    {out_.result(whole, fmt::format("mov.{}", bits), {sum}), is_double ? "52" : "23"});
    return out_.result(real, fmt::format("mov.{}", bits), {exponent});
}

std::string PtxKernelWriter::bitwise(const ir::Operation& operation, std::size_t lane) {
    expect_arithmetic(operation.type.scalar);
    return out_.result(ptx_register(operation.type.scalar),
                       operation.opcode == ir::Opcode::bit_and ? "and.b64" : "xor.b64",
                       {operand(operation, 0)[lane], operand(operation, 1)[lane]});
}

std::string PtxKernelWriter::fused(const ir::Operation& operation, std::size_t lane) {
    const DataType scalar = operation.type.scalar;
    std::string a = operand(operation, 0)[lane];
    const std::string& b = operand(operation, 1)[lane];
    std::string c = operand(operation, 2)[lane];
    if (operation.opcode == ir::Opcode::fnma) a = negated(scalar, a);
    if (operation.opcode == ir::Opcode::fms) c = negated(scalar, c);
    if (is_short(scalar)) return fused_short(scalar, a, b, c);
    return out_.result(ptx_register(scalar), fmt::format("fma.rn.{}", ptx_type(scalar)), {a, b, c});
}

/// In the half-precision type itself: rounding the exact sum to float32 first could change the result.
std::string PtxKernelWriter::fused_short(DataType scalar, const std::string& a, const std::string& b,
                                         const std::string& c) {
    const char* opcode = scalar == DataType::float16 ? "fma.rn.f16" : "fma.rn.bf16";
    const std::string x = packed(scalar, a), y = packed(scalar, b), z = packed(scalar, c);
    return unpacked(scalar, out_.result(PtxRegister::bits16, opcode, {x, y, z}));
}

std::string PtxKernelWriter::less(const ir::Operation& operation, std::size_t lane) {
    const DataType scalar = program_[operation.operands[0]].type.scalar;
    return out_.result(PtxRegister::predicate, fmt::format("setp.lt.{}", ptx_type(scalar)),
                       {operand(operation, 0)[lane], operand(operation, 1)[lane]});
}

std::string PtxKernelWriter::select(const ir::Operation& operation, std::size_t lane) {
    const std::string& chooser = operand(operation, 0)[lane];
    const std::string& a = operand(operation, 1)[lane];
    const std::string& b = operand(operation, 2)[lane];
    const DataType scalar = operation.type.scalar;
    if (scalar != DataType::boolean)
        return out_.result(ptx_register(scalar), fmt::format("selp.{}", ptx_type(scalar)), {a, b, chooser});
    const auto logic = [&](const char* opcode, std::initializer_list<std::string_view> operands) {
        return out_.result(PtxRegister::predicate, opcode, operands);
    };
    const std::string if_true = logic("and.pred", {chooser, a});
    const std::string if_false = logic("and.pred", {logic("not.pred", {chooser}), b});
    return logic("or.pred", {if_true, if_false});
}

} // namespace swirl::emit
