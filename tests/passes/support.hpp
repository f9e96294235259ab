#pragma once

#include "ir/analysis.hpp"
#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

/// Running a program before and after a pass on the same random data.
namespace swirl::passes {

constexpr ir::Type f64{DataType::float64, 1};

/// Contents of all argument buffers after a run that started from small random integers, which leave sums and
/// products exact. Scratch memory starts unwritten.
inline std::map<std::string, std::vector<double>> run_on_integers(const ir::Program& program, unsigned seed) {
    ir::Arguments arguments(program);
    std::map<std::string, std::vector<double>> results;
    for (const ir::BufferInfo& buffer : program.buffers) {
        if (buffer.space != ir::Space::argument) continue;
        std::mt19937 random(seed ^ static_cast<unsigned>(std::hash<std::string>{}(buffer.name)));
        for (Integer i = buffer.first; i < buffer.first + buffer.elements; ++i)
            arguments[buffer.name].set(i, std::uniform_int_distribution<int>(-9, 9)(random));
    }
    ir::interpret(program, arguments);
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::argument) results[buffer.name] = arguments[buffer.name].values();
    return results;
}

inline void expect_same_results(const ir::Program& before, const ir::Program& after, double tolerance = 0) {
    for (const unsigned seed : {1U, 2U}) {
        const auto expected = run_on_integers(before, seed);
        const auto got = run_on_integers(after, seed);
        ASSERT_EQ(expected.size(), got.size());
        for (const auto& [name, values] : expected)
            for (std::size_t i = 0; i < values.size(); ++i)
                ASSERT_NEAR(values[i], got.at(name).at(i), tolerance) << name << "[" << i << "]\nbefore:\n"
                                                                      << ir::to_string(before) << "\nafter:\n"
                                                                      << ir::to_string(after);
    }
}

/// Operations of each kind in the program's body.
inline std::map<ir::Opcode, int> operation_counts(const ir::Program& program) {
    std::map<ir::Opcode, int> counts;
    ir::for_each_operation(program, [&](ir::Value value) { ++counts[program[value].opcode]; });
    return counts;
}

inline int count(const ir::Program& program, ir::Opcode opcode) { return operation_counts(program)[opcode]; }

} // namespace swirl::passes
