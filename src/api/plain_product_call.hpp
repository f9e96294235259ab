#pragma once

#include <swirl/arrays.hpp>

#include "plan/gemm/cpu/plan.hpp"

#include <array>
#include <cstdint>

namespace swirl::api {

/// Executions of a product with α = 1 and β = 0, if one kernel computes it and a glance shows that its arrays fit.
class PlainProductCall {
public:
    PlainProductCall() = default; ///< runs nothing
    PlainProductCall(const planning::MatrixPlan& plan, const std::array<detail::ElementType, 3>& types)
        : plan_(plan.is_one_kernel() && plan.product().batch == 1 ? &plan : nullptr),
          types_{types[0].code(), types[1].code(), types[2].code()} {}

    /// Executes the product, or returns false: a closer look will say whether something is wrong. Codes of types are 0 where they are
    /// unknown.
    bool run(const void* a, const void* b, void* c, std::uint32_t type_of_a, std::uint32_t type_of_b,
             std::uint32_t type_of_c) const {
        const auto fits = [](std::uint32_t given, std::uint32_t wanted) {
            return given == 0 || given == wanted;
        };
        return plan_ != nullptr && fits(type_of_a, types_[0]) && fits(type_of_b, types_[1]) &&
               fits(type_of_c, types_[2]) && plan_->run_plain(a, b, c);
    }

private:
    const planning::MatrixPlan* plan_ = nullptr;
    std::array<std::uint32_t, 3> types_{};
};

} // namespace swirl::api
