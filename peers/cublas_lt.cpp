#include "base/error.hpp"
#include "peers/cublas_routine.hpp"

#include <cstdint>

namespace swirl::peers {
namespace {

using cublas::Library;
using cublas::Type;

/// Something of cublasLt that is ended with this.
template <class Handle> class Owned {
public:
    explicit Owned(cublas::Status (*end)(Handle)) : end_(end) {}
    ~Owned() {
        if (handle_ != nullptr) end_(handle_);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    Handle* place() { return &handle_; }
    Handle get() const { return handle_; }

private:
    cublas::Status (*end_)(Handle);
    Handle handle_ = nullptr;
};

class ByLt : public CublasPlan::Routine {
public:
    ByLt(const GpuMatrixCall& call, const runtime::GpuDevice& device, runtime::cuda::Stream stream)
        : Routine("cublasLtMatmul"), stream_(stream), workspace_(device, workspace_bytes) {
        library().check(library().lt_create(handle_.place()), "cublasLtCreate");
        library().check(
            library().lt_create_operation(operation_.place(), cublas::Compute::float32, Type::float32),
            "cublasLtMatmulDescCreate");
        set(cublas::LtOperationAttribute::transposed_a, std::int32_t{call.transposed_a ? 1 : 0});
        set(cublas::LtOperationAttribute::transposed_b, std::int32_t{call.transposed_b ? 1 : 0});
        set(cublas::LtOperationAttribute::fast_accumulation, std::int8_t{1});
        const auto layout = [&](Owned<cublas::LtLayout>& to, Type type, Integer stored_rows,
                                Integer stored_columns) {
            library().check(
                library().lt_create_layout(to.place(), type, static_cast<std::uint64_t>(stored_rows),
                                           static_cast<std::uint64_t>(stored_columns), stored_rows),
                "cublasLtMatrixLayoutCreate");
        };
        layout(a_, Type::e4m3, call.leading_a(), call.transposed_a ? call.rows : call.k);
        layout(b_, Type::e4m3, call.leading_b(), call.transposed_b ? call.k : call.columns);
        layout(c_, Type::float32, call.rows, call.columns);
        find();
    }

    void execute(const void* a, const void* b, void* c) const override {
        const float one = 1, zero = 0;
        library().check(
            library().lt_multiply(handle_.get(), operation_.get(), &one, a, a_.get(), b, b_.get(), &zero, c,
                                  c_.get(), c, c_.get(), &algorithm_,
                                  reinterpret_cast<void*>(workspace_.address()), workspace_.bytes(), stream_),
            name().c_str());
    }

private:
    static const Library& library() { return Library::get(); }

    template <class Value> void set(cublas::LtOperationAttribute attribute, Value value) {
        library().check(library().lt_set_operation(operation_.get(), attribute, &value, sizeof value),
                        "cublasLtMatmulDescSetAttribute");
    }

    /// The algorithm that cublasLt thinks best.
    void find() {
        Owned<cublas::LtPreference> preference(library().lt_destroy_preference);
        library().check(library().lt_create_preference(preference.place()), "cublasLtMatmulPreferenceCreate");
        const std::size_t most = workspace_.bytes();
        library().check(
            library().lt_set_preference(
                preference.get(), cublas::LtPreferenceAttribute::workspace_bytes_at_most, &most, sizeof most),
            "cublasLtMatmulPreferenceSetAttribute");
        cublas::LtFound found{};
        int count = 0;
        library().check(library().lt_find(handle_.get(), operation_.get(), a_.get(), b_.get(), c_.get(),
                                          c_.get(), preference.get(), 1, &found, &count),
                        "cublasLtMatmulAlgoGetHeuristic");
        if (count == 0) throw UserError("cublasLtMatmul has no algorithm for this product");
        algorithm_ = found.algorithm;
    }

    runtime::cuda::Stream stream_;
    runtime::GpuBuffer workspace_;
    Owned<cublas::LtHandle> handle_{library().lt_destroy};
    Owned<cublas::LtOperation> operation_{library().lt_destroy_operation};
    Owned<cublas::LtLayout> a_{library().lt_destroy_layout}, b_{library().lt_destroy_layout},
        c_{library().lt_destroy_layout};
    cublas::LtAlgorithm algorithm_{};
};

} // namespace

std::unique_ptr<const CublasPlan::Routine> cublas_lt_routine(const GpuMatrixCall& call,
                                                             const runtime::GpuDevice& device,
                                                             runtime::cuda::Stream stream) {
    if (!cublas::Library::get().has_lt()) throw UserError("this cuBLAS has no cublasLtMatmul");
    return std::make_unique<ByLt>(call, device, stream);
}

} // namespace swirl::peers
