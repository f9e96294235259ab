#pragma once

#include "formula/formula.hpp"
#include "ir/program.hpp"

#include <string>
#include <vector>

/// Codelets compiled into the library, for hosts where no machine code can be generated.
namespace swirl::emit {

/// Transforms per call of a built-in codelet: lane l of entry e is element builtin_lanes·e + l.
constexpr int builtin_lanes = 8;

/// A transform computed by a function  void(void* const* buffers, const int64_t* parameters).  Complex: buffers are the
/// real and imaginary components of the input, then of the output; real: input, output. Input and output are disjoint.
/// Parameter 0 is the number of 16-byte vectors of lanes to compute.
struct BuiltinCodelet {
    formula::Formula formula;
    DataType scalar;
};

/// All built-in codelets: DFT(2…32), DFT(64), WHT(2…64), in both precisions. A backward DFT is the forward one with the
/// real and imaginary components of input and output exchanged.
std::vector<BuiltinCodelet> builtin_codelets();

/// The codelet's program as emitted: for a target with 16-byte vectors and no fused multiply-add.
ir::Program builtin_program(const BuiltinCodelet& codelet);

struct SourceFile {
    std::string name;
    std::string text;
};

/// C++ files of about equal length, builtin_0.cpp, builtin_1.cpp, …, then builtin_list.inc with a line
///   SWIRL_BUILTIN("DFT(4)", float64, FUNCTION, FLOPS)
/// per codelet, where FLOPS counts one transform. The output is deterministic.
std::vector<SourceFile> builtin_sources(std::size_t files);

} // namespace swirl::emit
