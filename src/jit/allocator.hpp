#pragma once

#include "jit/addresses.hpp"
#include "jit/compile.hpp"
#include "jit/frame.hpp"
#include "jit/masks.hpp"
#include "jit/register_buffers.hpp"
#include "jit/x86_operation.hpp"
#include "target/cpu.hpp"

#include <vector>

namespace swirl::jit {

/// Assigns machine registers to the virtual registers of a block and writes its instructions.
///
/// Evicts the value with the furthest next use (Belady 1966), preferring values also available in memory. Such values
/// (loads, constants) enter a register at their first use, and only if the next use is near enough to pay for it;
/// otherwise they become memory operands.
class Allocator {
public:
    Allocator(const target::Cpu& cpu, Frame& frame, Addresses& addresses, const Masks& masks,
              CodeBuffer& code, CodeStatistics& statistics, const RegisterBuffers& in_registers);

    /// `reserved`: vector registers that only values fixed to them occupy.
    void run(const Block& block, std::uint32_t reserved = 0);
    /// The vector registers that run() would leave unused, as a bit set. Writes no code.
    std::uint32_t unused_vectors(const Block& block);
    /// Loads those values that enter the block and are available in memory.
    void load_entering(const Block& block);

private:
    struct State {
        std::int32_t cursor = 0, end = 0; ///< remaining uses
        Position next = never;            ///< the first of them
        std::int32_t slot = -1;           ///< offset in the frame
        std::int8_t reg = -1;             ///< machine register
        bool is_valid_leaf = false;       ///< a leaf whose memory cannot have changed
    };
    struct File {
        std::uint32_t all = 0; ///< bit set of usable registers
        std::uint32_t free = 0;
        std::uint32_t locked = 0; ///< hold operands of the current operation
        std::uint32_t used = 0;   ///< by any operation of the block
        std::array<Virtual, 32> occupant{};
        // Of occupants, side by side for those who compare them all:
        std::array<Position, 32> next{}; ///< their next uses
        std::uint32_t in_memory = 0;     ///< those also available there
    };
    using Operand = asmjit::Operand;
    using Item = CodeBuffer::Item;

    // allocator.cpp: values and registers
    void start(const Block& block, std::uint32_t reserved);
    void find_uses();
    void find_expiries();
    void advance(const X86Operation& operation);
    State& state(Virtual v) { return states_[static_cast<std::size_t>(v)]; }
    const State& state(Virtual v) const { return states_[static_cast<std::size_t>(v)]; }
    File& file(Virtual v) { return files_[static_cast<std::size_t>(block_->info(v).kind)]; }
    void find_next(State& s) {
        s.next = s.cursor < s.end ? uses_[static_cast<std::size_t>(s.cursor)] : never;
    }
    Position next_use(Virtual v) const { return state(v).next; }
    bool dies(Virtual v) const { return next_use(v) == never; }
    bool is_valid_leaf(Virtual v) const { return state(v).is_valid_leaf; }
    bool is_in_memory(Virtual v) const { return is_valid_leaf(v) || state(v).slot >= 0; }
    bool is_in_register(Virtual v) const { return state(v).reg >= 0; }
    bool is_worth_a_register(Virtual v);
    std::int8_t take(Class kind);
    void evict(std::int8_t reg, Class kind);
    void spill(Virtual v);
    void lock(Virtual v) { file(v).locked |= 1U << state(v).reg; }
    void into_register(Virtual v);
    void load_into(std::int8_t reg, Virtual v);
    void assign(Virtual v, std::int8_t reg);
    void release_dead(const X86Operation& operation);
    void release(Virtual v);
    void expire(Position position);

    // allocator_forms.cpp: one operation
    void execute(const X86Operation& operation);
    void unary(const X86Operation& operation);
    void binary(X86Operation operation);
    template <class Second>
    void destructive(const X86Operation& operation, Second&& second, const Operand& third = {});
    void accumulate(const X86Operation& operation);
    void fma(const X86Operation& operation);
    void permute2(const X86Operation& operation);
    void load(const X86Operation& operation);
    void store(const X86Operation& operation);
    void compare(const X86Operation& operation);
    void select(const X86Operation& operation);
    void keep(const X86Operation& operation);
    bool can_fold(const X86Operation& operation, Virtual v) const;
    Virtual choose_folded(const X86Operation& operation, std::initializer_list<Virtual> candidates);
    Operand folded(Virtual v);
    Operand memory(const X86Operation& operation);
    Operand source(const X86Operation& operation, std::size_t index) const;
    std::int8_t result_register(const X86Operation& operation);
    void finish(Item& item, const X86Operation& operation);
    void copy(std::int8_t to, std::int8_t from, Width width);
    void apply_mask(std::uint16_t mask);

    static Operand register_operand(Width width, int reg);

    const target::Cpu& cpu_;
    Frame& frame_;
    Addresses& addresses_;
    const Masks& masks_;
    CodeBuffer& code_;
    CodeStatistics& statistics_;
    bool is_legacy_; ///< SSE encodings

    const Block* block_ = nullptr;
    Position position_ = 0;
    std::array<std::uint32_t, classes> usable_{}; ///< bit sets of registers
    std::array<File, classes> files_;
    std::vector<State> states_;
    std::vector<Position> uses_;              ///< of all virtual registers, concatenated; ascending in each
    std::vector<std::int32_t> expiring_;      ///< by position: first leaf that expires there, −1: none
    std::vector<std::int32_t> expiring_next_; ///< by virtual register: the next leaf that expires there
    std::vector<std::int32_t> slots_;         ///< all spill slots of the kernel
    std::vector<std::int32_t> free_slots_;
    std::vector<std::int32_t> freed_slots_; ///< freed by the current operation, which may still read them
};

} // namespace swirl::jit
