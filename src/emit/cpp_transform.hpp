#pragma once

#include "emit/cpp.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace swirl::emit {

/// Kernels that one function runs one after the other.
struct CppTransform {
    struct Argument {
        std::string name;
        ir::Scalar element = ir::Scalar::float64;
        bool written = false;
    };
    struct Step {
        const ir::Program* program = nullptr; ///< without integer parameters
        std::vector<std::size_t>
            arguments; ///< for each of its argument buffers in order, which of the transform's
    };

    std::string name; ///< of the function
    std::vector<Argument> arguments;
    std::vector<Step> steps;
};

/// Bytes of workspace that the function wants as its last argument; with 0 it has no such argument. The steps use
/// the same memory one after the other.
std::size_t cpp_workspace_bytes(const CppTransform& transform);

/// The transform as one standalone C++17 file with a single function to be called from elsewhere:
///   extern "C" void NAME(const double* in, double* out, void* workspace);
/// Pointers are those of index 0; no alignment beyond that of the elements is needed. Options as for emit_cpp; the
/// tables are always part of the file.
std::string emit_cpp(const CppTransform& transform, const CppOptions& options = {});

/// The declaration that goes with it, for C and C++.
std::string emit_cpp_header(const CppTransform& transform, const CppOptions& options = {});

} // namespace swirl::emit
