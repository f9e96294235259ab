#pragma once

#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "jit/compile.hpp"
#include "lower/loop_program.hpp"
#include "passes/phases.hpp"
#include "plan/direct_call.hpp"
#include "plan/phase.hpp"
#include "plan/steps.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/executable_memory.hpp"
#include "runtime/team.hpp"

#include <array>
#include <memory>
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
        own_workspace, ///< of the thread: what lies there lives no longer than an iteration
        table,
        unused, ///< by any operation: nothing
        arrays, ///< the first of the arrays beside input and output, each two: see array_source
    };
    static constexpr std::size_t most_arrays = 8;
    static constexpr std::size_t sources = static_cast<std::size_t>(Source::arrays) + 2 * most_arrays;
    /// The array of this number, or the imaginary parts of its numbers where these lie apart.
    static constexpr Source array_source(std::size_t array, bool imaginary) {
        return static_cast<Source>(static_cast<std::size_t>(Source::arrays) + 2 * array + imaginary);
    }
    Source source;
    std::size_t offset = 0;      ///< bytes into either workspace
    const void* table = nullptr; ///< the table itself
};

/// A step's program on its way to the machine.
struct Derivation {
    formula::Formula formula;
    lower::LoopProgram loops;
    ir::Program lowered;
    ir::Program machine; ///< after the passes
};
/// See Recipe for `scalar_code`.
Derivation derive(const Problem& problem, const Stage& stage, const rules::BreakdownTree& tree,
                  const target::Cpu& cpu, bool scalar_code = false);

/// What derive ends with. What it follows from is let go on the way: tables may be as large as the data.
ir::Program machine_program(const Problem& problem, const Stage& stage, const rules::BreakdownTree& tree,
                            const target::Cpu& cpu, bool scalar_code = false);

/// The program with the arguments that the caller keeps as two arrays each split into two buffers.
ir::Program laid_out(ir::Program program, const Problem& problem, const Stage& stage);

/// Argument buffers by their names: in, out or data, or with_ and an array's name, with _re and _im when planar. Throws
/// InternalError for others.
Binding::Source source_of(const std::string& buffer_name, const Stage& stage);

/// One step, ready to run: phases in order, each by one thread or shared among several.
class Kernel {
public:
    virtual ~Kernel() = default;

    const ir::KernelInfo& info() const { return info_; }
    const std::vector<PhaseDescription>& phases() const { return phases_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }         ///< shared by all threads
    std::size_t own_workspace_bytes() const { return own_workspace_bytes_; } ///< of each thread
    virtual jit::CodeStatistics statistics() const { return {}; }

    /// Pointers in the order of Binding::Source; workspaces are 64-byte aligned.
    using Pointers = std::array<void*, 7>;
    /// A share of a phase's iterations. All threads finish a phase before one starts the next, if one of the two is
    /// parallel.
    virtual void run_phase(std::size_t phase, runtime::Share share, const Pointers& pointers) const = 0;
    /// The whole kernel as one call, if it is one function of an input and an output with little workspace.
    virtual DirectCall direct_call() const { return {}; }
    /// All phases, by the calling thread.
    virtual void run(const Pointers& pointers) const = 0;

protected:
    ir::KernelInfo info_;
    std::vector<PhaseDescription> phases_{1}; ///< at first all in one, serial
    std::size_t workspace_bytes_ = 0;
    std::size_t own_workspace_bytes_ = 0;
};

/// Machine code, tables, where its buffers come from.
class CompiledKernel : public Kernel {
public:
    /// One function for all, or, if several threads have enough to share, one a phase.
    CompiledKernel(const ir::Program& program, const Stage& stage, const target::Cpu& cpu,
                   const passes::PhaseOptions& sharing);

    jit::CodeStatistics statistics() const override { return statistics_; }
    void run_phase(std::size_t phase, runtime::Share share, const Pointers& pointers) const override;
    void run(const Pointers& pointers) const override;
    DirectCall direct_call() const override;

private:
    using BufferPointers = std::array<void*, 64>;
    void find_buffers(const Pointers& pointers, BufferPointers& buffers) const;
    [[gnu::noinline]] void run_phases(const Pointers& pointers) const;
    void compile(const ir::Program& program, const target::Cpu& cpu);
    void bind(const ir::Program& program, const Stage& stage);
    /// By buffer, where tables are from now on; null for other buffers.
    std::vector<const void*> place_tables(const ir::Program& program);

    std::vector<Binding> bindings_;
    runtime::AlignedBuffer tables_;             ///< the small ones
    std::vector<ir::TableData> large_tables_;   ///< kept by themselves
    std::vector<runtime::ExecutableCode> code_; ///< by phase
    runtime::KernelFunction whole_ = nullptr;   ///< where all is one serial phase that needs no alignment
    /// For streamed arguments that lie on cache lines; such code may write them past the caches.
    std::vector<runtime::ExecutableCode> aligned_code_;
    std::vector<std::size_t> streamed_arguments_; ///< their bindings
    jit::CodeStatistics statistics_;
};

} // namespace swirl::planning
