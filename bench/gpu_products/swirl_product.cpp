#include "bench/gpu_products/swirl_product.hpp"

#include "api/build.hpp"
#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/plan.hpp>

#include <algorithm>
#include <memory>

namespace swirl::bench {
namespace {

/// As in BLAS: column-major, without gaps.
MatrixProduct product_of(const peers::GpuMatrixCall& call) {
    const auto layout = [](bool transposed, Integer leading, Integer numbers) {
        return transposed ? MatrixLayout{leading, 1, false, numbers}
                          : MatrixLayout{1, leading, false, numbers};
    };
    MatrixProduct product;
    product.data_type = DataType::float32;
    switch (call.arithmetic) {
    case peers::GpuArithmetic::float32:
    case peers::GpuArithmetic::float32_tensors:
    case peers::GpuArithmetic::tf32: break;
    case peers::GpuArithmetic::float64: product.data_type = DataType::float64; break;
    case peers::GpuArithmetic::bfloat16: product.a_type = product.b_type = DataType::bfloat16; break;
    case peers::GpuArithmetic::float16: product.a_type = product.b_type = DataType::float16; break;
    case peers::GpuArithmetic::e4m3: product.a_type = product.b_type = DataType::float8_e4m3; break;
    }
    product.rows = call.rows;
    product.columns = call.columns;
    product.k = call.depth;
    product.a = layout(call.transposed_a, call.leading_a(), call.rows * call.depth);
    product.b = layout(call.transposed_b, call.leading_b(), call.depth * call.columns);
    product.c = layout(false, call.rows, call.rows * call.columns);
    product.batch = call.batch;
    return product;
}

/// The schedule of a row that names none: SIMT for rows about multiply-adds, else the planner's choice.
std::string schedule_of(const peers::GpuMatrixCall& call, const runtime::GpuStream& stream) {
    if (call.arithmetic != peers::GpuArithmetic::float32) return {};
    return to_string(gemm::simt_schedule(product_of(call), stream.device().target()));
}

Accuracy accuracy_of(const peers::GpuMatrixCall& call) {
    return call.arithmetic == peers::GpuArithmetic::tf32 ? Accuracy::eleven_bits : Accuracy::ordinary;
}

} // namespace

SwirlProduct swirl_product(const peers::GpuMatrixCall& call, const std::string& schedule,
                           const runtime::GpuStream& stream, bool use_cache) {
    const MatrixProduct product = product_of(call);
    const Plan plan =
        swirl::plan(product, {.device = Device::gpu(stream.device().properties().index),
                              .accuracy = accuracy_of(call),
                              .schedule = schedule.empty() ? schedule_of(call, stream) : schedule,
                              .check = false, // results are compared here
                              .use_kernel_cache = use_cache});
    const double model =
        gemm::gpu_seconds(product, gemm::parse_gpu_schedule(plan.schedule()), stream.device().target());
    const gpu::Stream queue(static_cast<void*>(stream.handle()));
    const auto memory = std::make_shared<runtime::GpuBuffer>(stream.device(), plan.workspace_bytes());
    const Workspace workspace{reinterpret_cast<void*>(memory->address()), memory->bytes()};
    return {plan.schedule(), model, [plan, queue, memory, workspace](const Operands::Pointers& at) {
                plan.execute(1, at.a, at.b, 0, at.c, queue, workspace);
            }};
}

std::vector<std::string> swirl_schedules(const peers::GpuMatrixCall& call, std::size_t most,
                                         const runtime::GpuStream& stream) {
    constexpr int all = 1000;
    std::vector<std::string> schedules =
        api::gpu_schedules(product_of(call), all, stream.device().properties().index, accuracy_of(call));
    if (call.arithmetic == peers::GpuArithmetic::float32)
        std::erase_if(schedules,
                      [](const std::string& one) { return gemm::is_wgmma(gemm::parse_gpu_schedule(one)); });
    schedules.resize(std::min(most, schedules.size()));
    return schedules;
}

} // namespace swirl::bench
