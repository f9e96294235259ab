#include "jit/compile.hpp"

#include "base/error.hpp"
#include "jit/generator.hpp"

namespace swirl::jit {

MachineCode compile(const ir::Program& program, const target::Cpu& cpu, const CompileOptions& options) {
    if (cpu.set == target::InstructionSet::portable)
        throw UserError("swirl generates no machine code for the CPU '{}'; use its built-in kernels",
                        cpu.name);
    if (cpu.emitted_only)
        throw UserError("swirl generates no machine code for the CPU '{}'; emit C++ for its compiler",
                        cpu.name);
    ensure(program.launch == ir::Launch{}, "'{}' is a kernel for a GPU", program.name);
    asmjit::CodeHolder holder;
    ensure_encoded(holder.init(asmjit::Environment(asmjit::Arch::kX64)), 0);
    asmjit::StringLogger logger;
    if (options.listing) holder.setLogger(&logger);
    asmjit::x86::Assembler assembler(&holder);
    MachineCode code;
    code.statistics = Generator(program, cpu, options, assembler).run();
    ensure(!holder.hasUnresolvedLinks() && holder.relocEntries().empty(),
           "machine code that is bound to an address");
    const asmjit::CodeBuffer& buffer = holder.textSection()->buffer();
    code.bytes.assign(buffer.data(), buffer.data() + buffer.size());
    code.statistics.bytes = code.bytes.size();
    if (options.listing) code.listing.assign(logger.data(), logger.dataSize());
    return code;
}

} // namespace swirl::jit
