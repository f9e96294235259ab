#include "bench/gpu_accuracy/kernels.hpp"

#include "base/error.hpp"
#include "bench/support/in_parallel.hpp"
#include "gemm/gpu/model/model.hpp"
#include "peers/cublas.hpp"
#include "plan/schedule.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/plan.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
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
        add_swirl({.name = "SIMT", .cublas = "cuBLAS"}, Accuracy::ordinary,
                  text_of(gemm::simt_schedule(product_, stream_.device().target())));
    }
    void add_swirl(const AccuracyKernel& kernel, Accuracy accuracy, const std::string& schedule) {
        add(kernel.name, [this, kernel, accuracy, schedule] {
            const Plan plan =
                swirl::plan(product_, {.device = Device::gpu(stream_.device().properties().index),
                                       .accuracy = accuracy,
                                       .schedule = schedule,
                                       .check = false, // results are compared here
                                       .use_kernel_cache = false});
            const gpu::Stream queue(static_cast<void*>(stream_.handle()));
            AccuracyKernel result = kernel;
            result.made_by = plan.schedule();
            result.operand = &operand_of(call_);
            result.execute = [plan, queue](const void* a, const void* b, void* c) {
                plan.execute(1, a, b, 0, c, queue);
            };
            return result;
        });
    }
    /// The model's fastest wgmma schedule with these operands, whether or not a plan would take it.
    template <class Operands>
    void add_wgmma(const AccuracyKernel& kernel, Accuracy accuracy, const Operands& has_operands) {
        constexpr auto all = std::numeric_limits<std::size_t>::max();
        for (const gemm::GpuGemmSchedule& schedule :
             gemm::gpu_schedules(product_, stream_.device().target(), all, accuracy)) {
            const auto* const wgmma = std::get_if<gemm::WgmmaGemm>(&schedule);
            if (wgmma != nullptr && has_operands(*wgmma))
                return add_swirl(kernel, accuracy, text_of(schedule));
        }
        std::fprintf(stderr, "%s is left out: no wgmma kernel can compute this product\n",
                     kernel.name.c_str());
    }
    void add_split(const std::string& name, Accuracy accuracy, int terms) {
        add_wgmma({.name = name, .cublas = "cuBLAS"}, accuracy,
                  [terms](const gemm::WgmmaGemm& wgmma) { return wgmma.bf16_terms() == terms; });
    }
    void add_cublas(const std::string& name, GpuArithmetic arithmetic) {
        add(name, [this, name, arithmetic] {
            GpuMatrixCall other = call_;
            other.arithmetic = arithmetic;
            const auto plan =
                std::make_shared<const peers::CublasPlan>(other, stream_.device(), stream_.handle());
            return AccuracyKernel{
                .name = name,
                .made_by = plan->routine(),
                .operand = &operand_of(call_),
                .execute = [plan](const void* a, const void* b, void* c) { plan->execute(a, b, c); }};
        });
    }
    std::string best() const {
        return text_of(gemm::gpu_schedules(product_, stream_.device().target(), 1, Accuracy::ordinary).at(0));
    }
    /// Those that can be built, in the order in which they were added.
    std::vector<AccuracyKernel> build() const {
        std::vector<std::optional<AccuracyKernel>> built(makers_.size());
        std::vector<std::string> errors(makers_.size());
        in_parallel(makers_.size(), [&](std::size_t k) {
            try {
                built[k] = makers_[k].make();
            } catch (const std::exception& error) {
                errors[k] = error.what();
            }
        });
        std::vector<AccuracyKernel> result;
        for (std::size_t k = 0; k < built.size(); ++k)
            if (built[k])
                result.push_back(std::move(*built[k]));
            else
                std::fprintf(stderr, "%s is left out: %s\n", makers_[k].name.c_str(), errors[k].c_str());
        return result;
    }

private:
    struct Maker {
        std::string name;
        std::function<AccuracyKernel()> make;
    };

    std::string text_of(const gemm::GpuGemmSchedule& schedule) const {
        return to_string(planning::Schedule(stream_.device().target().name, schedule));
    }
    void add(const std::string& name, std::function<AccuracyKernel()> make) {
        makers_.push_back({name, std::move(make)});
    }

    const GpuMatrixCall& call_;
    const runtime::GpuStream& stream_;
    MatrixProduct product_;
    std::vector<Maker> makers_;
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
    std::vector<AccuracyKernel> result = simt.build();
    if (result.empty())
        throw UserError("no SIMT kernel can compute this product, so there is nothing to compare with");
    if (call.arithmetic == GpuArithmetic::float64) return result;
    Kernels kernels(call, stream);
    kernels.add_swirl({.name = "default", .is_promised = is_float32, .cublas = "cuBLAS"}, Accuracy::ordinary,
                      {});
    for (const std::string& one : decisions)
        kernels.add_swirl({.name = "with " + one, .cublas = "cuBLAS"}, Accuracy::ordinary,
                          kernels.best() + " " + one);
    if (is_float32) {
        kernels.add_split("bf16x3 split", Accuracy::ordinary, 3);
        kernels.add_split("bf16x3 split, range unchecked", Accuracy::ordinary_in_range, 3);
        kernels.add_split("bf16x2 split", Accuracy::reduced, 2);
        kernels.add_wgmma({.name = "tf32", .cublas = "cuBLAS tf32"}, Accuracy::eleven_bits,
                          [](const gemm::WgmmaGemm& wgmma) { return wgmma.is_tf32(); });
        kernels.add_split("bf16x1 split", Accuracy::low, 1);
        kernels.add_cublas("cuBLAS", GpuArithmetic::float32);
        kernels.add_cublas("cuBLAS emulated", GpuArithmetic::float32_tensors);
        kernels.add_cublas("cuBLAS tf32", GpuArithmetic::tf32);
    } else {
        kernels.add_wgmma({.name = "wgmma", .cublas = "cuBLAS"}, Accuracy::ordinary,
                          [](const gemm::WgmmaGemm&) { return true; });
        kernels.add_cublas("cuBLAS", call.arithmetic);
    }
    for (AccuracyKernel& kernel : kernels.build()) result.push_back(std::move(kernel));
    return result;
}

} // namespace swirl::bench
