#include "target/nvidia/min_max.hpp"

#include <cmath>

namespace swirl::target {

namespace {

using ir::Lanes;

template <class Two> ir::Instruction entry(std::string_view name, std::string_view text, Two two) {
    constexpr unsigned capability = 80;
    constexpr ir::Type type{DataType::float32, 1};
    return {.name = name,
            .operands = {type, type},
            .result = type,
            .meaning =
                [two](std::span<const Lanes> operands) {
                    const long double a = operands[0][0], b = operands[1][0];
                    return Lanes{std::isnan(a) ? a : std::isnan(b) ? b : two(a, b)};
                },
            .encoding = capability,
            .text = text};
}

} // namespace

const ir::Instruction& float32_maximum() {
    static const ir::Instruction instruction =
        entry("maximum_of_two", "max.NaN.f32", [](long double a, long double b) { return a < b ? b : a; });
    return instruction;
}

const ir::Instruction& float32_minimum() {
    static const ir::Instruction instruction =
        entry("minimum_of_two", "min.NaN.f32", [](long double a, long double b) { return b < a ? b : a; });
    return instruction;
}

} // namespace swirl::target
