#pragma once

#include "emit/cpp_prelude.hpp"
#include "ir/program.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::emit {

struct CppOptions {
    CppVectors vectors = CppVectors::extensions;
    bool embed_tables = true;   ///< tables as constant arrays of the file; else passed like arguments
    bool typed_overload = true; ///< beside each kernel an inline overload with named, typed pointers
    std::string comment = {};   ///< words at the head of the file: what it computes, who made it
};

/// The programs as one standalone C++17 file that includes only <cmath>, <cstdint> and <cstring>. Each becomes
///   extern "C" void NAME(void* const* buffers, const std::int64_t* parameters)
/// with NAME its own name, made unique among them; tables that programs share appear once.
/// Compiled with -ffp-contract=off, a function gives bit for bit what ir::interpret gives.
/// UserError for a GPU kernel of several threads and for what C++ cannot say (16-bit floats, machine instructions).
std::string emit_cpp(std::span<const ir::Program* const> programs, const CppOptions& options = {});
std::string emit_cpp(const ir::Program& program, const CppOptions& options = {});

/// The function names that emit_cpp gives these programs, in order.
std::vector<std::string> cpp_function_names(std::span<const ir::Program* const> programs);

} // namespace swirl::emit
