#pragma once

#include "formula/formula.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace swirl::lower {

/// A formula as a list of steps on complex values. Value 0 is zero, then come the inputs, then the results of the steps.
struct StraightLineProgram {
    using Value = std::uint32_t;
    static constexpr Value zero = 0;

    struct Step {
        enum class Kind : std::uint8_t {
            multiply,  ///< a · constants[b]
            add,       ///< a + b
            pair,      ///< Re a + i·Re b
            real,      ///< Re a
            imaginary, ///< Im a
        };
        Kind kind;
        Value a;
        Value b = zero;
    };

    std::size_t inputs = 0;
    std::vector<Step> steps;
    std::vector<formula::Complex> constants;
    std::vector<Value> results;
};

/// The formula's steps. Breaks down transforms by rules::cheapest_straight_line. Many kernels have the same codelets, and walking
/// a formula takes longer than its steps: the process keeps the latest.
std::shared_ptr<const StraightLineProgram> straight_line_program(const formula::Formula& formula);

} // namespace swirl::lower
