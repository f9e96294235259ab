#pragma once

#include "plan/check/kernel_check_samples.hpp"
#include "plan/expression_evaluation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

/// What a generated kernel may give for an expression: the results of its evaluation on the host, up to rounding.
namespace swirl::planning::kernel_check {

/// The operands as ExpressionEvaluation takes them.
struct OperandCall {
    const OperandArrays* arrays;
    const gemm::Epilogue& code() const { return arrays->code(); }
    const void* operand(std::size_t k, Integer row, Integer column) const {
        return arrays->operand(k, row, column);
    }
};

/// A range of one component of an expression's result.
template <class R> struct ResultBounds {
    R expected = 0;
    R least = 0, most = 0;
    bool is_known = true; ///< false: a result near x is infinite or NaN

    bool admit(R result) const { return !is_known || (result >= least && result <= most); }
};

/// Real and imaginary bounds of the expression's result for element (i, j), which is x or, for rounding, near it. Rounding
/// within the expression is about that of its argument: a result lies between those of its neighbours.
template <class R, class S>
std::array<ResultBounds<R>, 2> bounds_of(const OperandArrays& expression, S x, Integer i, Integer j) {
    constexpr R near = sizeof(R) == 4 ? R(0x1p-18) : R(0x1p-44),
                rounding = sizeof(R) == 4 ? R(0x1p-16) : R(0x1p-42);
    ExpressionEvaluation<R, OperandCall> evaluation(OperandCall{&expression});
    const auto value = [&](S at) {
        const Values<R>& result = evaluation.evaluate(&at, 1, i, j, 1);
        return std::array<R, 2>{result.re[0], result.is_complex ? result.im[0] : R(0)};
    };
    const std::array<std::array<R, 2>, 3> known = {value(x), value(x * (R(1) + near) + near),
                                                   value(x * (R(1) - near) - near)};
    std::array<ResultBounds<R>, 2> bounds;
    for (std::size_t component = 0; component < 2; ++component) {
        R least = known[0][component], most = least;
        bool is_known = true;
        for (const auto& each : known) {
            least = std::min(least, each[component]);
            most = std::max(most, each[component]);
            is_known = is_known && std::isfinite(each[component]);
        }
        const R slack = (std::max(std::fabs(least), std::fabs(most)) + near) * rounding;
        bounds[component] = {known[0][component], least - slack, most + slack, is_known};
    }
    return bounds;
}

} // namespace swirl::planning::kernel_check
