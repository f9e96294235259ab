#include "jit/allocator.hpp"

#include "base/error.hpp"

#include <utility>

namespace swirl::jit {

namespace {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

// A multiply-add instruction's three forms differ in the operands that are multiplied: 132 d = d·s3 + s2,
// 213 d = s2·d + s3, 231 d = s2·s3 + d; s3 may be memory. Their ids are six apart (pd, ph, ps, sd, sh, ss).
constexpr InstructionId form_213 = 6;
constexpr InstructionId form_231 = 12;
static_assert(Inst::kIdVfmadd213pd == Inst::kIdVfmadd132pd + form_213);
static_assert(Inst::kIdVfmadd231ss == Inst::kIdVfmadd132ss + form_231);
static_assert(Inst::kIdVfmsub231ps == Inst::kIdVfmsub132ps + form_231);
static_assert(Inst::kIdVfnmadd213sd == Inst::kIdVfnmadd132sd + form_213);

/// vpermt2pd d, i, b overwrites its first source, vpermi2pd i, a, b the index vector.
InstructionId overwriting_index(InstructionId id) {
    return id == Inst::kIdVpermt2pd ? Inst::kIdVpermi2pd : Inst::kIdVpermi2ps;
}

asmjit::Imm immediate_of(const X86Operation& operation) { return asmjit::Imm(operation.immediate); }

} // namespace

Allocator::Operand Allocator::register_operand(Width width, int reg) {
    const auto id = static_cast<std::uint32_t>(reg);
    switch (width) {
    case Width::xmm: return x86::Xmm(id);
    case Width::ymm: return x86::Ymm(id);
    case Width::zmm: return x86::Zmm(id);
    case Width::general: return x86::gpq(id);
    case Width::general_byte: return x86::gpb_lo(id);
    case Width::general_word: return x86::gpw(id);
    case Width::tile: return x86::Tmm(id);
    }
    return {};
}

Allocator::Operand Allocator::source(const X86Operation& operation, std::size_t index) const {
    return register_operand(operation.widths[index], state(operation.sources[index]).reg);
}

bool Allocator::can_fold(const X86Operation& operation, Virtual v) const {
    if (is_in_register(v)) return false;
    if (!is_valid_leaf(v)) return state(v).slot >= 0 && dies(v);
    const Leaf& leaf = block_->leaf(v);
    return leaf.folds && (leaf.broadcast_lanes == 0 || operation.folds_broadcast);
}

/// The candidate to fold into a memory operand: it occurs once, is not in a register and is not worth one. Constants go
/// before loads, loads before broadcasts: the values most costly to load keep their registers.
Virtual Allocator::choose_folded(const X86Operation& operation, std::initializer_list<Virtual> candidates) {
    Virtual best = no_register;
    int best_rank = 4;
    for (const Virtual v : candidates) {
        if (!operation.folds || !can_fold(operation, v)) continue;
        int occurrences = 0;
        for (const Virtual source : operation.sources) occurrences += source == v ? 1 : 0;
        if (occurrences > 1) continue;
        int rank = 3;
        if (is_valid_leaf(v)) {
            const Leaf& leaf = block_->leaf(v);
            rank = leaf.memory_operand.base == MemoryOperand::Base::constant ? 0
                   : leaf.broadcast_lanes == 0                               ? 1
                                                                             : 2;
        }
        if (rank >= best_rank || is_worth_a_register(v)) continue;
        best = v;
        best_rank = rank;
    }
    if (best != no_register) {
        if (is_valid_leaf(best))
            ++statistics_.folded_loads;
        else
            ++statistics_.reloads;
    }
    return best;
}

Allocator::Operand Allocator::folded(Virtual v) {
    if (!is_valid_leaf(v)) return frame_operand(state(v).slot, block_->info(v).bytes);
    const Leaf& leaf = block_->leaf(v);
    asmjit::x86::Mem operand = addresses_.operand(leaf.memory_operand, leaf.bytes);
    switch (leaf.broadcast_lanes) {
    case 2: return operand._1to2();
    case 4: return operand._1to4();
    case 8: return operand._1to8();
    case 16: return operand._1to16();
    default: return operand;
    }
}

Allocator::Operand Allocator::memory(const X86Operation& operation) {
    const MemoryOperand& memory_operand = block_->memory_operands[static_cast<std::size_t>(operation.memory)];
    int dynamic = -1;
    if (memory_operand.dynamic != no_register) {
        into_register(memory_operand.dynamic);
        dynamic = state(memory_operand.dynamic).reg;
    }
    if (operation.memory_bytes == tile_bytes) return addresses_.tile_operand(memory_operand);
    return addresses_.operand(memory_operand, operation.memory_bytes, dynamic);
}

void Allocator::copy(std::int8_t to, std::int8_t from, Width width) {
    ensure(width != Width::tile, "a tile that is needed after it was added to");
    InstructionId id = is_legacy_ ? Inst::kIdMovaps : Inst::kIdVmovaps;
    if (width == Width::general) id = Inst::kIdMov;
    code_.emit(id, register_operand(width, to), register_operand(width, from));
}

void Allocator::apply_mask(std::uint16_t mask) {
    if (masks_.is_resident(mask)) return;
    code_.emit(Inst::kIdMov, x86::eax, asmjit::Imm(masks_.bits(mask)));
    code_.emit(Inst::kIdKmovd, x86::KReg(Masks::scratch), x86::eax);
    addresses_.invalidate(general::rax);
}

std::int8_t Allocator::result_register(const X86Operation& operation) {
    const Class kind = block_->info(operation.result).kind;
    release_dead(operation);
    return take(kind);
}

/// Sets the immediate and mask of an emitted instruction.
void Allocator::finish(Item& item, const X86Operation& operation) {
    if (operation.immediate >= 0) CodeBuffer::append(item, immediate_of(operation));
    if (operation.mask == 0) return;
    item.mask_register = masks_.register_of(operation.mask);
    item.zeroing = operation.zeroing;
}

void Allocator::execute(const X86Operation& operation) {
    switch (operation.form) {
    case Form::unary: unary(operation); break;
    case Form::binary: binary(operation); break;
    case Form::accumulate: accumulate(operation); break;
    case Form::fma: fma(operation); break;
    case Form::permute2: permute2(operation); break;
    case Form::load: load(operation); break;
    case Form::store: store(operation); return;
    case Form::prefetch:
        code_.emit(operation.id, memory(operation));
        release_dead(operation);
        return;
    case Form::compare: compare(operation); break;
    case Form::select: select(operation); break;
    case Form::keep: keep(operation); break;
    }
    if (dies(operation.result)) release(operation.result);
}

/// d = op s0[, second[, third]] where the instruction overwrites s0. Reuses the register of s0 if s0 dies here, loads
/// s0 straight into the result's register if it is in memory, else copies it.
template <class Second>
void Allocator::destructive(const X86Operation& operation, Second&& second, const Operand& third) {
    const Virtual a = operation.sources[0];
    const Width width = operation.widths[0];
    std::int8_t reg = -1;
    if (is_in_register(a) && dies(a)) {
        reg = state(a).reg;
        state(a).reg = -1;
    } else if (is_in_register(a) || is_worth_a_register(a)) {
        into_register(a);
        reg = take(block_->info(a).kind);
        copy(reg, state(a).reg, width);
    } else {
        reg = take(block_->info(a).kind);
        load_into(reg, a);
    }
    const Operand other = second(reg);
    release_dead(operation);
    Item& item = code_.emit(operation.id, register_operand(operation.result_width, reg));
    if (!other.isNone()) CodeBuffer::append(item, other);
    if (!third.isNone()) CodeBuffer::append(item, third);
    item.is_vex = operation.form == Form::accumulate && cpu_.set == target::InstructionSet::avx2_fma;
    finish(item, operation);
    assign(operation.result, reg);
}

void Allocator::unary(const X86Operation& operation) {
    const Virtual a = operation.sources[0];
    if (operation.destructive) {
        destructive(operation, [](std::int8_t) { return Operand(); });
        return;
    }
    const bool from_memory = choose_folded(operation, {a}) == a;
    if (!from_memory) into_register(a);
    if (operation.mask != 0) apply_mask(operation.mask);
    const Operand operand = from_memory ? folded(a) : source(operation, 0);
    const std::int8_t reg = result_register(operation);
    finish(code_.emit(operation.id, register_operand(operation.result_width, reg), operand), operation);
    assign(operation.result, reg);
}

void Allocator::binary(X86Operation operation) {
    Virtual& a = operation.sources[0];
    Virtual& b = operation.sources[1];
    const Virtual m =
        operation.commutative ? choose_folded(operation, {a, b}) : choose_folded(operation, {b});
    if (m != no_register && m == a) std::swap(a, b);
    if (operation.destructive && operation.commutative && m == no_register && a != b) {
        const bool a_can_go = is_in_register(a) ? dies(a) : is_in_memory(a);
        if (!a_can_go && dies(b)) std::swap(a, b);
    }
    if (m == no_register) into_register(b);
    if (operation.destructive) {
        destructive(operation, [&](std::int8_t reg) {
            if (m != no_register) return folded(b);
            return a == b ? register_operand(operation.widths[1], reg) : source(operation, 1);
        });
        return;
    }
    into_register(a);
    if (operation.mask != 0) apply_mask(operation.mask);
    const Operand first = source(operation, 0);
    const Operand second = m != no_register ? folded(b) : source(operation, 1);
    const std::int8_t reg = result_register(operation);
    finish(code_.emit(operation.id, register_operand(operation.result_width, reg), first, second), operation);
    assign(operation.result, reg);
}

void Allocator::accumulate(const X86Operation& operation) {
    const auto a = operation.sources[1], b = operation.sources[2]; // the operands after the accumulator
    const bool from_memory = choose_folded(operation, {b}) == b;
    into_register(a);
    if (!from_memory) into_register(b);
    Operand third;
    const auto second = [&](std::int8_t) {
        third = from_memory ? folded(b) : source(operation, 2); // after the accumulator's load
        return source(operation, 1);
    };
    destructive(operation, second, third);
}

void Allocator::fma(const X86Operation& operation) {
    auto [a, b, c] = operation.sources;
    const Virtual m = choose_folded(operation, {a, b, c});
    for (const Virtual v : {a, b, c})
        if (v != m) into_register(v);
    if (m == a) std::swap(a, b);
    const auto is_free = [&](Virtual v) { return v != m && dies(v); };
    // d: overwritten; x, y: the other two; y may be memory
    Virtual d = c, x = a, y = b;
    InstructionId form = form_231;
    if (m != no_register && m == c) {
        d = is_free(b) && !is_free(a) ? b : a;
        x = d == a ? b : a;
        y = c;
        form = form_213;
    } else if (!is_free(c) && is_free(a)) {
        d = a, x = c, y = b, form = 0;
    } else if (!is_free(c) && is_free(b)) {
        d = b, x = c, y = a, form = 0;
    }
    const Width width = operation.result_width;
    const auto operand = [&](Virtual v) {
        return v == m ? folded(v) : register_operand(width, state(v).reg);
    };
    const Operand third = operand(y);
    std::int8_t reg = state(d).reg;
    const Operand second = operand(x);
    if (is_free(d)) {
        // d may equal x or y: the instruction reads before it writes
        file(d).occupant[static_cast<std::size_t>(reg)] = no_register;
        state(d).reg = -1;
    } else {
        reg = take(Class::vector);
        copy(reg, state(d).reg, width);
    }
    release_dead(operation);
    code_.emit(operation.id + form, register_operand(width, reg), second, third);
    assign(operation.result, reg);
}

void Allocator::permute2(const X86Operation& operation) {
    const auto [a, index, b] = operation.sources;
    const bool from_memory = a != b && choose_folded(operation, {b}) == b;
    into_register(a);
    if (!from_memory) into_register(b);
    const Width width = operation.result_width;
    const Operand first = source(operation, 0);
    const Operand second = from_memory ? folded(b) : source(operation, 2);
    if (!is_in_register(index) && is_worth_a_register(index)) into_register(index);
    if (is_in_register(index) && !dies(index) && dies(a)) {
        const std::int8_t reg = state(a).reg;
        const Operand by = source(operation, 1);
        state(a).reg = -1;
        release_dead(operation);
        code_.emit(operation.id, register_operand(width, reg), by, second);
        assign(operation.result, reg);
        return;
    }
    std::int8_t reg = state(index).reg;
    if (reg < 0) {
        reg = take(Class::vector);
        load_into(reg, index);
    } else if (dies(index)) {
        state(index).reg = -1;
    } else {
        reg = take(Class::vector);
        copy(reg, state(index).reg, width);
    }
    release_dead(operation);
    code_.emit(overwriting_index(operation.id), register_operand(width, reg), first, second);
    assign(operation.result, reg);
}

void Allocator::load(const X86Operation& operation) {
    const Virtual a = operation.sources[0];
    if (a == no_register) {
        if (operation.mask != 0) apply_mask(operation.mask);
        const Operand from = memory(operation);
        const std::int8_t reg = result_register(operation);
        finish(code_.emit(operation.id, register_operand(operation.result_width, reg), from), operation);
        assign(operation.result, reg);
        return;
    }
    if (operation.destructive) {
        destructive(operation, [&](std::int8_t) { return memory(operation); });
        return;
    }
    into_register(a);
    const Operand first = source(operation, 0);
    const Operand from = memory(operation);
    const std::int8_t reg = result_register(operation);
    finish(code_.emit(operation.id, register_operand(operation.result_width, reg), first, from), operation);
    assign(operation.result, reg);
}

void Allocator::store(const X86Operation& operation) {
    const auto [value, mask, none] = operation.sources;
    into_register(value);
    if (mask != no_register) into_register(mask);
    expire(position_);
    if (operation.mask != 0) apply_mask(operation.mask);
    const Operand to = memory(operation);
    const Operand from = source(operation, 0);
    Item& item = mask != no_register ? code_.emit(operation.id, to, source(operation, 1), from)
                                     : code_.emit(operation.id, to, from);
    finish(item, operation);
    release_dead(operation);
}

/// vcmp to a mask register, then expands the mask to all-ones lanes; `id` is the comparison.
void Allocator::compare(const X86Operation& operation) {
    into_register(operation.sources[0]);
    into_register(operation.sources[1]);
    const x86::KReg mask(Masks::scratch);
    Item& item = code_.emit(operation.id, mask, source(operation, 0), source(operation, 1));
    CodeBuffer::append(item, immediate_of(operation));
    const std::int8_t reg = result_register(operation);
    const bool is_double = operation.id == Inst::kIdVcmppd;
    code_.emit(is_double ? Inst::kIdVpmovm2q : Inst::kIdVpmovm2d,
               register_operand(operation.result_width, reg), mask);
    assign(operation.result, reg);
}

/// Converts all-ones lanes to a mask register, then blends; `id` is the blend.
void Allocator::select(const X86Operation& operation) {
    for (const Virtual v : operation.sources) into_register(v);
    const x86::KReg mask(Masks::scratch);
    const bool is_double = operation.id == Inst::kIdVblendmpd;
    code_.emit(is_double ? Inst::kIdVpmovq2m : Inst::kIdVpmovd2m, mask, source(operation, 0));
    const Operand chosen = source(operation, 1);
    const Operand other = source(operation, 2);
    const std::int8_t reg = result_register(operation);
    code_.emit(operation.id, register_operand(operation.result_width, reg), other, chosen).mask_register =
        Masks::scratch;
    assign(operation.result, reg);
}

/// Moves the value into its fixed register; if the occupant has later uses, moves it elsewhere first.
void Allocator::keep(const X86Operation& operation) {
    const Virtual value = operation.sources[0];
    const std::int8_t reg = block_->info(operation.result).fixed;
    const Virtual there = files_[0].occupant[static_cast<std::size_t>(reg)];
    const bool is_occupied = there != no_register && state(there).reg == reg && !dies(there);
    if (is_occupied) {
        const std::int8_t other = take(Class::vector);
        copy(other, reg, operation.result_width);
        assign(there, other);
    }
    if (!is_in_register(value))
        load_into(reg, value);
    else if (state(value).reg != reg)
        copy(reg, state(value).reg, operation.result_width);
    release_dead(operation);
    assign(operation.result, reg);
}

} // namespace swirl::jit
