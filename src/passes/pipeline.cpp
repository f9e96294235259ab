#include "passes/pipeline.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "ir/analysis.hpp"
#include "passes/eliminate_common_subexpressions.hpp"
#include "passes/fold_constants.hpp"
#include "passes/form_fma.hpp"
#include "passes/propagate_scale_factors.hpp"
#include "passes/propagate_signs.hpp"
#include "passes/remove_dead_code.hpp"
#include "passes/scalar_replacement.hpp"
#include "passes/schedule_for_registers.hpp"
#include "passes/select_instructions.hpp"
#include "passes/strength_reduce_addresses.hpp"
#include "passes/unroll.hpp"
#include "passes/vectorize.hpp"

#include <algorithm>
#include <utility>

namespace swirl::passes {
namespace {

using ir::Program;
using ir::VerificationLevel;

#ifdef NDEBUG
constexpr bool verifies = false;
#else
constexpr bool verifies = true;
#endif

/// A pass that needs no knowledge of the target.
template <Program (*function)(Program)> bool plain(Program& program, const Context&) {
    program = function(std::move(program));
    return true;
}
/// One that also says whether it has changed anything.
template <bool (*function)(Program&)> bool plain(Program& program, const Context&) {
    return function(program);
}

constexpr Pass loop_list[] = {
    {"unroll",
     [](Program& program, const Context&) {
         program = unroll(std::move(program));
         return true;
     },
     VerificationLevel::lowered},
    {"scalar replacement", plain<scalar_replacement>, VerificationLevel::lowered},
    {"vectorize",
     [](Program& program, const Context& context) {
         program = vectorize(std::move(program), context.lanes, context.cpu->permutes_two);
         return true;
     },
     VerificationLevel::vectorized},
    {"scalar replacement", plain<scalar_replacement>, VerificationLevel::vectorized},
};

constexpr Pass common_subexpressions = {"share common subexpressions", plain<eliminate_common_subexpressions>,
                                        VerificationLevel::vectorized, true};

constexpr Pass arithmetic_list[] = {
    common_subexpressions,
    {"fold constants", plain<fold_constants_in>, VerificationLevel::vectorized},
    {"propagate signs", plain<propagate_signs_in>, VerificationLevel::vectorized},
    common_subexpressions,
};

constexpr Pass fma_list[] = {
    {"carry scale factors", plain<propagate_scale_factors_in>, VerificationLevel::vectorized},
    common_subexpressions,
    {"form fma",
     [](Program& program, const Context& context) {
         program = form_fma(std::move(program), context.cpu->has_fms);
         return true;
     },
     VerificationLevel::vectorized},
};

constexpr Pass codegen_list[] = {
    {"remove dead code",
     [](Program& program, const Context&) {
         erase_dead_code(program);
         return true;
     },
     VerificationLevel::vectorized},
    {"select instructions",
     [](Program& program, const Context& context) {
         program = select_instructions(std::move(program), *context.cpu);
         return true;
     },
     VerificationLevel::vectorized},
    {"strength-reduce addresses", plain<strength_reduce_addresses>, VerificationLevel::legalized},
    {"schedule for registers", plain<schedule_for_registers>, VerificationLevel::legalized},
};
constexpr std::size_t scheduling_passes = 1; ///< at the end of codegen_list

/// The portable CPU keeps its shuffles, which level `legalized` forbids.
void verify_after(const Pass& pass, const Program& program, const target::Cpu& cpu) {
    const bool portable = cpu.set == target::InstructionSet::portable;
    try {
        ir::verify(program, portable ? std::min(pass.level, VerificationLevel::vectorized) : pass.level);
    } catch (const InternalError& error) {
        throw InternalError("after pass '{}': {}", pass.name, error.what());
    }
}

/// The widest floating-point type in the program's buffers.
DataType floating_type(const Program& program) {
    DataType widest = DataType::float32;
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.element == DataType::float64) widest = buffer.element;
    return widest;
}

} // namespace

std::span<const Pass> loop_passes() { return loop_list; }
std::span<const Pass> arithmetic_passes() { return arithmetic_list; }
std::span<const Pass> fma_passes() { return fma_list; }
std::span<const Pass> codegen_passes() { return codegen_list; }

Program run(Program program, const Context& context, std::span<const Pass> passes, const Observer& observer) {
    ensure(!ir::has_conditions_on_values(program), "'{}' has conditions on values, which passes do not know",
           program.name);
    bool is_changed = true; // since an idempotent pass; there is one such pass
    for (const Pass& pass : passes) {
        ForkSection::let_forks_pass();
        if (is_changed || !pass.is_idempotent) {
            const bool changes = pass.function(program, context);
            is_changed = !pass.is_idempotent && (is_changed || changes);
        }
        if (verifies) verify_after(pass, program, *context.cpu);
        if (observer) observer(pass, program);
    }
    return program;
}

std::vector<Pass> passes_for(const target::Cpu& cpu) {
    std::vector<Pass> passes;
    for (const std::span<const Pass> list :
         {loop_passes(), arithmetic_passes(), cpu.has_fma ? fma_passes() : std::span<const Pass>(),
          codegen_passes()})
        passes.insert(passes.end(), list.begin(), list.end());
    return passes;
}

std::vector<Pass> passes_for_gpu() {
    std::vector<Pass> passes;
    for (const std::span<const Pass> list : {arithmetic_passes(), fma_passes()})
        passes.insert(passes.end(), list.begin(), list.end());
    // The driver's compiler does the rest. Registers of the emitted text are numbered like operations.
    passes.push_back({"remove dead code", plain<remove_dead_code>, VerificationLevel::vectorized});
    return passes;
}

Program run_for_gpu(Program program, const Observer& observer) {
    return run(std::move(program), {&target::portable_cpu(), 1}, passes_for_gpu(), observer);
}

Program run_codegen_passes(Program program, const target::Cpu& cpu, const Observer& observer) {
    const Context context{&cpu, target::lanes(cpu, floating_type(program))};
    const std::span<const Pass> passes = codegen_passes();
    return run(std::move(program), context, passes.first(passes.size() - scheduling_passes), observer);
}

Program run_for_cpu(Program program, const target::Cpu& cpu, const Observer& observer) {
    const Context context{&cpu, target::lanes(cpu, floating_type(program))};
    return run(std::move(program), context, passes_for(cpu), observer);
}

} // namespace swirl::passes
