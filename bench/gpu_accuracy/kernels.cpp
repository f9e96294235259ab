#include "bench/gpu_accuracy/kernels.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "peers/cublas.hpp"
#include "plan/schedule.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/plan.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace swirl::bench {
namespace {

using peers::GpuArithmetic;
using peers::GpuMatrixCall;

class Kernels {
public:
    Kernels(const GpuMatrixCall& call, const runtime::GpuStream& stream)
        : call_(call), stream_(stream), product_(peers::product_of(call)) {}

    void add_simt() {
        add_swirl("SIMT", Accuracy::ordinary,
                  text_of(gemm::simt_schedule(product_, stream_.device().target())));
    }
    void add_swirl(const std::string& name, Accuracy accuracy, const std::string& schedule,
                   bool is_promised = false) {
        add(name, [&] {
            const Plan plan =
                swirl::plan(product_, {.device = Device::gpu(stream_.device().properties().index),
                                       .accuracy = accuracy,
                                       .schedule = schedule,
                                       .check = false, // results are compared here
                                       .use_kernel_cache = false});
            const gpu::Stream queue(static_cast<void*>(stream_.handle()));
            return AccuracyKernel{
                name, plan.schedule(), is_promised, &operand_of(call_),
                [plan, queue](const void* a, const void* b, void* c) { plan.execute(1, a, b, 0, c, queue); }};
        });
    }
    void add_cublas(const std::string& name, GpuArithmetic arithmetic) {
        add(name, [&] {
            GpuMatrixCall other = call_;
            other.arithmetic = arithmetic;
            const auto plan =
                std::make_shared<const peers::CublasPlan>(other, stream_.device(), stream_.handle());
            return AccuracyKernel{name, plan->routine(), false, &operand_of(call_),
                                  [plan](const void* a, const void* b, void* c) { plan->execute(a, b, c); }};
        });
    }
    std::string best() const {
        return text_of(gemm::gpu_schedules(product_, stream_.device().target(), 1, Accuracy::ordinary).at(0));
    }
    std::vector<AccuracyKernel> take() { return std::move(kernels_); }

private:
    std::string text_of(const gemm::GpuGemmSchedule& schedule) const {
        return to_string(planning::Schedule(stream_.device().target().name, schedule));
    }
    template <class Make> void add(const std::string& name, const Make& make) {
        try {
            kernels_.push_back(make());
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s is left out: %s\n", name.c_str(), error.what());
        }
    }

    const GpuMatrixCall& call_;
    const runtime::GpuStream& stream_;
    MatrixProduct product_;
    std::vector<AccuracyKernel> kernels_;
};

} // namespace

const StoredType& operand_of(const GpuMatrixCall& call) {
    switch (call.arithmetic) {
    case GpuArithmetic::float64: return stored(DataType::float64);
    case GpuArithmetic::bfloat16: return stored(DataType::bfloat16);
    case GpuArithmetic::float16: return stored(DataType::float16);
    case GpuArithmetic::e4m3: return stored(DataType::float8_e4m3);
    default: return stored(DataType::float32);
    }
}

std::vector<AccuracyKernel> kernels_for(const GpuMatrixCall& call, const std::vector<std::string>& decisions,
                                        const runtime::GpuStream& stream) {
    const bool is_float32 = operand_of(call).bytes == 4;
    GpuMatrixCall wide = call; // float32 holds narrower values, and multiply-adds have its precision
    if (call.arithmetic != GpuArithmetic::float64) wide.arithmetic = GpuArithmetic::float32;
    Kernels simt(wide, stream);
    simt.add_simt();
    std::vector<AccuracyKernel> result = simt.take();
    if (result.empty())
        throw UserError("no SIMT kernel can compute this product, so there is nothing to compare with");
    if (call.arithmetic == GpuArithmetic::float64) return result;
    Kernels kernels(call, stream);
    kernels.add_swirl("default", Accuracy::ordinary, {}, is_float32);
    for (const std::string& one : decisions)
        kernels.add_swirl("with " + one, Accuracy::ordinary, kernels.best() + " " + one);
    if (is_float32) {
        kernels.add_swirl("ordinary_in_range", Accuracy::ordinary_in_range, {});
        kernels.add_swirl("reduced", Accuracy::reduced, {});
        kernels.add_swirl("eleven_bits", Accuracy::eleven_bits, {});
        kernels.add_swirl("low", Accuracy::low, {});
        kernels.add_cublas("cuBLAS", GpuArithmetic::float32);
        kernels.add_cublas("cuBLAS emulated", GpuArithmetic::float32_tensors);
        kernels.add_cublas("cuBLAS tf32", GpuArithmetic::tf32);
    } else {
        kernels.add_cublas("cuBLAS", call.arithmetic);
    }
    for (AccuracyKernel& kernel : kernels.take()) result.push_back(std::move(kernel));
    return result;
}

} // namespace swirl::bench
