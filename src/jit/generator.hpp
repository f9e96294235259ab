#pragma once

#include "ir/program.hpp"
#include "jit/addresses.hpp"
#include "jit/allocator.hpp"
#include "jit/compile.hpp"
#include "jit/constant_pool.hpp"
#include "jit/frame.hpp"
#include "jit/induction_variables.hpp"
#include "jit/masks.hpp"
#include "jit/register_buffers.hpp"
#include "jit/selector.hpp"

namespace swirl::jit {

/// One compilation: traverses the statements of a program and writes its machine code.
class Generator {
public:
    Generator(const ir::Program& program, const target::Cpu& cpu, const CompileOptions& options,
              asmjit::x86::Assembler& assembler);

    /// Writes the whole function, followed by its constants.
    CodeStatistics run();

private:
    void body(const ir::Body& body);
    void statement(const ir::Statement& statement);
    void straight(const ir::StraightLineBlock& block);
    void select(const ir::StraightLineBlock& block);
    std::uint32_t keep_constants_in_registers();
    void loop(const ir::For& loop);
    void loop_body(const ir::For& loop, const LoopRecord& record, const asmjit::Label& exit);
    void last_iterations(const LoopRecord& record, const asmjit::Label& head, const asmjit::Label& exit);
    void start_counter(const IntegerLocation& counter, Integer trips);
    void start_counter(const IntegerLocation& counter, const InductionAccess& extent,
                       const asmjit::Label& exit);
    void start_induction(const InductionVariable& induction);
    void add_to(const IntegerLocation& location, Integer amount, InstructionId id);
    void condition(const ir::If& condition);
    void jump_unless(const ir::Condition& condition, const asmjit::Label& otherwise);

    // generator_frame.cpp: prologue and epilogue
    void prologue();
    void start_kernel_induction(const InductionVariable& induction);
    void epilogue();
    void constants();

    const ir::Program& program_;
    const target::Cpu& cpu_;
    CompileOptions options_;
    asmjit::x86::Assembler& assembler_;
    CodeStatistics statistics_;
    Frame frame_;
    InductionVariables inductions_;
    RegisterBuffers in_registers_;
    ConstantPool pool_;
    Masks masks_;
    std::array<asmjit::Label, ConstantPool::size_classes> pools_;
    CodeBuffer code_;
    CodeBuffer entry_;
    CodeBuffer exit_;
    Addresses addresses_;
    Selector selector_;
    Allocator allocator_;
    Block block_;
    bool uses_wide_vectors_ = false;
};

} // namespace swirl::jit
