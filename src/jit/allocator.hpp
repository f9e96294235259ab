#pragma once

#include "jit/addresses.hpp"
#include "jit/compile.hpp"
#include "jit/frame.hpp"
#include "jit/machine.hpp"
#include "jit/masks.hpp"
#include "jit/register_buffers.hpp"
#include "target/cpu.hpp"

#include <vector>

namespace swirl::jit {

/// Gives the virtual registers of a block machine registers and writes its instructions.
///
/// A value whose next use is furthest away leaves its register first (Belady 1966), preferring one that memory holds
/// anyway. Values that memory holds (loads, constants) come into a register at their first use and only if their next
/// use is near enough to pay for it; else they are memory operands.
class Allocator {
public:
    Allocator(const target::Cpu& cpu, Frame& frame, Addresses& addresses, const Masks& masks,
              CodeBuffer& code, CodeStatistics& statistics, const RegisterBuffers& in_registers);

    void run(const Block& block);

private:
    struct State {
        std::int32_t cursor = 0, end = 0; ///< remaining uses
        std::int32_t slot = -1;           ///< offset in the frame
        std::int8_t number = -1;          ///< machine register
        bool expired = false;             ///< a leaf whose memory may have changed
    };
    struct File {
        std::uint32_t all = 0; ///< bit set of usable registers
        std::uint32_t free = 0;
        std::uint32_t locked = 0; ///< holding operands of the operation at hand
        std::array<Virtual, 32> occupant{};
    };
    using Operand = asmjit::Operand;
    using Item = CodeBuffer::Item;

    // allocator.cpp: values and registers
    void find_uses();
    void find_expiries();
    void advance(const MachineOperation& operation);
    State& state(Virtual v) { return states_[static_cast<std::size_t>(v)]; }
    const State& state(Virtual v) const { return states_[static_cast<std::size_t>(v)]; }
    File& file(Virtual v) { return files_[static_cast<std::size_t>(block_->info(v).kind)]; }
    Position next_use(Virtual v) const {
        const State& s = state(v);
        return s.cursor < s.end ? uses_[static_cast<std::size_t>(s.cursor)] : never;
    }
    bool dies(Virtual v) const { return next_use(v) == never; }
    bool is_valid_leaf(Virtual v) const { return block_->is_leaf(v) && !state(v).expired; }
    bool is_in_memory(Virtual v) const { return is_valid_leaf(v) || state(v).slot >= 0; }
    bool is_in_register(Virtual v) const { return state(v).number >= 0; }
    bool is_worth_a_register(Virtual v);
    std::int8_t take(Class kind);
    void evict(std::int8_t number, Class kind);
    void spill(Virtual v);
    void lock(Virtual v) { file(v).locked |= 1U << state(v).number; }
    void into_register(Virtual v);
    void load_into(std::int8_t number, Virtual v);
    void assign(Virtual v, std::int8_t number);
    void release_dead(const MachineOperation& operation);
    void release(Virtual v);
    void expire(Position position);

    // allocator_forms.cpp: one operation
    void execute(const MachineOperation& operation);
    void unary(const MachineOperation& operation);
    void binary(MachineOperation operation);
    template <class Second>
    void destructive(const MachineOperation& operation, Second&& second, const Operand& third = {});
    void accumulate(const MachineOperation& operation);
    void fma(const MachineOperation& operation);
    void permute2(const MachineOperation& operation);
    void load(const MachineOperation& operation);
    void store(const MachineOperation& operation);
    void compare(const MachineOperation& operation);
    void select(const MachineOperation& operation);
    void keep(const MachineOperation& operation);
    bool can_fold(const MachineOperation& operation, Virtual v) const;
    Virtual choose_folded(const MachineOperation& operation, std::initializer_list<Virtual> candidates);
    Operand folded(Virtual v);
    Operand memory(const MachineOperation& operation);
    Operand source(const MachineOperation& operation, std::size_t index) const;
    std::int8_t result_register(const MachineOperation& operation);
    void finish(Item& item, const MachineOperation& operation);
    void copy(std::int8_t to, std::int8_t from, Width width);
    void apply_mask(std::uint16_t mask);

    static Operand register_operand(Width width, int number);

    const target::Cpu& cpu_;
    Frame& frame_;
    Addresses& addresses_;
    const Masks& masks_;
    CodeBuffer& code_;
    CodeStatistics& statistics_;
    bool is_legacy_; ///< SSE encodings

    const Block* block_ = nullptr;
    Position position_ = 0;
    std::array<File, classes> files_;
    std::vector<State> states_;
    std::vector<Position> uses_;              ///< of all registers, one after the other, ascending
    std::vector<std::int32_t> expiring_;      ///< by position: first leaf that ends there, −1: none
    std::vector<std::int32_t> expiring_next_; ///< by virtual register: the next one
    std::vector<std::int32_t> slots_;         ///< all spill slots of the kernel
    std::vector<std::int32_t> free_slots_;
    std::vector<std::int32_t> freed_slots_; ///< by the operation at hand, which may still read them
};

} // namespace swirl::jit
