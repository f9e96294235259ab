#pragma once

#include "ir/program.hpp"
#include "plan/kernel.hpp"

namespace swirl::planning {

/// A kernel for a CPU that swirl only writes C++ for: it can be described, not run.
class EmittedKernel : public Kernel {
public:
    explicit EmittedKernel(const ir::Program& program);

    /// Both throw UserError.
    void run_phase(std::size_t phase, runtime::Share share, const Pointers& pointers) const override;
    void run(const Pointers& pointers) const override;
};

} // namespace swirl::planning
