#pragma once

#include <swirl/problem.hpp>
#include "gemm/cpu/schedule.hpp"
#include "gemm/gpu/schedule.hpp"
#include "plan/transform/schedule.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace swirl::planning {

/// How a target computes a problem: every choice, which together with the problem determines code and bits. What a
/// search compares and wisdom stores.
struct Schedule {
    std::variant<TransformSchedule, gemm::CpuGemm, gemm::SimtGemm, gemm::WgmmaGemm> choices;

    Schedule() = default;
    Schedule(TransformSchedule transform) : choices(std::move(transform)) {}
    Schedule(gemm::CpuGemm product) : choices(std::move(product)) {}
    Schedule(const gemm::GpuGemmSchedule& product) {
        std::visit([this](const auto& kernel) { choices = kernel; }, product);
    }
    bool operator==(const Schedule&) const = default;

    /// The choices of one kind. InternalError if they are of another.
    const TransformSchedule& transform() const;
    const gemm::CpuGemm& cpu_gemm() const;
    gemm::GpuGemmSchedule gpu_gemm() const;
};

/// One line, which parse_schedule takes back for this problem: to_string of the choices.
std::string to_string(const Schedule& schedule);
/// The target that the text of a schedule names.
std::string_view target_named_in(std::string_view text);
/// Throws UserError, which says what was expected, for text that is no schedule and for a product that it does not suit.
Schedule parse_schedule(std::string_view text, const Problem& problem);

} // namespace swirl::planning
