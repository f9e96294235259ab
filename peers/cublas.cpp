#include "peers/cublas.hpp"

#include "base/error.hpp"
#include "peers/cublas_routine.hpp"

#include <limits>

namespace swirl::peers {
namespace {

using cublas::Compute;
using cublas::Library;
using cublas::MathMode;
using cublas::Transposition;
using cublas::Type;
using runtime::CurrentGpu;

Transposition transposition(bool transposed) {
    return transposed ? Transposition::transposed : Transposition::none;
}

/// Extents as cuBLAS takes them.
struct Extents {
    int m, n, k, leading_a, leading_b;

    explicit Extents(const GpuMatrixCall& call)
        : m(narrow(call.rows)),
          n(narrow(call.columns)),
          k(narrow(call.k)),
          leading_a(narrow(call.leading_a())),
          leading_b(narrow(call.leading_b())) {}

    static int narrow(Integer extent) {
        if (extent > std::numeric_limits<int>::max())
            throw UserError("cuBLAS is compared with extents of up to {}, not {}",
                            std::numeric_limits<int>::max(), extent);
        return static_cast<int>(extent);
    }
};

/// What has one handle of cuBLAS, in one stream.
class WithHandle : public CublasPlan::Routine {
public:
    WithHandle(std::string name, const GpuMatrixCall& call, const runtime::GpuDevice& device,
               runtime::cuda::Stream stream, MathMode mode)
        : Routine(std::move(name)),
          call_(call),
          extents_(call),
          a_(transposition(call.transposed_a)),
          b_(transposition(call.transposed_b)),
          workspace_(device, workspace_bytes) {
        library().check(library().create(&handle_), "cublasCreate");
        library().check(library().set_stream(handle_, stream), "cublasSetStream");
        library().check(library().set_workspace(handle_, reinterpret_cast<void*>(workspace_.address()),
                                                workspace_.bytes()),
                        "cublasSetWorkspace");
        library().check(library().set_math_mode(handle_, mode), "cublasSetMathMode");
    }
    ~WithHandle() override { library().destroy(handle_); }

protected:
    static const Library& library() { return Library::get(); }

    GpuMatrixCall call_;
    Extents extents_;
    Transposition a_, b_;
    cublas::Handle handle_ = nullptr;

private:
    runtime::GpuBuffer workspace_;
};

template <class Real> class OfOneType : public WithHandle {
public:
    OfOneType(std::string name, cublas::Product<Real> product, const GpuMatrixCall& call,
              const runtime::GpuDevice& device, runtime::cuda::Stream stream, MathMode mode)
        : WithHandle(std::move(name), call, device, stream, mode), product_(product) {}

    void execute(const void* a, const void* b, void* c) const override {
        const Real one = 1, zero = 0;
        const Extents& e = extents_;
        library().check(
            product_(handle_, a_, b_, e.m, e.n, e.k, &one, a, e.leading_a, b, e.leading_b, &zero, c, e.m),
            name().c_str());
    }

private:
    cublas::Product<Real> product_;
};

class Batched : public WithHandle {
public:
    Batched(const GpuMatrixCall& call, const runtime::GpuDevice& device, runtime::cuda::Stream stream)
        : WithHandle("cublasSgemmStridedBatched", call, device, stream, MathMode::by_type),
          batch_(Extents::narrow(call.batch)) {}

