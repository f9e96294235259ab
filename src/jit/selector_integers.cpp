#include "base/error.hpp"
#include "jit/selector.hpp"

#include <bit>

/// Integers in vector lanes, and 8-bit and 16-bit types, which are only loaded and widened. A scalar is lane 0 of a
/// 16-byte register.
namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;
using ir::Opcode;

int vector_bytes(ir::Type type) { return std::max<Integer>(16, type.lanes * bytes_of(type.scalar)); }

} // namespace

/// The first `active` lanes, then zeros.
Virtual Selector::load_short(ir::Value value, const MemoryOperand& memory_operand) {
    const ir::Operation& operation = program_[value];
    const ir::Type type = operation.type;
    const int size = bytes_of(type.scalar), bytes = type.lanes * size;
    if (type.lanes == 1) {
        const Virtual number = new_register(Class::integer, 8);
        X86Operation& machine = append(Form::load, Inst::kIdMovzx, number, {});
        machine.memory = add_memory_operand(memory_operand);
        machine.memory_bytes = static_cast<std::uint16_t>(size);
        return computed(Form::unary, pick(Inst::kIdVmovq, Inst::kIdMovq), 16, {number});
    }
    ensure(operation.address.lane_stride == 1 && bytes >= 4, "{} numbers of {} bytes that are not neighbours",
           type.lanes, size);
    if (operation.active == type.lanes) {
        const Virtual result =
            load_chunk(move(bytes), bytes, memory_operand, vector_bytes(type), no_register);
        block_->operations.back().result_width = width_of_bytes(bytes);
        return result;
    }
    ensure(is_evex_ && type.lanes <= 32, "{} of {} lanes on {}", operation.active, type.lanes, cpu_.name);
    const Virtual result = load_chunk(size == 1 ? Inst::kIdVmovdqu8 : Inst::kIdVmovdqu16, vector_bytes(type),
                                      memory_operand, vector_bytes(type), no_register);
    block_->operations.back().mask =
        masks_.register_index_of(static_cast<std::uint32_t>((Bits{1} << operation.active) - 1));
    block_->operations.back().zeroing = true;
    return result;
}

/// Extends 8-bit or 16-bit integers to lanes of `size` bytes.
Virtual Selector::widened(DataType from, int size, int lanes, Virtual a) {
    const bool is_signed = from != DataType::uint8;
    const int from_size = bytes_of(from), bytes = std::max<Integer>(16, lanes * size);
    if (!is_legacy_) {
        const InstructionId id = from_size == 2 ? (is_signed ? Inst::kIdVpmovsxwd : Inst::kIdVpmovzxwd)
                                 : size == 2    ? (is_signed ? Inst::kIdVpmovsxbw : Inst::kIdVpmovzxbw)
                                                : (is_signed ? Inst::kIdVpmovsxbd : Inst::kIdVpmovzxbd);
        return computed(Form::unary, id, bytes, {a});
    }
    const auto doubled = [&](InstructionId unpack, InstructionId shift, int bits, Virtual v) {
        if (!is_signed) return computed(Form::binary, unpack, 16, {v, number(DataType::int32, 0, 16)});
        const Virtual twice = computed(Form::binary, unpack, 16, {v, v});
        const Virtual result = computed(Form::unary, shift, 16, {twice}, bits);
        block_->operations.back().destructive = true;
        return result;
    };
    if (from_size == 1) a = doubled(Inst::kIdPunpcklbw, Inst::kIdPsraw, 8, a);
    return size == 2 ? a : doubled(Inst::kIdPunpcklwd, Inst::kIdPsrad, 16, a);
}

Virtual Selector::shifted_left(Virtual a, int bits, int bytes) {
    const Virtual result = computed(Form::unary, pick(Inst::kIdVpslld, Inst::kIdPslld), bytes, {a}, bits);
    block_->operations.back().destructive = is_legacy_;
    return result;
}

void Selector::convert_short(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Type from = program_[operation.operands[0]].type, to = operation.type;
    const int bytes = vector_bytes(to);
    const Virtual a = use(operation.operands[0]);
    if (is_integer(from.scalar)) {
        ensure(
            is_integer(to.scalar) && bytes_of(to.scalar) <= 4 && bytes_of(to.scalar) > bytes_of(from.scalar),
            "a conversion of short integers to others than wider ones");
        return define(value, widened(from.scalar, bytes_of(to.scalar), to.lanes, a));
    }
    ensure(to.scalar == DataType::float32, "a conversion of a storage type to another one than float32");
    if (from.scalar == DataType::bfloat16)
        define(value, shifted_left(widened(DataType::int16, 4, to.lanes, a), 16, bytes));
    else if (!is_legacy_)
        define(value, computed(Form::unary, Inst::kIdVcvtph2ps, bytes, {a})); // CPUs with AVX2 have F16C
    else
        define(value, from_float16_by_bits(a));
}

