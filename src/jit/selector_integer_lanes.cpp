#include "jit/selector.hpp"

namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;
using target::x86::Mnemonic;

constexpr int bytes = 64;
constexpr std::uint32_t magnitude_bits = 0x7fffffff;

} // namespace

/// An operation on a and a broadcast 32-bit constant.
Virtual Selector::with_32_bit_constant(InstructionId id, Virtual a, std::uint32_t word) {
    const Virtual result = computed(Form::binary, id, bytes, {a, repeated(DataType::float32, word, bytes)});
    block_->operations.back().folds = block_->operations.back().folds_broadcast = true;
    return result;
}

std::optional<Virtual> Selector::sequence_on_32_bit_lanes(Mnemonic mnemonic, Virtual a, Virtual b) {
    switch (mnemonic) {
    case Mnemonic::rounded_to_bfloat16:
        return with_32_bit_constant(Inst::kIdVpandd, with_32_bit_constant(Inst::kIdVpaddd, a, 0x8000),
                                    0xffff0000);
    case Mnemonic::pairs_of_bfloat16: {
        constexpr std::uint32_t odd_lanes = 0xaaaaaaaa;
        const Virtual low = new_register(Class::vector, bytes);
        append(Form::unary, Inst::kIdVpsrld, low, {a}).immediate = 16;
        const Virtual result = computed(Form::binary, Inst::kIdVpblendmw, bytes, {low, b});
        block_->operations.back().mask = masks_.register_index_of(odd_lanes);
        return result;
    }
    case Mnemonic::largest_magnitude:
        return computed(Form::binary, Inst::kIdVpmaxud, bytes,
                        {a, with_32_bit_constant(Inst::kIdVpandd, b, magnitude_bits)});
    case Mnemonic::least_magnitude: {
        constexpr std::uint32_t minus_one = 0xffffffff;
        const Virtual magnitude = with_32_bit_constant(Inst::kIdVpandd, b, magnitude_bits);
        return computed(Form::binary, Inst::kIdVpminud, bytes,
                        {a, with_32_bit_constant(Inst::kIdVpaddd, magnitude, minus_one)});
    }
    default: return std::nullopt;
    }
}

} // namespace swirl::jit
