#include "plan/schedule.hpp"

#include "base/error.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "target/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

/// The target and the choices.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        throw UserError(
            "schedule '{}': the target is missing; begin with one, as 'avx2: …' or 'sm_90: …' does", text);
    return {trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1))};
}

} // namespace

const TransformSchedule& Schedule::transform() const {
    if (const auto* const transform = std::get_if<TransformSchedule>(&choices)) return *transform;
    throw InternalError("this is a product's schedule: {}", to_string(*this));
}

TransformSchedule& Schedule::transform() {
    if (auto* const transform = std::get_if<TransformSchedule>(&choices)) return *transform;
    throw InternalError("this is a product's schedule: {}", to_string(*this));
}

const gemm::CpuGemm& Schedule::cpu_gemm() const {
    if (const auto* const product = std::get_if<gemm::CpuGemm>(&choices)) return *product;
    throw InternalError("this is no schedule of a product on a CPU: {}", to_string(*this));
}

gemm::GpuGemmSchedule Schedule::gpu_gemm() const {
    if (const auto* const simt = std::get_if<gemm::SimtGemm>(&choices)) return *simt;
    if (const auto* const wgmma = std::get_if<gemm::WgmmaGemm>(&choices)) return *wgmma;
    if (const auto* const batched = std::get_if<gemm::BatchedGemm>(&choices)) return *batched;
    throw InternalError("this is no schedule of a product on a GPU: {}", to_string(*this));
}

std::string to_string(const Schedule& schedule) {
    return fmt::format("{}: {}", schedule.target,
                       std::visit([](const auto& choices) { return to_string(choices); }, schedule.choices));
}

std::string_view target_named_in(std::string_view text) { return split(text).first; }

Schedule parse_schedule(std::string_view text, const Problem& problem) {
    const auto [target, choices] = split(text);
    if (std::holds_alternative<Transform>(problem)) return {target, parse_transform_schedule(choices)};
    if (is_gpu(target)) return {target, gemm::parse_gpu_schedule(choices)};
    return {target, gemm::parse_cpu_gemm(choices, target::cpu_named(target),
                                         canonical(std::get<MatrixProduct>(problem)))};
}

bool is_gpu(std::string_view target) {
    const auto gpus = target::gpus();
    return std::any_of(gpus.begin(), gpus.end(), [&](const target::Gpu* gpu) { return gpu->name == target; });
}

void require_target(const Schedule& schedule, std::string_view target) {
    if (schedule.target != target)
        throw UserError("the schedule is for {}, but the plan is for {}\n  schedule: {}", schedule.target,
                        target, to_string(schedule));
}

} // namespace swirl::planning