/// Shifts exponent and fraction into a float32 whose exponent is 112 too low; infinities and NaNs get all exponent
/// bits.
Virtual Selector::from_float16_by_bits(Virtual a) {
    const auto constant = [&](std::uint32_t bits) { return repeated(DataType::int32, bits, 16); };
    const auto binary = [&](InstructionId id, Virtual x, Virtual y) {
        return computed(Form::binary, id, 16, {x, y});
    };
    const Virtual in_upper_half = shifted_left(widened(DataType::int16, 4, 4, a), 16, 16);
    const Virtual sign = binary(Inst::kIdAndps, in_upper_half, constant(0x80000000U));
    const Virtual magnitude = binary(Inst::kIdAndps, in_upper_half, constant(0x7fff0000U));
    const Virtual moved = computed(Form::unary, Inst::kIdPsrld, 16, {magnitude}, 3);
    block_->operations.back().destructive = true;
    const Virtual scaled = binary(Inst::kIdMulps, moved, constant(0x77800000U)); // 2^112
    const Virtual is_special = binary(Inst::kIdPcmpgtd, moved, constant(0x0f7fffffU));
    const Virtual exponent = binary(Inst::kIdAndps, is_special, constant(0x7f800000U));
    return binary(Inst::kIdOrps, binary(Inst::kIdOrps, scaled, exponent), sign);
}

/// Products modulo 2^32.
Virtual Selector::multiply_lanes(Virtual a, Virtual b, int bytes) {
    if (!is_legacy_) {
        const Virtual result = computed(Form::binary, Inst::kIdVpmulld, bytes, {a, b});
        block_->operations.back().commutative = true;
        return result;
    }
    const auto odd = [&](Virtual v) { return computed(Form::unary, Inst::kIdPshufd, 16, {v}, 0xf5); };
    const auto lower_halves = [&](Virtual x, Virtual y) {
        const Virtual product = computed(Form::binary, Inst::kIdPmuludq, 16, {x, y});
        return computed(Form::unary, Inst::kIdPshufd, 16, {product}, 0x08);
    };
    const Virtual evens = lower_halves(a, b);
    return computed(Form::binary, Inst::kIdPunpckldq, 16, {evens, lower_halves(odd(a), odd(b))});
}

void Selector::lane_integers(ir::Value value) {
    const ir::Operation& operation = program_[value];
    ensure(operation.type.scalar == DataType::int32, "arithmetic of vectors of other integers than int32");
    const int bytes = vector_bytes(operation.type);
    const Virtual a = use(operation.operands[0]);
    if (operation.opcode == Opcode::negate)
        return define(value, computed(Form::binary, pick(Inst::kIdVpsubd, Inst::kIdPsubd), bytes,
                                      {number(DataType::int32, 0, bytes), a}));
    const ir::Operation& second = program_[operation.operands[1]];
    const auto factor = static_cast<Integer>(second.opcode == Opcode::constant ? second.number : 0);
    if (operation.opcode == Opcode::multiply && factor > 0 && std::has_single_bit(Bits(factor)))
        return define(value, shifted_left(a, std::countr_zero(Bits(factor)), bytes));
    const Virtual b = use(operation.operands[1]);
    if (operation.opcode == Opcode::multiply) return define(value, multiply_lanes(a, b, bytes));
    const InstructionId id = operation.opcode == Opcode::add        ? pick(Inst::kIdVpaddd, Inst::kIdPaddd)
                             : operation.opcode == Opcode::subtract ? pick(Inst::kIdVpsubd, Inst::kIdPsubd)
                             : operation.opcode == Opcode::bit_and  ? pick(Inst::kIdVandps, Inst::kIdAndps)
                                                                    : pick(Inst::kIdVxorps, Inst::kIdXorps);
    define(value, computed(Form::binary, id, bytes, {a, b}));
    X86Operation& machine = block_->operations.back();
    machine.commutative = operation.opcode != Opcode::subtract;
    machine.folds = operation.type.lanes > 1;
    machine.folds_broadcast = is_evex_ && machine.folds;
}

} // namespace swirl::jit
