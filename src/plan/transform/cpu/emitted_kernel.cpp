#include "plan/transform/cpu/emitted_kernel.hpp"

#include "base/error.hpp"
#include "emit/cpp/transform.hpp"

namespace swirl::planning {

EmittedKernel::EmittedKernel(const ir::Program& program) {
    info_ = ir::describe(program);
    emit::CppTransform transform;
    transform.calls.push_back({&program, {}});
    workspace_bytes_ = emit::cpp_workspace_bytes(transform);
}

void EmittedKernel::run_phase(const PhaseRun&, runtime::IterationRange, const Pointers& pointers) const {
    run(pointers);
}

void EmittedKernel::run(const Pointers&) const {
    throw UserError("this plan is for a CPU for which swirl emits C++ only; it cannot run here");
}

} // namespace swirl::planning
