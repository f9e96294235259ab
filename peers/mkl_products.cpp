#include "base/error.hpp"
#include "peers/blas_functions.hpp"
#include "peers/mkl_library.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace swirl::peers {
namespace {

// oneMKL's kernels for one shape, from its developer reference, "mkl_cblas_jit_create_?gemm": 0 is success, 1 success
// without a kernel of its own.
template <class T>
using Create = int(void** jitter, int layout, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                   int lda, int ldb, T beta, int ldc);
template <class T> using MklKernel = void(void* jitter, T* a, T* b, T* c);
template <class T> using GetKernel = MklKernel<T>*(const void* jitter);
enum Cblas : int { by_columns = 102, as_stored = 111, transposed = 112 };

using FromBfloat16 = void(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                          const std::uint16_t* a, int lda, const std::uint16_t* b, int ldb, float beta,
                          float* c, int ldc);

int transpose_flag(bool is_transposed) { return is_transposed ? transposed : as_stored; }

MatrixRun run_from_bfloat16(FromBfloat16* function, const MatrixCall& call) {
    return repeated([function, call](const MatrixOperands& o) {
        function(by_columns, transpose_flag(call.transposed_a), transpose_flag(call.transposed_b),
                 static_cast<int>(call.rows), static_cast<int>(call.columns), static_cast<int>(call.k), 1,
                 static_cast<const std::uint16_t*>(o.a), static_cast<int>(call.leading_a()),
                 static_cast<const std::uint16_t*>(o.b), static_cast<int>(call.leading_b()), 0,
                 static_cast<float*>(o.c), static_cast<int>(call.rows));
    });
}

/// MKL loads its kernels with the first call.
void load_kernels(const MklLibrary& mkl) {
    const double one = 1;
    double product = 0;
    const MatrixOperands operands{&one, &one, &product};
    if (const MatrixRun run = blas_run(mkl.library(), {.rows = 1, .columns = 1, .k = 1}))
        run({&operands, 1}, 1);
}

MatrixPlan plan_blas(const MatrixCall& call, int threads) {
    const MklLibrary& mkl = MklLibrary::get();
    if (const std::string reason = mkl.absent_because(); !reason.empty()) return {.absent_because = reason};
    mkl.use_threads(threads);
    load_kernels(mkl);
    FromBfloat16* from_bfloat16 = nullptr;
    MatrixRun run = blas_run(mkl.library(), call);
    if (call.from_bfloat16 && mkl.library().load(from_bfloat16, "cblas_gemm_bf16bf16f32"))
        run = run_from_bfloat16(from_bfloat16, call);
    if (!run) return {.absent_because = fmt::format("MKL has no {}", routine_name(call))};
    return {.run = std::move(run), .made_by = mkl.version()};
}

template <class T>
MatrixPlan plan_kernel(const MklLibrary& mkl, const MatrixCall& call, const std::string& prefix) {
    Create<T>* create = nullptr;
    GetKernel<T>* get_kernel = nullptr;
    int (*destroy)(void*) = nullptr;
    if (!mkl.library().load(create, "mkl_cblas_jit_create_" + prefix + "gemm") ||
        !mkl.library().load(get_kernel, "mkl_jit_get_" + prefix + "gemm_ptr") ||
        !mkl.library().load(destroy, "mkl_jit_destroy"))
        return {.absent_because = "MKL lacks kernels for one shape"};
    void* made = nullptr;
    const int result =
        create(&made, by_columns, transpose_flag(call.transposed_a), transpose_flag(call.transposed_b),
               static_cast<int>(call.rows), static_cast<int>(call.columns), static_cast<int>(call.k), 1,
               static_cast<int>(call.leading_a()), static_cast<int>(call.leading_b()), 0,
               static_cast<int>(call.rows));
    if (result != 0) return {.absent_because = fmt::format("MKL makes no kernel for {}", to_text(call))};
    const std::shared_ptr<void> jitter(made, [destroy](void* each) { destroy(each); });
    return {.run = repeated([jitter, raw = made, kernel = get_kernel(made)](const MatrixOperands& o) {
                kernel(raw, static_cast<T*>(const_cast<void*>(o.a)), static_cast<T*>(const_cast<void*>(o.b)),
                       static_cast<T*>(o.c));
            }),
            .made_by = mkl.version() + ", made for the shape"};
}

MatrixPlan plan_jit(const MatrixCall& call, int threads) {
    if (is_complex(call.data_type) || call.widens())
        return {.absent_because = "MKL's kernels for one shape are compared for general real matrices only"};
    const MklLibrary& mkl = MklLibrary::get();
    if (const std::string reason = mkl.absent_because(); !reason.empty()) return {.absent_because = reason};
    mkl.use_threads(threads);
    return call.data_type == DataType::float32 ? plan_kernel<float>(mkl, call, "s")
                                               : plan_kernel<double>(mkl, call, "d");
}

} // namespace

const MatrixPeer mkl_blas{"mkl", "MKL", plan_blas};
const MatrixPeer mkl_jit{"mkl-jit", "MKL, made for the shape", plan_jit};

} // namespace swirl::peers
