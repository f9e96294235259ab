#pragma once

#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "jit/compile.hpp"
#include "lower/loop_program.hpp"
#include "plan/phase.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "target/cpu.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Recipe → Plan: kernels, tables and workspace, ready to run.
namespace swirl::planning {

struct PlanOptions {
    int threads = 1; ///< that may work on one execution; only one does where sharing would not pay
    /// Operations (a vector counting once) of a loop from which on threads share it: ten times what meeting takes or
    /// more. To find it again: swirl bench 'dft n' --sizes 1024..65536*2 with --threads 2 and with --threads 1.
    double least_shared_operations = 32768;
    bool check = true; ///< run each plan once against a second route before it is handed out
};

/// One of the arrays that a plan takes beside input and output, at its element of index 0.
struct ArrayArgument {
    const void* data = nullptr;
    const void* imaginary = nullptr; ///< of planar complex numbers
};

/// Where a plan's data lies. Interleaved or real data: `input` and `output`; planar: the imaginary parts too.
/// In place, `output` equals `input`. Each points at the element of index 0.
struct Arguments {
    const void* input = nullptr;
    void* output = nullptr;
    const void* input_imaginary = nullptr;
    void* output_imaginary = nullptr;
    std::span<const ArrayArgument> arrays = {}; ///< in the order of arrays_of
};

/// What one step is, for people and reports.
struct StepDescription {
    StepRecipe recipe;
    formula::Formula formula; ///< expanded, codelets left whole
    lower::LoopProgram loops; ///< what becomes ir, and what a portable kernel runs
    ir::Program lowered;      ///< as derived; for a portable kernel what emit/ would be given
    ir::Program program;      ///< as compiled; for a portable kernel what its CPU's passes make of `lowered`
    ir::KernelInfo info;
    std::vector<PhaseDescription> phases;
    jit::CodeStatistics statistics; ///< zero when a portable kernel runs
};

/// An executable transform: immutable, usable from any number of threads at once.
class Plan {
public:
    /// Derives, compiles and checks. Where generated code cannot run, or the recipe's CPU is "portable", portable
    /// kernels on built-in codelets take its place. Throws UserError for an invalid problem, or a recipe that does not fit it.
    static std::shared_ptr<const Plan> build(const Problem& problem, const Recipe& recipe,
                                             const PlanOptions& options = {});
    ~Plan();

    const Problem& problem() const;
    const Recipe& recipe() const;
    const target::Cpu& cpu() const; ///< that the kernels are for: "portable" when they are not generated here
    std::size_t workspace_bytes() const; ///< aligned to 64
    int threads() const;                 ///< that work on one execution: 1 when sharing would not pay

    /// Transforms, with the same bits at any number of threads; inside a parallel region on the calling thread alone.
    /// Workspace comes from the stack, or from a buffer the calling thread keeps. Throws UserError for null, overlapping or
    /// misaligned pointers before anything is written.
    void execute(const Arguments& arguments) const;
    /// The same with the caller's workspace (workspace_bytes() bytes, 64-byte aligned; may be null when 0).
    void execute(const Arguments& arguments, void* workspace) const;

    double flops() const;        ///< real additions and multiplications executed
    double bytes() const;        ///< read and written by the kernels
    Integer table_bytes() const; ///< of constants that the kernels read: they stay as long as the plan
    /// Rebuilt on demand: plans keep only what running needs.
    std::vector<StepDescription> describe() const;
    /// Assembly text of a step. Throws UserError where no machine code was generated.
    std::string listing(std::size_t step) const;

private:
    struct State;
    explicit Plan(std::unique_ptr<State> state);
    void execute_in_thread_workspace(const Arguments& arguments) const;
    std::unique_ptr<State> state_;
};

} // namespace swirl::planning