    void execute(const void* a, const void* b, void* c) const override {
        const float one = 1, zero = 0;
        const Extents& e = extents_;
        library().check(library().sgemm_batched(handle_, a_, b_, e.m, e.n, e.k, &one, a, e.leading_a,
                                                call_.rows * call_.k, b, e.leading_b, call_.k * call_.columns,
                                                &zero, c, e.m, call_.rows * call_.columns, batch_),
                        name().c_str());
    }

private:
    int batch_;
};

/// Of float32 sums; what they are computed with says `compute`.
class Mixed : public WithHandle {
public:
    Mixed(Type operands, Compute compute, const GpuMatrixCall& call, const runtime::GpuDevice& device,
          runtime::cuda::Stream stream)
        : WithHandle("cublasGemmEx", call, device, stream, MathMode::by_type),
          operands_(operands),
          result_(call.narrow_c ? operands : Type::float32),
          compute_(compute) {
        if (compute != Compute::bfloat16_nine_products) return;
        if (library().set_emulation_strategy == nullptr)
            throw UserError("this cuBLAS does not emulate float32: cublasSetEmulationStrategy is missing");
        library().check(library().set_emulation_strategy(handle_, cublas::EmulationStrategy::eager),
                        "cublasSetEmulationStrategy");
    }

    void execute(const void* a, const void* b, void* c) const override {
        const float one = 1, zero = 0;
        const Extents& e = extents_;
        library().check(
            library().gemm_ex(handle_, a_, b_, e.m, e.n, e.k, &one, a, operands_, e.leading_a, b, operands_,
                              e.leading_b, &zero, c, result_, e.m, compute_, cublas::default_algorithm),
            name().c_str());
    }

private:
    Type operands_, result_;
    Compute compute_;
};

std::unique_ptr<const CublasPlan::Routine> routine_for(const GpuMatrixCall& call,
                                                       const runtime::GpuDevice& device,
                                                       runtime::cuda::Stream stream) {
    const Library& library = Library::get();
    if (call.batch != 1) {
        if (call.arithmetic != GpuArithmetic::float32)
            throw UserError("cuBLAS is compared in batches of float32 only");
        return std::make_unique<Batched>(call, device, stream);
    }
    const auto mixed = [&](Type operands, Compute compute) {
        return std::make_unique<const Mixed>(operands, compute, call, device, stream);
    };
    switch (call.arithmetic) {
    case GpuArithmetic::float32:
        return std::make_unique<OfOneType<float>>("cublasSgemm", library.sgemm, call, device, stream,
                                                  MathMode::by_type);
    case GpuArithmetic::tf32:
        return std::make_unique<OfOneType<float>>("cublasSgemm", library.sgemm, call, device, stream,
                                                  MathMode::tf32);
    case GpuArithmetic::float64:
        return std::make_unique<OfOneType<double>>("cublasDgemm", library.dgemm, call, device, stream,
                                                   MathMode::by_type);
    case GpuArithmetic::float32_tensors: return mixed(Type::float32, Compute::bfloat16_nine_products);
    case GpuArithmetic::bfloat16: return mixed(Type::bfloat16, Compute::float32);
    case GpuArithmetic::float16: return mixed(Type::float16, Compute::float32);
    case GpuArithmetic::e4m3: break;
    }
    return cublas_lt_routine(call, device, stream);
}

} // namespace

std::string cublas_absent_because() { return Library::get().absent_because(); }

std::string cublas_version() {
    const std::string file = loaded_library({"libcublas.so", "libcublas_"});
    return Library::get().version() + (file.empty() ? "" : ", " + file);
}

CublasPlan::CublasPlan(const GpuMatrixCall& call, const runtime::GpuDevice& device,
                       runtime::cuda::Stream stream)
    : device_(device) {
    if (const std::string reason = cublas_absent_because(); !reason.empty()) throw UserError("{}", reason);
    const CurrentGpu current(device);
    routine_.reset(routine_for(call, device, stream).release(), [device](const Routine* routine) {
        runtime::release_on(device, [&] { delete routine; });
    });
}

void CublasPlan::execute(const void* a, const void* b, void* c) const {
    const CurrentGpu current(device_);
    routine_->execute(a, b, c);
}

const std::string& CublasPlan::routine() const { return routine_->name(); }
std::size_t CublasPlan::workspace_bytes() const { return Routine::workspace_bytes; }

} // namespace swirl::peers
