#pragma once

#include "jit/code_buffer.hpp"
#include "jit/constant_pool.hpp"
#include "jit/induction_variables.hpp"

namespace swirl::jit {

/// x86 memory operands. Integers that have no general register go through rax or rcx, which cache them until reused.
class Addresses {
public:
    Addresses(const InductionVariables& inductions,
              std::array<asmjit::Label, ConstantPool::size_classes> pools, CodeBuffer& code)
        : inductions_(inductions), pools_(pools), code_(code) {}

    /// The operand for `bytes` bytes (0: implied by the instruction) at `memory_operand`; `dynamic` is the general
    /// register of its dynamic index. May emit instructions that change rax or rcx.
    asmjit::x86::Mem operand(const MemoryOperand& memory_operand, int bytes, int dynamic = -1);

    /// The operand for a tile register at `memory_operand`, with contiguous rows. Changes rax or rcx.
    asmjit::x86::Mem tile_operand(const MemoryOperand& memory_operand);

    /// Loads induction + displacement into the general register `target`.
    void load_integer(std::int8_t target, const InductionAccess& access);

    /// Discards what rax and rcx cache: call at labels and after other uses of them.
    void invalidate();
    void invalidate(std::int8_t reg) { held_[reg == general::rax ? 0 : 1] = -1; }

private:
    std::int8_t scratch();
    std::int8_t register_of(int induction);
    std::int8_t tile_row_register();

    const InductionVariables& inductions_;
    std::array<asmjit::Label, ConstantPool::size_classes> pools_;
    CodeBuffer& code_;
    static constexpr int tile_rows = -2; ///< in held_: the row stride of a tile, not an induction variable
    std::array<int, 2> held_ = {-1, -1}; ///< induction variables cached in rax and rcx
    int last_ = 1;
};

inline asmjit::x86::Gp gp(int reg) { return asmjit::x86::gpq(static_cast<std::uint32_t>(reg)); }
inline asmjit::x86::Mem frame_operand(Integer offset, int bytes = 8) {
    return asmjit::x86::ptr(asmjit::x86::rsp, static_cast<std::int32_t>(offset),
                            static_cast<std::uint32_t>(bytes));
}
inline bool fits_in_32_bits(Integer value) { return value == static_cast<std::int32_t>(value); }

} // namespace swirl::jit
