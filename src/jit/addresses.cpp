#include "jit/addresses.hpp"

#include "base/error.hpp"

namespace swirl::jit {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

void Addresses::invalidate() { held_ = {-1, -1}; }

std::int8_t Addresses::scratch() {
    last_ = 1 - last_;
    held_[static_cast<std::size_t>(last_)] = -1;
    return last_ == 0 ? general::rax : general::rcx;
}

std::int8_t Addresses::register_of(int induction) {
    const IntegerLocation& location = inductions_.induction(induction).location;
    if (location.in_register()) return location.reg;
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (held_[i] != induction) continue;
        last_ = static_cast<int>(i);
        return i == 0 ? general::rax : general::rcx;
    }
    const std::int8_t reg = scratch();
    code_.emit(Inst::kIdMov, gp(reg), frame_operand(location.offset));
    held_[static_cast<std::size_t>(last_)] = induction;
    return reg;
}

x86::Mem Addresses::operand(const MemoryOperand& memory_operand, int bytes, int dynamic) {
    const auto size = static_cast<std::uint32_t>(bytes);
    const auto offset = static_cast<std::int32_t>(memory_operand.displacement);
    if (memory_operand.base == MemoryOperand::Base::constant)
        return x86::ptr(pools_[static_cast<std::size_t>(memory_operand.index)], offset, size);
    x86::Gp base = x86::rsp;
    if (memory_operand.base == MemoryOperand::Base::induction) {
        base = gp(register_of(memory_operand.index));
        if (!fits_in_32_bits(memory_operand.displacement)) {
            const std::int8_t far = scratch();
            code_.emit(Inst::kIdMov, gp(far), asmjit::Imm(memory_operand.displacement));
            code_.emit(Inst::kIdAdd, gp(far), base);
            if (dynamic < 0) return x86::ptr(gp(far), 0, size);
            return x86::ptr(gp(far), gp(dynamic), memory_operand.shift, 0, size);
        }
    }
    if (dynamic < 0) return x86::ptr(base, offset, size);
    return x86::ptr(base, gp(dynamic), memory_operand.shift, offset, size);
}

std::int8_t Addresses::tile_row_register() {
    for (std::size_t i = 0; i < held_.size(); ++i)
        if (held_[i] == tile_rows) return i == 0 ? general::rax : general::rcx;
    const std::int8_t reg = scratch();
    code_.emit(Inst::kIdMov, x86::gpd(static_cast<std::uint32_t>(reg)), asmjit::Imm(tile_row_bytes));
    held_[static_cast<std::size_t>(last_)] = tile_rows;
    return reg;
}

x86::Mem Addresses::tile_operand(const MemoryOperand& memory_operand) {
    ensure(fits_in_32_bits(memory_operand.displacement) && memory_operand.dynamic == no_register &&
               memory_operand.base != MemoryOperand::Base::constant,
           "a tile at an address that tile instructions cannot encode");
    x86::Gp base = x86::rsp;
    if (memory_operand.base == MemoryOperand::Base::induction) base = gp(register_of(memory_operand.index));
    return x86::ptr(base, gp(tile_row_register()), 0, static_cast<std::int32_t>(memory_operand.displacement));
}

void Addresses::load_integer(std::int8_t target, const InductionAccess& access) {
    if (access.induction < 0) {
        code_.emit(Inst::kIdMov, gp(target), asmjit::Imm(access.displacement));
        return;
    }
    const IntegerLocation& location = inductions_.induction(access.induction).location;
    if (!fits_in_32_bits(access.displacement)) {
        code_.emit(Inst::kIdMov, gp(target), asmjit::Imm(access.displacement));
        if (location.in_register())
            code_.emit(Inst::kIdAdd, gp(target), gp(location.reg));
        else
            code_.emit(Inst::kIdAdd, gp(target), frame_operand(location.offset));
        return;
    }
    const auto offset = static_cast<std::int32_t>(access.displacement);
    if (!location.in_register()) {
        code_.emit(Inst::kIdMov, gp(target), frame_operand(location.offset));
        if (offset != 0) code_.emit(Inst::kIdAdd, gp(target), asmjit::Imm(offset));
    } else if (offset == 0) {
        if (target != location.reg) code_.emit(Inst::kIdMov, gp(target), gp(location.reg));
    } else {
        code_.emit(Inst::kIdLea, gp(target), x86::ptr(gp(location.reg), offset));
    }
}

} // namespace swirl::jit
