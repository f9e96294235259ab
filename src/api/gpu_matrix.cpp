#include <swirl/gpu_matrix_product.hpp>

#include "api/gpu.hpp"
#include "base/error.hpp"
#include "gemm/gpu_model.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "runtime/cuda_memory.hpp"

#include <algorithm>

namespace swirl {

namespace {

/// The model's, or any for a product of nothing, which has no kernel.
gemm::GpuSchedule likely_schedule(const MatrixProduct& product, const target::Gpu& gpu) {
    const std::vector<gemm::GpuSchedule> likely = gemm::gpu_schedules(product, gpu, 1);
    return likely.empty() ? gemm::GpuSchedule{} : likely.front();
}

} // namespace

std::shared_ptr<const planning::GpuMatrixPlan> api::build(const MatrixProduct& product,
                                                          const gpu::MatrixPlanOptions& options) {
    validate(product);
    return with_public_errors([&] {
        const runtime::GpuDevice& device = device_numbered(options.device);
        const gemm::GpuSchedule schedule = options.schedule.empty()
                                               ? likely_schedule(product, device.target())
                                               : gemm::parse_gpu_schedule(options.schedule);
        return planning::GpuMatrixPlan::build(product, schedule, device,
                                              {.check = options.check, .use_cache = options.use_cache});
    });
}

namespace gpu {

MatrixPlan::MatrixPlan(std::shared_ptr<const planning::GpuMatrixPlan> plan) : plan_(std::move(plan)) {}

MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options) {
    return MatrixPlan(api::build(product, options));
}

std::vector<std::string> schedules(const MatrixProduct& product, int most, int device) {
    validate(product);
    if (most < 0) throw UserError("most is {}; use 0 or more", most);
    std::vector<std::string> result;
    for (const gemm::GpuSchedule& schedule :
         gemm::gpu_schedules(product, api::device_numbered(device).target(), static_cast<std::size_t>(most)))
        result.push_back(to_string(schedule));
    return result;
}

void MatrixPlan::run(const Numbers& numbers, const Pointers& pointers, Stream stream) const {
    const MatrixProduct& wanted = plan_->product();
    const auto check = [](const char* name, Number given, Number number) {
        if (given != number)
            throw UserError("matrix '{}' is of another kind of number than the product's: {}, not {}", name,
                            word_of(given), word_of(number));
    };
    check("a", numbers.a, wanted.number_of_a());
    check("b", numbers.b, wanted.number_of_b());
    check("c", numbers.c, wanted.number);
    plan_->execute({pointers.alpha, pointers.a, pointers.b, pointers.beta, pointers.c},
                   static_cast<runtime::cuda::Stream>(stream.handle()));
}

const MatrixProduct& MatrixPlan::product() const { return plan_->product(); }
std::string MatrixPlan::schedule() const { return to_string(plan_->schedule()); }
std::string MatrixPlan::description() const {
    return plan_->kernel() == nullptr ? "nothing to compute\n" : ir::to_string(plan_->kernel()->info());
}
int MatrixPlan::device() const { return plan_->device().facts().number; }
double MatrixPlan::flops() const { return plan_->flops(); }

} // namespace gpu
} // namespace swirl
