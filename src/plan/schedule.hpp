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
    std::string target; ///< the name of a target::Cpu or a target::Gpu
    std::variant<TransformSchedule, gemm::CpuGemm, gemm::SimtGemm, gemm::WgmmaGemm, gemm::BatchedGemm>
        choices;

    Schedule() = default;
    Schedule(std::string_view for_target, TransformSchedule transform)
        : target(for_target), choices(std::move(transform)) {}
    Schedule(std::string_view for_target, gemm::CpuGemm product)
        : target(for_target), choices(std::move(product)) {}
    Schedule(std::string_view for_target, const gemm::GpuGemmSchedule& product) : target(for_target) {
        std::visit([this](const auto& kernel) { choices = kernel; }, product);
    }
    bool operator==(const Schedule&) const = default;

    /// The choices of one kind. InternalError if they are of another.
    const TransformSchedule& transform() const;
    TransformSchedule& transform();
    const gemm::CpuGemm& cpu_gemm() const;
    gemm::GpuGemmSchedule gpu_gemm() const;
};

/// One line, which parse_schedule takes back for this problem: the target, a colon and the choices.
std::string to_string(const Schedule& schedule);
/// Throws UserError, which says what was expected, for text that is no schedule and for a product that it does not suit.
Schedule parse_schedule(std::string_view text, const Problem& problem);
/// The target that the text of a schedule names. Throws UserError if it names none.
std::string_view target_named_in(std::string_view text);

/// Whether a target is a GPU.
bool is_gpu(std::string_view target);
inline bool is_for_gpu(const Schedule& schedule) { return is_gpu(schedule.target); }
/// Throws UserError that names both unless the schedule is for this target.
void require_target(const Schedule& schedule, std::string_view target);

} // namespace swirl::planning
