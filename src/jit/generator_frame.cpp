#include "jit/generator.hpp"

#include "base/error.hpp"

namespace swirl::jit {

namespace {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

/// Index of a buffer's pointer in the function's `buffers` argument.
Integer argument_position(const ir::Program& program, ir::Buffer buffer) {
    Integer position = 0;
    for (ir::Buffer b = 0; b < buffer; ++b) {
        const ir::Space space = program.buffers[static_cast<std::size_t>(b)].space;
        if (space != ir::Space::local && space != ir::Space::shared) ++position;
    }
    return position;
}

} // namespace

/// Saves registers, sets up the frame and masks, then the induction variables of the kernel itself. Until those are
/// complete, rax holds `buffers` and rcx `parameters`.
void Generator::prologue() {
    for (const std::int8_t reg : general::preserved)
        if (inductions_.registers_used() >> reg & 1) entry_.emit(Inst::kIdPush, gp(reg));
    if (frame_.is_needed()) {
        entry_.emit(Inst::kIdMov, x86::rax, x86::rsp);
        entry_.emit(Inst::kIdSub, x86::rsp, asmjit::Imm(frame_.size()));
        entry_.emit(Inst::kIdAnd, x86::rsp, asmjit::Imm(-64));
        entry_.emit(Inst::kIdMov, frame_operand(0), x86::rax);
    }
    for (int index = 1; index <= masks_.resident_count(); ++index) {
        entry_.emit(Inst::kIdMov, x86::eax, asmjit::Imm(masks_.bits(static_cast<std::uint16_t>(index))));
        entry_.emit(Inst::kIdKmovd, x86::KReg(static_cast<std::uint32_t>(index)), x86::eax);
    }
    const std::vector<int>& inductions = inductions_.loop(0).inductions;
    if (inductions.empty()) return;
    entry_.emit(Inst::kIdMov, x86::rax, x86::rdi);
    if (inductions_.uses_parameters()) entry_.emit(Inst::kIdMov, x86::rcx, x86::rsi);
    for (const int index : inductions) start_kernel_induction(inductions_.induction(index));
}

void Generator::start_kernel_induction(const InductionVariable& induction) {
    const std::int8_t spare = inductions_.uses_parameters() ? general::for_parameters : general::rcx;
    const IntegerLocation& location = induction.location;
    const x86::Gp target = gp(location.in_register() ? location.reg : spare);
    Integer scale = 1;
    if (induction.buffer < 0) {
        entry_.emit(Inst::kIdMov, target, asmjit::Imm(0));
    } else {
        const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(induction.buffer)];
        scale = bytes_of(buffer.element);
        if (buffer.space == ir::Space::local) {
            const Integer offset = selector_.local_offset(induction.buffer);
            ensure(fits_in_32_bits(offset), "local buffers of 2 GiB");
            entry_.emit(Inst::kIdLea, target, frame_operand(offset));
        } else {
            const Integer at = 8 * argument_position(program_, induction.buffer);
            entry_.emit(Inst::kIdMov, target, x86::ptr(x86::rax, static_cast<std::int32_t>(at)));
        }
    }
    if (!location.in_register()) entry_.emit(Inst::kIdMov, frame_operand(location.offset), target);
    for (const Affine::Term& term : induction.terms) {
        const int position = program_.variables[static_cast<std::size_t>(term.variable)].axis;
        const x86::Gp product = gp(general::for_parameters);
        entry_.emit(Inst::kIdMov, product, asmjit::Imm(term.coefficient * scale));
        entry_.emit(Inst::kIdImul, product, x86::ptr(x86::rcx, 8 * position, 8));
        if (location.in_register())
            entry_.emit(Inst::kIdAdd, target, product);
        else
            entry_.emit(Inst::kIdAdd, frame_operand(location.offset), product);
    }
}

void Generator::epilogue() {
    if (selector_.stores_past_caches()) exit_.emit(Inst::kIdSfence);
    if (uses_wide_vectors_) exit_.emit(Inst::kIdVzeroupper);
    if (frame_.is_needed()) exit_.emit(Inst::kIdMov, x86::rsp, frame_operand(0));
    for (std::size_t i = std::size(general::preserved); i-- > 0;)
        if (inductions_.registers_used() >> general::preserved[i] & 1)
            exit_.emit(Inst::kIdPop, gp(general::preserved[i]));
    exit_.emit(Inst::kIdRet);
}

void Generator::constants() {
    if (options_.listing) {
        for (std::size_t c = 0; c < pools_.size(); ++c) {
            const std::size_t bytes = pool_.contents(static_cast<int>(c)).size();
            if (bytes > 0)
                assembler_.comment(
                    fmt::format("; L{}: {} bytes of constants", pools_[c].id(), bytes).c_str());
        }
        assembler_.setLogger(nullptr); // the listing omits constants
    }
    for (int size_class = ConstantPool::size_classes; size_class-- > 0;) {
        const std::span<const std::uint8_t> pool = pool_.contents(size_class);
        if (pool.empty()) continue;
        const auto alignment = static_cast<std::uint32_t>(ConstantPool::bytes_of(size_class));
        ensure_encoded(assembler_.align(asmjit::AlignMode::kData, alignment), 0);
        ensure_encoded(assembler_.bind(pools_[static_cast<std::size_t>(size_class)]), 0);
        ensure_encoded(assembler_.embed(pool.data(), pool.size()), 0);
    }
}

} // namespace swirl::jit
