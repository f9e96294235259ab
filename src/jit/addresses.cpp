#include "jit/addresses.hpp"

#include "base/error.hpp"

namespace swirl::jit {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

void Addresses::forget() { held_ = {-1, -1}; }

std::int8_t Addresses::scratch() {
    last_ = 1 - last_;
    held_[static_cast<std::size_t>(last_)] = -1;
    return last_ == 0 ? general::rax : general::rcx;
}

std::int8_t Addresses::register_of(int stream) {
    const GeneralHome& home = streams_.stream(stream).home;
    if (home.in_register()) return home.number;
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (held_[i] != stream) continue;
        last_ = static_cast<int>(i);
        return i == 0 ? general::rax : general::rcx;
    }
    const std::int8_t number = scratch();
    code_.emit(Inst::kIdMov, gp(number), frame_operand(home.offset));
    held_[static_cast<std::size_t>(last_)] = stream;
    return number;
}

x86::Mem Addresses::operand(const MemoryPlace& place, int bytes, int dynamic) {
    const auto size = static_cast<std::uint32_t>(bytes);
    const auto offset = static_cast<std::int32_t>(place.displacement);
    if (place.base == MemoryPlace::Base::constant)
        return x86::ptr(pools_[static_cast<std::size_t>(place.number)], offset, size);
    x86::Gp base = x86::rsp;
    if (place.base == MemoryPlace::Base::stream) {
        base = gp(register_of(place.number));
        if (!fits_in_32_bits(place.displacement)) {
            const std::int8_t far = scratch();
            code_.emit(Inst::kIdMov, gp(far), asmjit::Imm(place.displacement));
            code_.emit(Inst::kIdAdd, gp(far), base);
            if (dynamic < 0) return x86::ptr(gp(far), 0, size);
            return x86::ptr(gp(far), gp(dynamic), place.shift, 0, size);
        }
    }
    if (dynamic < 0) return x86::ptr(base, offset, size);
    return x86::ptr(base, gp(dynamic), place.shift, offset, size);
}

std::int8_t Addresses::tile_row_register() {
    for (std::size_t i = 0; i < held_.size(); ++i)
        if (held_[i] == tile_rows) return i == 0 ? general::rax : general::rcx;
    const std::int8_t number = scratch();
    code_.emit(Inst::kIdMov, x86::gpd(static_cast<std::uint32_t>(number)), asmjit::Imm(tile_row_bytes));
    held_[static_cast<std::size_t>(last_)] = tile_rows;
    return number;
}

x86::Mem Addresses::tile_operand(const MemoryPlace& place) {
    ensure(fits_in_32_bits(place.displacement) && place.dynamic == no_register &&
               place.base != MemoryPlace::Base::constant,
           "a tile in a place that its instructions cannot name");
    x86::Gp base = x86::rsp;
    if (place.base == MemoryPlace::Base::stream) base = gp(register_of(place.number));
    return x86::ptr(base, gp(tile_row_register()), 0, static_cast<std::int32_t>(place.displacement));
}

void Addresses::load_integer(std::int8_t target, const StreamAccess& access) {
    if (access.stream < 0) {
        code_.emit(Inst::kIdMov, gp(target), asmjit::Imm(access.displacement));
        return;
    }
    const GeneralHome& home = streams_.stream(access.stream).home;
    if (!fits_in_32_bits(access.displacement)) {
        code_.emit(Inst::kIdMov, gp(target), asmjit::Imm(access.displacement));
        if (home.in_register())
            code_.emit(Inst::kIdAdd, gp(target), gp(home.number));
        else
            code_.emit(Inst::kIdAdd, gp(target), frame_operand(home.offset));
        return;
    }
    const auto offset = static_cast<std::int32_t>(access.displacement);
    if (!home.in_register()) {
        code_.emit(Inst::kIdMov, gp(target), frame_operand(home.offset));
        if (offset != 0) code_.emit(Inst::kIdAdd, gp(target), asmjit::Imm(offset));
    } else if (offset == 0) {
        if (target != home.number) code_.emit(Inst::kIdMov, gp(target), gp(home.number));
    } else {
        code_.emit(Inst::kIdLea, gp(target), x86::ptr(gp(home.number), offset));
    }
}

} // namespace swirl::jit
