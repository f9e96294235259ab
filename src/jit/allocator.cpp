#include "jit/allocator.hpp"

#include "base/error.hpp"

#include <bit>

namespace swirl::jit {

namespace {

namespace Inst = asmjit::x86::Inst;

/// A value also available in memory is evicted even if another's next use is up to this many operations further away:
/// evicting that one would cost a store.
constexpr Position clean_advantage = 6;

/// A value in memory deserves a register if the value it evicts has its next use this many times further away.
constexpr Position distance_ratio = 3;

} // namespace

Allocator::Allocator(const target::Cpu& cpu, Frame& frame, Addresses& addresses, const Masks& masks,
                     CodeBuffer& code, CodeStatistics& statistics, const RegisterBuffers& in_registers)
    : cpu_(cpu),
      frame_(frame),
      addresses_(addresses),
      masks_(masks),
      code_(code),
      statistics_(statistics),
      is_legacy_(cpu.set == target::InstructionSet::sse2) {
    const auto all = [&](Class kind, std::uint32_t registers) {
        usable_[static_cast<std::size_t>(kind)] = registers & ~in_registers.registers(kind);
    };
    all(Class::vector, cpu.vector_registers == 32 ? ~0U : (1U << cpu.vector_registers) - 1);
    all(Class::tile, (1U << tile_registers) - 1);
    for (const std::int8_t reg : general::for_values)
        usable_[static_cast<std::size_t>(Class::integer)] |= 1U << reg;
}

void Allocator::start(const Block& block, std::uint32_t reserved) {
    block_ = &block;
    for (std::size_t kind = 0; kind < classes; ++kind) {
        File& file = files_[kind];
        file.all = usable_[kind];
        if (kind == static_cast<std::size_t>(Class::vector)) file.all &= ~reserved;
        file.free = file.all;
        file.locked = file.used = 0;
    }
    states_.assign(block.registers.size(), State{});
    free_slots_ = slots_;
    find_uses();
    find_expiries();
}

std::uint32_t Allocator::unused_vectors(const Block& block) {
    const CodeBuffer::Mark mark = code_.mark();
    const CodeStatistics statistics = statistics_;
    run(block);
    code_.discard_from(mark);
    statistics_ = statistics;
    addresses_.invalidate();
    const File& vectors = files_[static_cast<std::size_t>(Class::vector)];
    return vectors.all & ~vectors.used;
}

void Allocator::load_entering(const Block& block) {
    start(block, 0);
    for (std::size_t v = 0; v < block.registers.size(); ++v)
        if (block.registers[v].enters && is_valid_leaf(static_cast<Virtual>(v)))
            load_into(block.registers[v].fixed, static_cast<Virtual>(v));
}

void Allocator::run(const Block& block, std::uint32_t reserved) {
    start(block, reserved);
    for (std::size_t v = 0; v < block.registers.size(); ++v)
        if (block.registers[v].enters) assign(static_cast<Virtual>(v), block.registers[v].fixed);
    for (File& file : files_) file.locked = 0;
    const auto count = static_cast<Position>(block.operations.size());
    for (position_ = 0; position_ < count; ++position_) {
        const X86Operation& operation = block.operations[static_cast<std::size_t>(position_)];
        advance(operation);
        execute(operation);
        for (File& file : files_) file.locked = 0;
        free_slots_.insert(free_slots_.end(), freed_slots_.begin(), freed_slots_.end());
        freed_slots_.clear();
    }
}

void Allocator::find_uses() {
    const auto each_use = [&](const X86Operation& operation, auto&& f) {
        for (const Virtual source : operation.sources)
            if (source != no_register) f(source);
        if (operation.memory < 0) return;
        const MemoryOperand& memory_operand =
            block_->memory_operands[static_cast<std::size_t>(operation.memory)];
        if (memory_operand.dynamic != no_register) f(memory_operand.dynamic);
    };
    for (const X86Operation& operation : block_->operations)
        each_use(operation, [&](Virtual v) { ++state(v).end; });
    const auto each_outliving = [&](auto&& f) {
        for (std::size_t v = 0; v < block_->registers.size(); ++v)
            if (block_->registers[v].outlives) f(static_cast<Virtual>(v));
    };
    each_outliving([&](Virtual v) { ++state(v).end; });
    std::int32_t total = 0;
    for (State& s : states_) {
        const std::int32_t count = s.end;
        s.cursor = s.end = total;
        total += count;
    }
    uses_.resize(static_cast<std::size_t>(total));
    Position position = 0;
    for (const X86Operation& operation : block_->operations) {
        each_use(operation, [&](Virtual v) { uses_[static_cast<std::size_t>(state(v).end++)] = position; });
        ++position;
    }
    each_outliving([&](Virtual v) { uses_[static_cast<std::size_t>(state(v).end++)] = position; });
    for (State& s : states_) find_next(s);
}

void Allocator::find_expiries() {
    expiring_.assign(block_->operations.size(), -1);
    expiring_next_.resize(block_->registers.size());
    for (std::size_t v = 0; v < block_->registers.size(); ++v) {
        const auto reg = static_cast<Virtual>(v);
        if (!block_->is_leaf(reg)) continue;
        state(reg).is_valid_leaf = true;
        const Position expires = block_->leaf(reg).expires;
        if (expires == never) continue;
        expiring_next_[v] = expiring_[static_cast<std::size_t>(expires)];
        expiring_[static_cast<std::size_t>(expires)] = reg;
    }
}

void Allocator::advance(const X86Operation& operation) {
    const auto pass = [&](Virtual v) {
        State& s = state(v);
        while (s.cursor < s.end && uses_[static_cast<std::size_t>(s.cursor)] <= position_) ++s.cursor;
        find_next(s);
        if (s.reg < 0) return;
        file(v).next[static_cast<std::size_t>(s.reg)] = s.next;
        lock(v);
    };
    for (const Virtual source : operation.sources)
        if (source != no_register) pass(source);
    if (operation.memory < 0) return;
    const MemoryOperand& memory_operand = block_->memory_operands[static_cast<std::size_t>(operation.memory)];
    if (memory_operand.dynamic != no_register) pass(memory_operand.dynamic);
}

bool Allocator::is_worth_a_register(Virtual v) {
    const Position next = next_use(v);
    if (next == never) return false;
    const File& f = file(v);
    if (std::popcount(f.free) > 1) return true;
    for (std::uint32_t rest = f.all & ~f.free & ~f.locked; rest != 0; rest &= rest - 1) {
        const int reg = std::countr_zero(rest);
        const Position use = f.next[static_cast<std::size_t>(reg)];
        if (use > next && (f.in_memory >> reg & 1) != 0) return true;
        if (use - position_ > distance_ratio * (next - position_)) return true;
    }
    return false;
}

std::int8_t Allocator::take(Class kind) {
    File& f = files_[static_cast<std::size_t>(kind)];
    if (f.free == 0) {
        int best = -1;
        Position best_score = -1;
        for (std::uint32_t rest = f.all & ~f.locked; rest != 0; rest &= rest - 1) {
            const int reg = std::countr_zero(rest);
            const Position use = f.next[static_cast<std::size_t>(reg)];
            const Position advantage = (f.in_memory >> reg & 1) != 0 ? clean_advantage : 0;
            const Position score = use == never ? never : use + advantage;
            if (score <= best_score) continue;
            best_score = score;
            best = reg;
            if (score == never) break;
        }
        ensure(best >= 0, "an operation with more operands than there are registers");
        evict(static_cast<std::int8_t>(best), kind);
    }
    const int reg = std::countr_zero(f.free);
    f.free &= ~(1U << reg);
    f.locked |= 1U << reg;
    f.used |= 1U << reg;
    f.occupant[static_cast<std::size_t>(reg)] = no_register;
    return static_cast<std::int8_t>(reg);
}

void Allocator::evict(std::int8_t reg, Class kind) {
    File& f = files_[static_cast<std::size_t>(kind)];
    const Virtual v = f.occupant[static_cast<std::size_t>(reg)];
    if (!is_in_memory(v) && !dies(v)) spill(v);
    state(v).reg = -1;
    f.free |= 1U << reg;
}

void Allocator::spill(Virtual v) {
    ensure(block_->info(v).kind != Class::tile, "more tiles at once than there are registers");
    if (free_slots_.empty()) {
        const int bytes = std::max(cpu_.vector_bytes, 16);
        slots_.push_back(static_cast<std::int32_t>(frame_.reserve(bytes, bytes)));
        free_slots_.push_back(slots_.back());
    }
    State& s = state(v);
    s.slot = free_slots_.back();
    free_slots_.pop_back();
    const RegisterInfo& info = block_->info(v);
    ++statistics_.spills;
    if (info.kind == Class::integer) {
        code_.emit(Inst::kIdMov, frame_operand(s.slot), gp(s.reg));
        return;
    }
    const int bytes = std::max<int>(info.bytes, 16);
    code_.emit(is_legacy_ ? Inst::kIdMovaps : Inst::kIdVmovaps, frame_operand(s.slot, bytes),
               register_operand(width_of_bytes(bytes), s.reg));
}

void Allocator::load_into(std::int8_t reg, Virtual v) {
    const RegisterInfo& info = block_->info(v);
    if (is_valid_leaf(v)) {
        const Leaf& leaf = block_->leaf(v);
        if (leaf.is_zero && info.kind == Class::tile) {
            code_.emit(Inst::kIdTilezero, register_operand(Width::tile, reg));
            return;
        }
        if (leaf.is_zero) {
            const Operand zero = register_operand(Width::xmm, reg);
            Item& item = code_.emit(is_legacy_ ? Inst::kIdXorps : Inst::kIdVxorps, zero, zero);
            if (!is_legacy_) CodeBuffer::append(item, zero);
            return;
        }
        if (leaf.memory_operand.base == MemoryOperand::Base::none) {
            code_.emit(leaf.load, gp(reg), asmjit::Imm(leaf.memory_operand.displacement));
            return;
        }
        if (leaf.mask != 0) apply_mask(leaf.mask);
        const asmjit::x86::Mem from = addresses_.operand(leaf.memory_operand, leaf.bytes);
        Item& item = code_.emit(leaf.load, register_operand(leaf.width, reg), from);
        if (leaf.mask == 0) return;
        item.mask_register = masks_.register_of(leaf.mask);
        item.zeroing = true;
        return;
    }
    const State& s = state(v);
    ensure(s.slot >= 0, "a value that is nowhere");
    ++statistics_.reloads;
    if (info.kind == Class::integer) {
        code_.emit(Inst::kIdMov, gp(reg), frame_operand(s.slot));
        return;
    }
    const int bytes = std::max<int>(info.bytes, 16);
    code_.emit(is_legacy_ ? Inst::kIdMovaps : Inst::kIdVmovaps, register_operand(width_of_bytes(bytes), reg),
               frame_operand(s.slot, bytes));
}

void Allocator::assign(Virtual v, std::int8_t reg) {
    File& f = file(v);
    f.occupant[static_cast<std::size_t>(reg)] = v;
    f.next[static_cast<std::size_t>(reg)] = next_use(v);
    f.in_memory = (f.in_memory & ~(1U << reg)) | (is_in_memory(v) ? 1U << reg : 0);
    f.free &= ~(1U << reg);
    f.locked |= 1U << reg;
    state(v).reg = reg;
}

void Allocator::into_register(Virtual v) {
    if (!is_in_register(v)) {
        const std::int8_t reg = take(block_->info(v).kind);
        load_into(reg, v);
        assign(v, reg);
    }
    lock(v);
}

void Allocator::release(Virtual v) {
    State& s = state(v);
    if (s.reg >= 0) {
        File& f = file(v);
        f.free |= f.all & 1U << s.reg;
        f.locked &= ~(1U << s.reg);
        s.reg = -1;
    }
    if (s.slot >= 0) {
        freed_slots_.push_back(s.slot);
        s.slot = -1;
    }
}

void Allocator::release_dead(const X86Operation& operation) {
    for (const Virtual source : operation.sources)
        if (source != no_register && dies(source)) release(source);
    if (operation.memory < 0) return;
    const MemoryOperand& memory_operand = block_->memory_operands[static_cast<std::size_t>(operation.memory)];
    if (memory_operand.dynamic != no_register && dies(memory_operand.dynamic))
        release(memory_operand.dynamic);
}

void Allocator::expire(Position position) {
    for (Virtual v = expiring_[static_cast<std::size_t>(position)]; v >= 0;
         v = expiring_next_[static_cast<std::size_t>(v)]) {
        if (!dies(v) && !is_in_register(v)) {
            const std::uint32_t operands = file(v).locked;
            into_register(v);
            file(v).locked = operands;
        }
        state(v).is_valid_leaf = false;
        if (is_in_register(v) && !is_in_memory(v)) file(v).in_memory &= ~(1U << state(v).reg);
    }
}

} // namespace swirl::jit
