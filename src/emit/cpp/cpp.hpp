#pragma once

#include "emit/cpp/prelude.hpp"
#include "ir/program.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::emit {

struct CppOptions {
    CppVectors vectors = CppVectors::extensions;
    bool embed_tables = true;   ///< emit tables as constant arrays; otherwise pass them as arguments
    bool typed_overload = true; ///< add to each kernel an inline overload with named, typed pointers
    std::string comment = {};   ///< comment at the head of the file: what it computes, which program made it
};

/// Emits the programs as one standalone C++17 file that includes only <cmath>, <cstdint> and <cstring>. Each becomes
///   extern "C" void NAME(void* const* buffers, const std::int64_t* parameters)
/// where NAME is the program's name, made unique in the file; tables shared by programs appear once.
/// Compiled with -ffp-contract=off, a function computes the same bits as ir::interpret.
/// UserError for a GPU kernel with several threads and for what C++ lacks (16-bit floats, target instructions).
std::string emit_cpp(std::span<const ir::Program* const> programs, const CppOptions& options = {});
std::string emit_cpp(const ir::Program& program, const CppOptions& options = {});

/// The function names that emit_cpp gives these programs, in order.
std::vector<std::string> cpp_function_names(std::span<const ir::Program* const> programs);

} // namespace swirl::emit
