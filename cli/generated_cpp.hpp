#pragma once

#include "plan/transform/cpu/plan.hpp"

#include <string>

namespace swirl::cli {

/// One kernel of a plan as a C++ file, with vectors of the plan's CPU. Uses CPU-specific instructions only for targets
/// that are supported only as C++.
std::string kernel_as_cpp(const planning::Plan& plan, const planning::PassDescription& pass);

/// A plan as C++ that does not depend on swirl.
struct StandaloneCpp {
    std::string source; ///< all kernels and a function that runs them; its comments describe the usage
    std::string header; ///< declares that function, for C and C++
};
StandaloneCpp plan_as_cpp(const planning::Plan& plan, const std::string& function);

/// The function name of a problem: "swirl_dft_16x8_backward".
std::string function_name(const Transform& problem);

} // namespace swirl::cli
