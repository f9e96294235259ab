#pragma once

#include "ir/kernel_info.hpp"
#include "ir/program.hpp"
#include "jit/compile.hpp"
#include "loops/loop_program.hpp"
#include "passes/phases.hpp"
#include "plan/schedule.hpp"
#include "plan/time_need.hpp"
#include "plan/transform/cpu/bound_call.hpp"
#include "plan/transform/cpu/code_options.hpp"
#include "plan/transform/cpu/phase.hpp"
#include "problem/problem.hpp"
#include "target/cpu.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::runtime {
class KernelCache;
}

/// Schedule → Plan: kernels, tables and workspace, ready to run.
namespace swirl::planning {

struct PlanOptions {
    int threads = 1; ///< maximum per execution; only one is used where more would not pay
    passes::SharingCosts sharing = passes::measured_sharing_costs;
    bool check = true;            ///< verify each plan once against a second algorithm before returning it
    std::size_t memory_limit = 0; ///< as Options::memory_limit_bytes, but 0: no limit
    double planning_limit = 0;    ///< as Options::planning_limit_seconds
    runtime::KernelCache* cache = nullptr; ///< keeps kernels for later processes; null: they are not kept
    std::function<void()> interrupt =
        {}; ///< unless empty, called now and then while planning; throws to end it
};

class PointerCall;

/// What planning this schedule takes. Its formula is expanded to know.
PlanningWork planning_work(const Transform& problem, const Schedule& schedule, const PlanOptions& options);

/// An auxiliary array, at its element with index 0.
struct ArrayArgument {
    const void* data = nullptr;
    const void* imaginary = nullptr; ///< imaginary components of planar complex data
};

/// Pointers of an execution, to elements with index 0. Interleaved or real data: `input` and `output`; planar: also the
/// imaginary components. In place, `output` equals `input`.
struct Arguments {
    const void* input = nullptr;
    void* output = nullptr;
    const void* input_imaginary = nullptr;
    void* output_imaginary = nullptr;
    std::span<const ArrayArgument> arrays = {}; ///< in the order of arrays_of
};

/// One pass, for people and reports.
struct PassDescription {
    PassSchedule schedule;
    formula::Formula formula; ///< expanded, with codelets as leaves
    loops::LoopProgram loops; ///< lowered to ir; portable kernels run it directly
    ir::Program lowered;      ///< as derived; for a portable kernel the input of emit/
    ir::Program program;      ///< as compiled; for a portable kernel `lowered` after its CPU's passes
    ir::KernelInfo info;
    std::vector<PhaseDescription> phases;
    jit::CodeStatistics statistics; ///< zero for a portable kernel
};

/// An executable transform: immutable, safe to use from any number of threads at once.
class Plan {
public:
    /// Derives, compiles and verifies. Where generated code cannot run, or the schedule's CPU is "portable", portable
    /// kernels on built-in codelets replace it. Throws UserError for an invalid problem or an unsuitable schedule,
    /// OutOfMemory or OutOfTime for one that needs too much.
    static std::shared_ptr<const Plan> build(const Transform& problem, const Schedule& schedule,
                                             const PlanOptions& options = {});
    ~Plan();

    const Transform& problem() const;
    const Schedule& schedule() const;
    const target::Cpu& cpu() const;      ///< target of the kernels: "portable" if they are not generated here
    std::size_t workspace_bytes() const; ///< 64-byte aligned
    int threads() const;                 ///< per execution: 1 where more would not pay

    /// Executes the transform; the bits do not depend on the number of threads. Inside a parallel region only the
    /// calling thread works. Workspace comes from the stack, or from a buffer of the calling thread. Throws UserError
    /// for null, overlapping or misaligned pointers before anything is written.
    void execute(const Arguments& arguments) const;
    /// The same with the caller's workspace: workspace_bytes() bytes, 64-byte aligned; may be null if 0.
    void execute(const Arguments& arguments, void* workspace) const;

    /// The shortest call, of a transform from one array to another by one function; one that runs nothing for all others.
    const PointerCall& pointer_call() const;

    /// Executions with these arguments as one call without checks: where they are right, and one function without a
    /// workspace computes the transform. Lives no longer than the plan.
    std::optional<BoundCall> bound(const Arguments& arguments) const;

    /// One pass alone, on one thread, to time it: the result is meaningful only after the passes before it.
    void execute_pass(std::size_t pass, const Arguments& arguments) const;

    /// Verifies the plan as these options say. Only before its first use, if it was built without a check.
    void check(const PlanOptions& options) const;
    /// Whether and how it was verified: "yes", "yes, 512 of 100000 transforms", "no, because …".
    const std::string& checked() const;

    double flops() const;        ///< real additions and multiplications executed
    double bytes() const;        ///< read and written by the kernels
    Integer table_bytes() const; ///< constants read by the kernels; they live as long as the plan
    /// With which the kernel of a pass was derived.
    CodeOptions code_options(std::size_t pass) const;
    /// Rebuilt on demand: plans keep only what execution needs.
    std::vector<PassDescription> describe() const;
    /// Assembly text of a pass. Throws UserError if no machine code was generated.
    std::string listing(std::size_t pass) const;

private:
    struct State;
    explicit Plan(std::unique_ptr<State> state);
    void execute_in_thread_workspace(const Arguments& arguments) const;
    std::unique_ptr<State> state_;
};

} // namespace swirl::planning
