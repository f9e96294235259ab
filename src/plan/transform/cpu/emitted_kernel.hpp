#pragma once

#include "ir/program.hpp"
#include "plan/transform/cpu/kernel.hpp"

namespace swirl::planning {

/// A CPU kernel that exists only as emitted C++ source: it can be described, not run.
class EmittedKernel : public Kernel {
public:
    explicit EmittedKernel(const ir::Program& program);

    /// Both throw UserError.
    void run_phase(const PhaseRun& run, runtime::IterationRange range,
                   const Pointers& pointers) const override;
    void run(const Pointers& pointers) const override;
};

} // namespace swirl::planning
