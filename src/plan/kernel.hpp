#pragma once

#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "jit/compile.hpp"
#include "lower/loop_program.hpp"
#include "plan/steps.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/executable_memory.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl::planning {

/// Which pointer of a call a kernel's buffer gets.
struct Binding {
    enum class Source : std::uint8_t {
        input,
        input_imaginary,
        output,
        output_imaginary,
        intermediate,
        workspace,
        table,
    };
    Source source;
    std::size_t offset = 0;      ///< bytes into the workspace
    const void* table = nullptr; ///< the table itself
};

/// A step's program on its way to the machine.
struct Derivation {
    formula::Formula formula;
    lower::LoopProgram loops;
    ir::Program lowered;
    ir::Program machine; ///< after the passes
};
Derivation derive(const Problem& problem, const Stage& stage, const rules::BreakdownTree& tree,
                  const target::Cpu& cpu);

/// Whether the caller keeps what lies there as two arrays.
bool is_planar(const Problem& problem, Place place);

/// Argument buffers by their names: in, out or data, with _re and _im when planar. Throws InternalError for others.
Binding::Source source_of(const std::string& buffer_name, const Stage& stage);

/// One step, ready to run.
class Kernel {
public:
    virtual ~Kernel() = default;

    const ir::KernelInfo& info() const { return info_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    virtual jit::CodeStatistics statistics() const { return {}; }

    /// Pointers in the order of Binding::Source; `workspace` is 64-byte aligned.
    using Pointers = std::array<void*, 6>;
    virtual void run(const Pointers& pointers) const = 0;

protected:
    ir::KernelInfo info_;
    std::size_t workspace_bytes_ = 0;
};

/// Machine code, tables, where its buffers come from.
class CompiledKernel : public Kernel {
public:
    CompiledKernel(const ir::Program& program, const Stage& stage, const target::Cpu& cpu);

    jit::CodeStatistics statistics() const override { return statistics_; }
    void run(const Pointers& pointers) const override;

private:
    void bind(const ir::Program& program, const Stage& stage);
    void fill_tables(const ir::Program& program);

    std::vector<Binding> bindings_;
    runtime::AlignedBuffer tables_;
    std::optional<runtime::ExecutableCode> code_;
    jit::CodeStatistics statistics_;
};

} // namespace swirl::planning
