#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/planning.hpp"
#include "problem/problem.hpp"

#include <string>

/// A problem as source text that needs no swirl.
namespace swirl::cli {

struct SourceRequest {
    std::string language = "c++"; ///< or "cuda", "hip", "opencl"
    std::string gpu = "generic";  ///< kind of GPU that kernels in a language for GPUs are chosen for
    std::string function = {};    ///< name of the function; empty: made from the problem
    PlanningOptions planning = {};
};

struct SourceText {
    std::string source;
    std::string
        header; ///< the function's declaration for C and C++; empty for a product of several kernels in C++
};

/// Throws UserError for unknown languages, kinds of GPU and names of functions, and for options that do not suit them.
SourceText source_of(const Transform& problem, const SourceRequest& request);
SourceText source_of(const MatrixProduct& product, const SourceRequest& request);

} // namespace swirl::cli
