#pragma once

#include "plan/plan.hpp"

#include <string>

namespace swirl::cli {

/// One kernel of a plan as a C++ file: vectors of the plan's CPU; instructions that only one CPU has where that CPU is
/// one that C++ is all that is made for.
std::string kernel_as_cpp(const planning::Plan& plan, const planning::StepDescription& step);

/// A plan as C++ that needs no swirl.
struct StandaloneCpp {
    std::string source; ///< all kernels and a function that runs them; see the comments in it
    std::string header; ///< declares that function, for C and C++
};
StandaloneCpp plan_as_cpp(const planning::Plan& plan, const std::string& function);

/// A name for a problem's function: "swirl_dft_16x8_backward".
std::string function_name(const Problem& problem);

} // namespace swirl::cli
