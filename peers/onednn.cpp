#include "base/error.hpp"
#include "peers/matrix_peer.hpp"
#include "peers/peer.hpp"
#include "peers/shared_library.hpp"

#include <cstdint>

namespace swirl::peers {
namespace {

using DnnlDim = Integer; ///< dnnl_dim_t

/// Matrices are stored by rows. Returns 0 or an error.
template <class T>
using DnnlGemm = int(char, char, DnnlDim m, DnnlDim n, DnnlDim k, float alpha, const T* a, DnnlDim lda,
                     const T* b, DnnlDim ldb, float beta, float* c, DnnlDim ldc);
using Bfloat16 = std::uint16_t;
/// The operands' numbers are what is there and these offsets; so are C's, 'F' standing for one of them.
using GemmOfInt8 = int(char, char, char of_c, DnnlDim m, DnnlDim n, DnnlDim k, float alpha,
                       const std::int8_t* a, DnnlDim lda, std::int8_t offset_a, const std::int8_t* b,
                       DnnlDim ldb, std::int8_t offset_b, float beta, std::int32_t* c, DnnlDim ldc,
                       const std::int32_t* offset_c);

/// Stored by rows these are the transposes: Cᵀ = Bᵀ·Aᵀ.
template <class T> MatrixRun run_of(DnnlGemm<T>* gemm, const MatrixCall& call) {
    return repeated([gemm, call](const MatrixOperands& o) {
        gemm(call.transposed_b ? 'T' : 'N', call.transposed_a ? 'T' : 'N', call.columns, call.rows, call.k, 1,
             static_cast<const T*>(o.b), call.leading_b(), static_cast<const T*>(o.a), call.leading_a(), 0,
             static_cast<float*>(o.c), call.rows);
    });
}

MatrixRun run_of_int8(GemmOfInt8* gemm, const MatrixCall& call) {
    return repeated([gemm, call](const MatrixOperands& o) {
        const std::int32_t none = 0;
        gemm(call.transposed_b ? 'T' : 'N', call.transposed_a ? 'T' : 'N', 'F', call.columns, call.rows,
             call.k, 1, static_cast<const std::int8_t*>(o.b), call.leading_b(), 0,
             static_cast<const std::int8_t*>(o.a), call.leading_a(), 0, 0, static_cast<std::int32_t*>(o.c),
             call.rows, &none);
    });
}

struct Version { // dnnl_version_t
    int major, minor, patch;
};

struct OnednnLibrary {
    explicit OnednnLibrary(int threads)
        : library({peers_folder() / "dnnl" / "lib" / "libdnnl.so.2", "libdnnl.so.3", "libdnnl.so.2"}) {
        library.load(sgemm, "dnnl_sgemm");
        library.load(from_bfloat16, "dnnl_gemm_bf16bf16f32");
        library.load(from_int8, "dnnl_gemm_s8s8s32");
        const Version* (*get_version)() = nullptr;
        if (library.load(get_version, "dnnl_version"))
            version = fmt::format("oneDNN {}.{}.{}", get_version()->major, get_version()->minor,
                                  get_version()->patch);
        // Debian's takes its threads from GNU's OpenMP.
        void (*set_threads)(int) = nullptr;
        if (SharedLibrary({"libgomp.so.1"}).load(set_threads, "omp_set_num_threads")) set_threads(threads);
    }

    SharedLibrary library;
    DnnlGemm<float>* sgemm = nullptr;
    DnnlGemm<Bfloat16>* from_bfloat16 = nullptr;
    GemmOfInt8* from_int8 = nullptr;
    std::string version;
};

MatrixPlan plan_onednn(const MatrixCall& call, int threads) {
    if (call.data_type != DataType::float32 && !call.from_int8())
        return {.absent_because = "oneDNN multiplies matrices of float32, bfloat16 and int8"};
    static const OnednnLibrary opened(threads);
    if (!opened.library.is_open()) return {.absent_because = opened.library.absent_because()};
    if (opened.sgemm == nullptr || (call.from_bfloat16 && opened.from_bfloat16 == nullptr))
        return {.absent_because = fmt::format("oneDNN has no {}", routine_name(call))};
    if (call.from_int8()) {
        if (opened.from_int8 == nullptr) return {.absent_because = "oneDNN has no gemm of int8"};
        return {.run = run_of_int8(opened.from_int8, call), .made_by = opened.version};
    }
    return {.run = call.from_bfloat16 ? run_of(opened.from_bfloat16, call) : run_of(opened.sgemm, call),
            .made_by = opened.version};
}

} // namespace

const MatrixPeer onednn{"onednn", "oneDNN", plan_onednn};

} // namespace swirl::peers
