#include "base/error.hpp"
#include "jit/selector.hpp"
#include "problem/data_type.hpp"

#include <bit>

/// Integers in vector lanes, and 8-bit and 16-bit types, which are only loaded, widened, narrowed to and stored. A scalar is lane 0 of a
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
        const Virtual bits = new_register(Class::integer, 8);
        X86Operation& machine = append(Form::load, Inst::kIdMovzx, bits, {});
        machine.memory = add_memory_operand(memory_operand);
        machine.memory_bytes = static_cast<std::uint16_t>(size);
        return computed(Form::unary, pick(Inst::kIdVmovq, Inst::kIdMovq), 16, {bits});
    }
    const bool is_contiguous = operation.address.lane_stride == 1;
    if (is_contiguous && operation.active == type.lanes && bytes >= 4) {
        const Virtual result =
            load_chunk(move(bytes), bytes, memory_operand, vector_bytes(type), no_register);
        block_->operations.back().result_width = width_of_bytes(bytes);
        return result;
    }
    if (!is_contiguous || !is_evex_ || type.lanes > 32) return load_short_lanes(operation, memory_operand);
    const Virtual result = load_chunk(size == 1 ? Inst::kIdVmovdqu8 : Inst::kIdVmovdqu16, vector_bytes(type),
                                      memory_operand, vector_bytes(type), no_register);
    block_->operations.back().mask =
        masks_.register_index_of(static_cast<std::uint32_t>((Bits{1} << operation.active) - 1));
    block_->operations.back().zeroing = true;
    return result;
}

