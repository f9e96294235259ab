#pragma once

#include "base/byte_stream.hpp"
#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "ir/role.hpp"
#include "jit/compile.hpp"
#include "loops/loop_program.hpp"
#include "passes/phases.hpp"
#include "plan/shared_tables.hpp"
#include "plan/transform/cpu/binding.hpp"
#include "plan/transform/cpu/direct_call.hpp"
#include "plan/transform/cpu/phase.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "runtime/cpu/aligned_buffer.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "runtime/cpu/team.hpp"

#include <array>
#include <memory>
#include <vector>

namespace swirl::planning {

constexpr std::size_t cache_line = 64;
/// A size rounded up to whole cache lines.
constexpr std::size_t in_whole_lines(std::size_t bytes) {
    return (bytes + cache_line - 1) / cache_line * cache_line;
}

/// A pass's programs during compilation.
struct Derivation {
    formula::Formula formula;
    loops::LoopProgram loops;
    ir::Program lowered;
    ir::Program program; ///< after the passes
};
Derivation derive(const Transform& problem, const DimensionPass& pass, const rules::BreakdownTree& tree,
                  const target::Cpu& cpu, const CodeOptions& code = {});

/// The last program of derive. Earlier ones are freed on the way, because tables may be as large as the data.
ir::Program optimized_program(const Transform& problem, const ExpandedPass& expanded, const target::Cpu& cpu,
                              const CodeOptions& code = {});

/// The program with each planar argument split into two buffers.
ir::Program laid_out(ir::Program program, const Transform& problem, const DimensionPass& pass);

/// Source of an argument: of input, output, data or an auxiliary array. Throws InternalError for other roles.
Binding::Source source_of(const ir::Role& role, const DimensionPass& pass);

/// One pass, ready to run: phases in order, each run by one thread or shared by several.
class Kernel {
public:
    virtual ~Kernel() = default;

    const ir::KernelInfo& info() const { return info_; }
    const std::vector<PhaseDescription>& phases() const { return phases_; }
    /// Members of the team that runs the phases fastest; 1: one thread.
    int team() const { return team_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }         ///< shared by all threads
    std::size_t own_workspace_bytes() const { return own_workspace_bytes_; } ///< of each thread
    virtual jit::CodeStatistics statistics() const { return {}; }

    /// Workspaces are 64-byte aligned.
    struct Pointers {
        std::array<void*, static_cast<std::size_t>(Binding::Source::table)> own; ///< by Binding::Source
        const ArrayArgument* arrays;                                             ///< the auxiliary arrays

        void* operator[](Binding::Source source) const {
            const auto at = static_cast<std::size_t>(source);
            return at < own.size() ? own[at] : array_of(source, arrays);
        }
    };
    /// Runs some of a phase's iterations. A barrier separates two phases if one of them is parallel.
    virtual void run_phase(const PhaseRun& run, runtime::IterationRange range,
                           const Pointers& pointers) const = 0;
    /// The whole kernel as one call, if it is one function of the caller's arrays with a small workspace.
    virtual DirectCall direct_call() const { return {}; }
    /// Runs all phases on the calling thread.
    virtual void run(const Pointers& pointers) const = 0;

    /// Of machine code and tables, which `write` stores. Kernels that are not machine code have none and are not stored.
    virtual std::size_t stored_bytes() const { return 0; }
    virtual void write(ByteWriter&) const {}

protected:
    ir::KernelInfo info_;
    std::vector<PhaseDescription> phases_{1}; ///< by default one serial phase
    int team_ = 1;
    std::size_t workspace_bytes_ = 0;
    std::size_t own_workspace_bytes_ = 0;
};

/// Machine code, tables and buffer bindings.
class CompiledKernel : public Kernel {
public:
    /// One function for everything, for one thread.
    CompiledKernel(const ir::Program& program, const DimensionPass& pass, const target::Cpu& cpu);
    /// One per phase of the program, for a team of at least two.
    CompiledKernel(const ir::Program& program, const DimensionPass& pass, const target::Cpu& cpu,
                   const std::vector<passes::Phase>& phases, int team);

    /// Reads what `write` wrote; null for other bytes.
    static std::unique_ptr<Kernel> read(ByteReader& reader);

    jit::CodeStatistics statistics() const override { return statistics_; }
    std::size_t stored_bytes() const override;
    void write(ByteWriter& writer) const override;
    void run_phase(const PhaseRun& run, runtime::IterationRange range,
                   const Pointers& pointers) const override;
    void run(const Pointers& pointers) const override;
    DirectCall direct_call() const override;

private:
    using BufferPointers = std::array<void*, 64>;
    CompiledKernel() = default;
    bool read_members(ByteReader& reader);
    void find_buffers(const Pointers& pointers, BufferPointers& buffers) const;
    [[gnu::noinline]] void run_phases(const Pointers& pointers) const;
    void compile(const ir::Program& program, const target::Cpu& cpu);
    void bind(const ir::Program& program, const DimensionPass& pass);
    /// Returns the new address of each table, by buffer; null for other buffers.
    std::vector<const void*> allocate_tables(const ir::Program& program);

    std::vector<Binding> bindings_;
    runtime::AlignedBuffer tables_;             ///< small tables, contiguous
    std::vector<TableBytes> shared_tables_;     ///< large tables
    std::vector<runtime::ExecutableCode> code_; ///< by phase
    runtime::KernelFunction whole_ = nullptr;   ///< if it is one serial phase without aligned variants
    /// Code for streamed arguments aligned to cache lines; may use non-temporal stores.
    std::vector<runtime::ExecutableCode> aligned_code_;
    std::vector<std::size_t> non_temporal_arguments_; ///< their bindings
    jit::CodeStatistics statistics_;
};

} // namespace swirl::planning
