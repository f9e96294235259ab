#pragma once

#include "emit/cpp/cpp.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace swirl::emit {

/// Kernels that one function calls in sequence.
struct CppTransform {
    struct Argument {
        std::string name;
        DataType element = DataType::float64;
        bool written = false;
    };
    struct KernelCall {
        const ir::Program* program = nullptr; ///< without integer parameters
        std::vector<std::size_t>
            arguments; ///< for each argument buffer of the program, in order: index into the transform's arguments
    };

    std::string name; ///< of the function
    std::vector<Argument> arguments;
    std::vector<KernelCall> calls;
};

/// Bytes of workspace that the function takes as its last argument; 0: no such argument. Successive kernels reuse the
/// same memory.
std::size_t cpp_workspace_bytes(const CppTransform& transform);

/// Emits the transform as one standalone C++17 file with a single exported function:
///   extern "C" void NAME(const double* in, double* out, void* workspace);
/// Each pointer addresses the element of index 0 and needs no alignment beyond its element's. Options as for emit_cpp,
/// except that tables are always embedded.
std::string emit_cpp(const CppTransform& transform, const CppOptions& options = {});

/// The matching declaration, for C and C++.
std::string emit_cpp_header(const CppTransform& transform, const CppOptions& options = {});

} // namespace swirl::emit
