#pragma once

#include "plan/transform/cpu/kernel.hpp"

#include <memory>

namespace swirl::planning {

/// A pass's loop program for portable kernels: its codelets are built in wherever rules lead to built-in ones.
struct PortableDerivation {
    lower::KernelRequest request;
    loops::LoopProgram loops;
};
PortableDerivation derive_portable(const Transform& problem, const ExpandedPass& expanded);

/// A kernel without generated machine code: it interprets the loop program and calls built-in codelets on several
/// iterations at once. Codelets that are not built in are products with their dense matrices.
std::unique_ptr<Kernel> make_portable_kernel(const Transform& problem, const ExpandedPass& expanded);

} // namespace swirl::planning
