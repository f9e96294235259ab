#pragma once

#include "base/integer.hpp"
#include "ir/program.hpp"
#include "target/x86/tile_registers.hpp"

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

/// The back end's representation of a straight-line block: machine operations on virtual registers. Instruction
/// selection produces it; register allocation consumes it. Internal to jit/.
namespace swirl::jit {

using InstructionId = asmjit::InstId;

/// A virtual register: an index into Block::registers.
using Virtual = std::int32_t;
constexpr Virtual no_register = -1;

/// Index of a machine operation within its block.
using Position = std::int32_t;
constexpr Position never = std::numeric_limits<Position>::max();

enum class Class : std::uint8_t { vector, integer, tile };
constexpr std::size_t classes = static_cast<std::size_t>(Class::tile) + 1;

/// The register name that an instruction encodes.
enum class Width : std::uint8_t { xmm, ymm, zmm, general, general_byte, general_word, tile };

// The rows of a tile register are contiguous in memory. The caller must have configured all tile registers.
using target::x86::tile_bytes;
using target::x86::tile_registers;
using target::x86::tile_row_bytes;

constexpr Width width_of_bytes(int bytes) {
    return bytes <= 16           ? Width::xmm
           : bytes == 32         ? Width::ymm
           : bytes == tile_bytes ? Width::tile
                                 : Width::zmm;
}

/// Class of a floating-point register of this many bytes.
constexpr Class class_of(int bytes) { return bytes == tile_bytes ? Class::tile : Class::vector; }

/// An address in memory, before registers are assigned.
struct MemoryOperand {
    enum class Base : std::uint8_t {
        induction, ///< the pointer of an address's induction variable
        constant,  ///< the pool after the code
        frame,     ///< the stack frame
        none,      ///< an immediate: `displacement` itself
    };
    Base base = Base::none;
    std::int32_t index = 0; ///< index of the induction variable, or size class of the constant
    Integer displacement = 0;
    Virtual dynamic = no_register; ///< an integer register, scaled by 1 << shift
    std::uint8_t shift = 0;
    ir::Buffer buffer = -1; ///< the buffer it accesses; −1: memory that no program can write
};

/// How to load a value that is available in memory (rematerialisation): it needs neither a register nor a spill slot.
struct Leaf {
    InstructionId load = 0; ///< kIdMov with Base::none loads an immediate
    Width width = Width::xmm;
    std::uint16_t bytes = 0;          ///< size of the memory operand
    std::uint16_t mask = 0;           ///< zeroing mask index, 0: none
    bool is_zero = false;             ///< a vector of zeros: computed, not loaded
    bool folds = false;               ///< may be the memory operand of arithmetic …
    std::uint8_t broadcast_lanes = 0; ///< … broadcast to this many lanes (0: not broadcast)
    Position created = 0;             ///< where the program reads the value
    Position expires =
        never; ///< the first store that may alias it; from then on the value needs a register or spill slot
    MemoryOperand memory_operand;
};

/// Properties of a virtual register.
struct RegisterInfo {
    Class kind = Class::vector;
    std::uint16_t bytes = 0; ///< in use, from the lowest on; 4 and 8: a scalar
    std::int32_t leaf = -1;  ///< index into Block::leaves, −1: computed by an operation
    std::int8_t fixed = -1;  ///< the machine register of a register buffer (see RegisterBuffers) …
    bool enters = false;     ///< … live on entry to the block …
    bool outlives = false;   ///< … and live on exit
};

enum class Form : std::uint8_t {
    unary,      ///< d = op s0
    binary,     ///< d = op s0, s1
    accumulate, ///< d = s0 + products of s1 and s2, in the register of s0
    fma,        ///< d = ±s0·s1 ± s2; `id` is the 132 form
    permute2,   ///< d = two-source permutation of s0, s2 by the index vector s1; `id` is the t2 form
    load,       ///< d = op memory, or d = op s0, memory
    store,      ///< op memory, s0 (masked by the register s1, if present)
    prefetch,   ///< op memory
    compare,    ///< d = all-ones lanes where s0 < s1 (through a mask register)
    select,     ///< d = s0 ? s1 : s2 (through a mask register)
    keep,       ///< d = s0, in the machine register that d is fixed to
};

/// A machine operation. `id` is the instruction in the form for the target CPU.
struct X86Operation {
    InstructionId id = 0;
    Form form = Form::binary;
    bool commutative = false;
    bool destructive = false;     ///< legacy form: the result replaces s0
    bool folds = false;           ///< the last source (any for commutative and fma) may be in memory …
    bool folds_broadcast = false; ///< … also as one element broadcast to all lanes
    Width result_width = Width::xmm;
    std::array<Width, 3> widths = {Width::xmm, Width::xmm, Width::xmm};
    std::uint16_t mask = 0; ///< mask index of a store, blend or load; 0: none
    bool zeroing = false;
    int immediate = -1;
    Virtual result = no_register;
    std::array<Virtual, 3> sources = {no_register, no_register, no_register};
    std::int32_t memory = -1; ///< index into Block::memory_operands
    std::uint16_t memory_bytes = 0;
};

/// A straight-line block after instruction selection.
struct Block {
    std::vector<X86Operation> operations;
    std::vector<RegisterInfo> registers;
    std::vector<Leaf> leaves;
    std::vector<MemoryOperand> memory_operands;

    void clear() {
        operations.clear();
        registers.clear();
        leaves.clear();
        memory_operands.clear();
    }
    RegisterInfo& info(Virtual v) { return registers[static_cast<std::size_t>(v)]; }
    const RegisterInfo& info(Virtual v) const { return registers[static_cast<std::size_t>(v)]; }
    Leaf& leaf(Virtual v) { return leaves[static_cast<std::size_t>(info(v).leaf)]; }
    const Leaf& leaf(Virtual v) const { return leaves[static_cast<std::size_t>(info(v).leaf)]; }
    bool is_leaf(Virtual v) const { return info(v).leaf >= 0; }
};

} // namespace swirl::jit
