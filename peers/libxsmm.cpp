#include "base/error.hpp"
#include "peers/matrix_peer.hpp"
#include "peers/peer.hpp"
#include "peers/shared_library.hpp"

namespace swirl::peers {
namespace {

/// libxsmm_dmmdispatch and libxsmm_smmdispatch: a kernel for one shape, or null.
template <class T> using LibxsmmKernel = void(const T* a, const T* b, T* c, ...);
template <class T>
using Dispatch = LibxsmmKernel<T>*(int m, int n, int k, const int* lda, const int* ldb, const int* ldc,
                                   const T* alpha, const T* beta, const int* flags, const int* prefetch);
enum Flag : int { transposed_b = 2 }; // LIBXSMM_GEMM_FLAG_TRANS_B

struct LibxsmmLibrary {
    LibxsmmLibrary() : library({peers_folder() / "libxsmm" / "lib" / "libxsmm.so", "libxsmm.so.1"}) {
        void (*initialize)() = nullptr;
        const char* (*get_target)() = nullptr;
        library.load(dispatch_double, "libxsmm_dmmdispatch");
        library.load(dispatch_float, "libxsmm_smmdispatch");
        if (library.load(initialize, "libxsmm_init")) initialize();
        if (library.load(get_target, "libxsmm_get_target_arch")) kernels = get_target();
    }

    SharedLibrary library;
    Dispatch<double>* dispatch_double = nullptr;
    Dispatch<float>* dispatch_float = nullptr;
    std::string kernels;
};

template <class T> MatrixRun run_of(Dispatch<T>* dispatch, const MatrixCall& call) {
    if (dispatch == nullptr || call.transposed_a) return {};
    const int lda = static_cast<int>(call.leading_a()), ldb = static_cast<int>(call.leading_b()),
              ldc = static_cast<int>(call.rows);
    const int flags = call.transposed_b ? transposed_b : 0;
    const T alpha = 1, beta = 0;
    LibxsmmKernel<T>* const kernel =
        dispatch(static_cast<int>(call.rows), static_cast<int>(call.columns), static_cast<int>(call.k), &lda,
                 &ldb, &ldc, &alpha, &beta, &flags, nullptr);
    if (kernel == nullptr) return {};
    return repeated([kernel](const MatrixOperands& o) {
        kernel(static_cast<const T*>(o.a), static_cast<const T*>(o.b), static_cast<T*>(o.c));
    });
}

MatrixPlan plan_libxsmm(const MatrixCall& call, int threads) {
    if (is_complex(call.data_type) || call.widens())
        return {.absent_because = "LIBXSMM multiplies general real matrices only"};
    if (threads != 1) return {.absent_because = "LIBXSMM's kernels are of one thread"};
    static const LibxsmmLibrary opened;
    if (!opened.library.is_open()) return {.absent_because = opened.library.absent_because()};
    MatrixRun run = call.data_type == DataType::float32 ? run_of(opened.dispatch_float, call)
                                                        : run_of(opened.dispatch_double, call);
    if (!run) return {.absent_because = fmt::format("LIBXSMM has no kernel for {}", to_text(call))};
    return {.run = std::move(run), .made_by = fmt::format("LIBXSMM, kernels for {}", opened.kernels)};
}

} // namespace

const MatrixPeer libxsmm{"libxsmm", "LIBXSMM", plan_libxsmm};

} // namespace swirl::peers
