#include "bench/gpu_products/swirl_product.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/gpu_matrix_product.hpp>

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

template <class T, class C = T>
void execute(const gpu::MatrixPlan& plan, const Operands::Pointers& at, gpu::Stream stream,
             Workspace workspace) {
    plan.execute(1, static_cast<const T*>(at.a), static_cast<const T*>(at.b), 0, static_cast<C*>(at.c),
                 stream, workspace);
}

auto execution_of(const MatrixProduct& product) {
    switch (product.type_of_a()) {
    case DataType::float64: return execute<double>;
    case DataType::bfloat16: return execute<bfloat16, float>;
    case DataType::float16: return execute<float16, float>;
    case DataType::float8_e4m3: return execute<float8_e4m3, float>;
    default: return execute<float>;
    }
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
    const gpu::MatrixPlan plan =
        gpu::plan(product, {.device = stream.device().properties().index,
                            .accuracy = accuracy_of(call),
                            .check = false, // results are compared here
                            .use_cache = use_cache,
                            .schedule = schedule.empty() ? schedule_of(call, stream) : schedule});
    const double model =
        gemm::gpu_seconds(product, gemm::parse_gpu_schedule(plan.schedule()), stream.device().target());
    const auto executed = execution_of(product);
    const gpu::Stream queue(static_cast<void*>(stream.handle()));
    const auto memory = std::make_shared<runtime::GpuBuffer>(stream.device(), plan.workspace_bytes());
    const Workspace workspace{reinterpret_cast<void*>(memory->address()), memory->bytes()};
    return {plan.schedule(), model, [plan, queue, executed, memory, workspace](const Operands::Pointers& at) {
                executed(plan, at, queue, workspace);
            }};
}

std::vector<std::string> swirl_schedules(const peers::GpuMatrixCall& call, std::size_t most,
                                         const runtime::GpuStream& stream) {
    constexpr int all = 1000;
    std::vector<std::string> schedules =
        gpu::schedules(product_of(call), all, stream.device().properties().index, accuracy_of(call));
    if (call.arithmetic == peers::GpuArithmetic::float32)
        std::erase_if(schedules,
                      [](const std::string& one) { return gemm::is_wgmma(gemm::parse_gpu_schedule(one)); });
    schedules.resize(std::min(most, schedules.size()));
    return schedules;
}

} // namespace swirl::bench
