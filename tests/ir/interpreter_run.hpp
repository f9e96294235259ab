#pragma once

#include "ir/interpreter.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

/// Programs of GPUs in the interpreter, and what it finds in them.
namespace swirl::ir::test {

inline InterpreterReport run(const Program& program, Arguments& arguments) {
    InterpreterOptions options;
    options.throw_on_diagnostic = false;
    return interpret(program, arguments, options);
}

inline InterpreterReport run_on_ramp(const Program& program) {
    Arguments arguments(program);
    std::vector<double> x(static_cast<std::size_t>(arguments["x"].elements()));
    std::iota(x.begin(), x.end(), 0.0);
    arguments["x"].assign(x);
    return run(program, arguments);
}

inline bool found(const InterpreterReport& report, Diagnostic::Kind kind, Buffer buffer) {
    return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                       [&](const Diagnostic& f) { return f.kind == kind && f.buffer == buffer; });
}

} // namespace swirl::ir::test