/// 16-bit lanes one by one, with any distance in memory.
Virtual Selector::load_short_lanes(const ir::Operation& operation, const MemoryOperand& memory_operand) {
    const ir::Type type = operation.type;
    constexpr int size = 2, in_quarter = 8;
    ensure(bytes_of(type.scalar) == size && type.lanes <= 2 * in_quarter, "{} lanes of {} bytes one by one",
           type.lanes, bytes_of(type.scalar));
    const Integer stride = operation.active == 1 ? 0 : operation.address.lane_stride * size;
    std::vector<Virtual> quarters;
    for (int lane = 0; lane < operation.active; ++lane) {
        MemoryOperand element = memory_operand;
        element.displacement += lane * stride;
        if (lane % in_quarter == 0) {
            const Virtual first = new_register(Class::integer, 8);
            X86Operation& machine = append(Form::load, Inst::kIdMovzx, first, {});
            machine.memory = add_memory_operand(element);
            machine.memory_bytes = size;
            quarters.push_back(computed(Form::unary, pick(Inst::kIdVmovq, Inst::kIdMovq), 16, {first}));
        } else {
            quarters.back() = load_chunk(pick(Inst::kIdVpinsrw, Inst::kIdPinsrw), size, element, 16,
                                         quarters.back(), lane % in_quarter);
        }
    }
    const int bytes = vector_bytes(type);
    if (bytes == 16) return quarters.front();
    const Virtual low = resized(quarters.front(), bytes);
    if (quarters.size() == 1) return low;
    return computed(Form::binary, is_evex_ ? Inst::kIdVinsertf64x2 : Inst::kIdVinsertf128, bytes,
                    {low, quarters.back()}, 1);
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
        if (!is_signed) return computed(Form::binary, unpack, 16, {v, constant(DataType::int32, 0, 16)});
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

Virtual Selector::shifted_right(Virtual a, int bits, int bytes, bool is_signed) {
    const InstructionId id =
        is_signed ? pick(Inst::kIdVpsrad, Inst::kIdPsrad) : pick(Inst::kIdVpsrld, Inst::kIdPsrld);
    const Virtual result = computed(Form::unary, id, bytes, {a}, bits);
    block_->operations.back().destructive = is_legacy_;
    return result;
}

Virtual Selector::combined(InstructionId vex, InstructionId legacy, Virtual a, Virtual b, int bytes) {
    return computed(Form::binary, pick(vex, legacy), bytes, {a, b});
}

/// int32 or float32 to 8-bit and 16-bit types.
void Selector::narrow(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const ir::Type from = program_[operation.operands[0]].type;
    const DataType to = operation.type.scalar;
    const int bytes = vector_bytes(from);
    const Virtual a = resized(use(operation.operands[0]), bytes);
    if (is_integer(to)) {
        ensure(from.scalar == DataType::int32, "a conversion of {} to {}", swirl::name_of(from.scalar),
               swirl::name_of(to));
        return define(value, narrowed(to, a));
    }
    ensure(from.scalar == DataType::float32, "a conversion of {} to {}", swirl::name_of(from.scalar),
           swirl::name_of(to));
    if (to == DataType::bfloat16) return define(value, to_bfloat16(a));
    ensure(to == DataType::float16, "a conversion of {} to {}", swirl::name_of(from.scalar),
           swirl::name_of(to));
    if (is_legacy_) return define(value, to_float16_by_bits(a));
    const Virtual result = new_register(Class::vector, std::max(16, bytes / 2));
    append(Form::unary, Inst::kIdVcvtps2ph, result, {a}).immediate = 0; // to nearest, ties to even
    define(value, result);
}

/// The lower bits of int32 lanes.
Virtual Selector::narrowed(DataType to, Virtual a) {
    const int bytes = block_->info(a).bytes;
    const bool is_byte = bytes_of(to) == 1;
    if (is_evex_)
        return computed(Form::unary, is_byte ? Inst::kIdVpmovdb : Inst::kIdVpmovdw,
                        std::max(16, bytes / (is_byte ? 4 : 2)), {a});
    if (is_legacy_ && !is_byte) return upper_halves(shifted_left(a, 16, bytes));
    const Virtual mask = repeated(DataType::int32, is_byte ? 0xffU : 0xffffU, bytes);
    const Virtual low = combined(Inst::kIdVandps, Inst::kIdAndps, a, mask, bytes);
    const Virtual high = bytes == 32 ? quarter_of(low, 1) : resized(low, 16);
    const Virtual words = combined(Inst::kIdVpackusdw, Inst::kIdPackssdw, resized(low, 16), high,
                                   16); // below 2^16, with SSE2 2^8
    return is_byte ? combined(Inst::kIdVpackuswb, Inst::kIdPackuswb, words, words, 16) : words;
}

/// The upper 16 bits of int32 lanes.
Virtual Selector::upper_halves(Virtual a) {
    const int bytes = block_->info(a).bytes;
    const Virtual moved = shifted_right(a, 16, bytes, is_legacy_);
    return is_legacy_ ? computed(Form::binary, Inst::kIdPackssdw, 16, {moved, moved})
                      : narrowed(DataType::int16, moved);
}

/// Rounds to nearest, ties to even, by an addition to the bits; NaNs become quiet instead.
Virtual Selector::to_bfloat16(Virtual a) {
    constexpr int unordered = 3;
    const int bytes = block_->info(a).bytes;
    const auto constant = [&](std::uint32_t bits) { return repeated(DataType::int32, bits, bytes); };
    const Virtual odd =
        combined(Inst::kIdVandps, Inst::kIdAndps, shifted_right(a, 16, bytes, false), constant(1), bytes);
    const InstructionId add = pick(Inst::kIdVpaddd, Inst::kIdPaddd);
    const Virtual half = computed(Form::binary, add, bytes, {odd, constant(0x7fff)});
    const Virtual rounded = computed(Form::binary, add, bytes, {half, a});
    const Virtual quiet = combined(Inst::kIdVorps, Inst::kIdOrps, a, constant(0x400000), bytes);
    const Virtual is_nan = computed(is_evex_ ? Form::compare : Form::binary,
                                    pick(Inst::kIdVcmpps, Inst::kIdCmpps), bytes, {a, a}, unordered);
    return upper_halves(is_evex_ ? computed(Form::select, Inst::kIdVblendmps, bytes, {is_nan, quiet, rounded})
                                 : chosen(is_nan, quiet, rounded, bytes));
}

/// As detail::float16_bits of <swirl/half.hpp>.
Virtual Selector::to_float16_by_bits(Virtual a) {
    const auto constant = [&](std::uint32_t bits) { return repeated(DataType::int32, bits, 16); };
    const auto binary = [&](InstructionId id, Virtual x, Virtual y) {
        return computed(Form::binary, id, 16, {x, y});
    };
    const auto exceeds = [&](Virtual x, std::uint32_t bound) {
        return binary(Inst::kIdPcmpgtd, x, constant(bound));
    };
    const Virtual sign = binary(Inst::kIdAndps, a, constant(0x80000000U));
    const Virtual magnitude = binary(Inst::kIdAndps, a, constant(0x7fffffffU));
    const Virtual odd = binary(Inst::kIdAndps, shifted_right(magnitude, 13, 16, false), constant(1));
    const Virtual half = binary(Inst::kIdPaddd, odd, constant(0xfffU - 0x38000000U)); // biases differ by 112
    const Virtual normal = shifted_right(binary(Inst::kIdPaddd, half, magnitude), 13, 16, false);
    const Virtual moved = binary(Inst::kIdAddps, magnitude, constant(0x3f000000U)); // + 0.5
    const Virtual subnormal = binary(Inst::kIdPsubd, moved, constant(0x3f000000U));
    Virtual result = chosen(exceeds(magnitude, 0x387fffffU), normal, subnormal, 16);
    result = chosen(exceeds(magnitude, 0x477fefffU), constant(0x7c00), result, 16);
    result = chosen(exceeds(magnitude, 0x7f800000U), constant(0x7e00), result, 16);
    return upper_halves(binary(Inst::kIdOrps, shifted_left(result, 16, 16), sign));
}

/// Stores 8-bit and 16-bit lanes where not a whole vector of 16 bytes or more is contiguous.
void Selector::store_short(const ir::Operation& operation, const MemoryOperand& memory_operand, Virtual v) {
    const ir::Type type = program_[operation.operands[0]].type;
    const int size = bytes_of(type.scalar), bytes = operation.active * size;
    const bool is_contiguous = operation.active == 1 || operation.address.lane_stride == 1;
    if (is_contiguous && bytes >= 4 && std::has_single_bit(Bits(bytes)))
        return store_chunk(move(bytes), bytes, memory_operand, v);
    if (is_contiguous && is_evex_ && operation.active > 1 && type.lanes <= 32) {
        store_chunk(size == 1 ? Inst::kIdVmovdqu8 : Inst::kIdVmovdqu16, block_->info(v).bytes, memory_operand,
                    v);
        block_->operations.back().mask =
            masks_.register_index_of(static_cast<std::uint32_t>((Bits{1} << operation.active) - 1));
        return;
    }
    const int in_quarter = 16 / size;
    Virtual quarter = no_register;
    for (int lane = 0; lane < operation.active; ++lane) {
        if (lane % in_quarter == 0) quarter = quarter_of(v, lane / in_quarter);
        MemoryOperand element = memory_operand;
        element.displacement += lane * operation.address.lane_stride * size;
        store_short_lane(size, lane % in_quarter, element, quarter);
    }
}

/// Stores one lane of 16 bytes.
void Selector::store_short_lane(int size, int lane, const MemoryOperand& memory_operand, Virtual v) {
    if (!is_legacy_)
        return store_chunk(size == 1 ? Inst::kIdVpextrb : Inst::kIdVpextrw, size, memory_operand, v, lane);
    if (size == 1 && lane % 2 == 1) {
        const Virtual upper = computed(Form::unary, Inst::kIdPsrlw, 16, {v}, 8);
        block_->operations.back().destructive = true;
        v = upper;
    }
    const Virtual word = new_register(Class::integer, 8);
    append(Form::unary, Inst::kIdPextrw, word, {v}).immediate = size == 1 ? lane / 2 : lane;
    store_chunk(Inst::kIdMov, size, memory_operand, word);
    block_->operations.back().widths[0] = size == 1 ? Width::general_byte : Width::general_word;
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
                                      {constant(DataType::int32, 0, bytes), a}));
    const ir::Operation& second = program_[operation.operands[1]];
    const auto factor = static_cast<Integer>(second.opcode == Opcode::constant ? second.constant : 0);
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
