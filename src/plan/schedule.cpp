#include "plan/schedule.hpp"

#include "base/error.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gemm/cpu/plan.hpp"

namespace swirl::planning {

namespace {

/// Schedules of CPUs begin with the CPU's name and a colon; schedules of products on GPUs have no colon.
bool names_target(std::string_view text) { return text.find(':') != std::string_view::npos; }

} // namespace

std::string_view target_named_in(std::string_view text) { return text.substr(0, text.find_first_of(": ")); }

const TransformSchedule& Schedule::transform() const {
    if (const auto* const transform = std::get_if<TransformSchedule>(&choices)) return *transform;
    throw InternalError("this is a product's schedule: {}", to_string(*this));
}

const gemm::CpuGemm& Schedule::cpu_gemm() const {
    if (const auto* const product = std::get_if<gemm::CpuGemm>(&choices)) return *product;
    throw InternalError("this is no schedule of a product on a CPU: {}", to_string(*this));
}

gemm::GpuGemmSchedule Schedule::gpu_gemm() const {
    if (const auto* const simt = std::get_if<gemm::SimtGemm>(&choices)) return *simt;
    if (const auto* const wgmma = std::get_if<gemm::WgmmaGemm>(&choices)) return *wgmma;
    throw InternalError("this is no schedule of a product on a GPU: {}", to_string(*this));
}

std::string to_string(const Schedule& schedule) {
    if (const auto* const transform = std::get_if<TransformSchedule>(&schedule.choices))
        return to_string(*transform);
    if (const auto* const product = std::get_if<gemm::CpuGemm>(&schedule.choices)) return to_string(*product);
    return to_string(schedule.gpu_gemm());
}

Schedule parse_schedule(std::string_view text, const Problem& problem) {
    if (std::holds_alternative<Transform>(problem)) return parse_transform_schedule(text);
    if (!names_target(text)) return gemm::parse_gpu_schedule(text);
    return gemm::parse_cpu_gemm(text, canonical(std::get<MatrixProduct>(problem)));
}

} // namespace swirl::planning
