#pragma once

#include "ir/interpreter.hpp"
#include "ir/verify.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// Runs kernels in sequence in the interpreter. Buffers of the same name share memory, so each kernel sees what earlier
/// ones wrote.
namespace swirl::support {

class KernelSequence {
public:
    /// Zeroes buffers that must be zero before the first kernel.
    explicit KernelSequence(std::vector<ir::Program> programs) : programs_(std::move(programs)) {
        for (const ir::Program& program : programs_) {
            ir::verify(program, ir::VerificationLevel::vectorized);
            ir::Arguments arguments(program);
            for (const ir::BufferInfo& buffer : program.buffers) {
                if (buffer.space != ir::Space::argument && buffer.space != ir::Space::scratch) continue;
                if (!memories_.emplace(buffer.name, arguments[buffer.name]).second) continue;
                for (Integer i = 0; buffer.zeroed && i < buffer.elements; ++i) memory(buffer.name).set(i, 0);
            }
        }
    }

    ir::Memory& memory(const std::string& name) { return memories_.at(name); }
    const std::vector<ir::Program>& programs() const { return programs_; }

    /// Returns the report of the last kernel.
    ir::InterpreterReport run(const std::vector<Integer>& parameters,
                              const ir::InterpreterOptions& options = {}) {
        ir::InterpreterReport report;
        for (const ir::Program& program : programs_) report = run(program, parameters, options);
        return report;
    }
    ir::InterpreterReport run_last(const std::vector<Integer>& parameters) {
        return run(programs_.back(), parameters, {});
    }

private:
    ir::InterpreterReport run(const ir::Program& program, const std::vector<Integer>& parameters,
                              const ir::InterpreterOptions& options) {
        ir::Arguments arguments(program);
        arguments.parameters = parameters;
        const auto has = [&](const std::string& name) {
            return std::any_of(program.buffers.begin(), program.buffers.end(),
                               [&](const ir::BufferInfo& buffer) { return buffer.name == name; });
        };
        for (const auto& [name, memory] : memories_)
            if (has(name)) arguments[name] = memory;
        const ir::InterpreterReport report = ir::interpret(program, arguments, options);
        for (auto& [name, memory] : memories_)
            if (has(name)) memory = arguments[name];
        return report;
    }

    std::vector<ir::Program> programs_;
    std::map<std::string, ir::Memory> memories_;
};

} // namespace swirl::support
