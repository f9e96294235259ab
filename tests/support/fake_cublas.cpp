#include "support/fake_cublas.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace swirl::support::cublas {
namespace {

double element_at(int type, const void* data, std::int64_t at) {
    switch (type) {
    case float32: return static_cast<double>(static_cast<const float*>(data)[at]);
    case float64: return static_cast<const double*>(data)[at];
    case float16:
        return static_cast<double>(static_cast<float>(static_cast<const swirl::float16*>(data)[at]));
    case bfloat16:
        return static_cast<double>(static_cast<float>(static_cast<const swirl::bfloat16*>(data)[at]));
    default: break;
    }
    const unsigned bits = static_cast<const unsigned char*>(data)[at];
    const unsigned exponent = bits >> 3 & 15U, fraction = bits & 7U;
    const double magnitude = exponent == 0
                                 ? fraction * 0x1p-9
                                 : (1 + fraction / 8.0) * std::exp2(static_cast<double>(exponent) - 7);
    return bits >= 128 ? -magnitude : magnitude;
}

std::int64_t place(const Matrix& matrix, std::int64_t row, std::int64_t column) {
    return matrix.transposed ? column + row * matrix.leading : row + column * matrix.leading;
}

} // namespace

int multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a, const Matrix& b,
             double beta, const Matrix& c) {
    if (a.leading < (a.transposed ? k : m) || b.leading < (b.transposed ? n : k) || c.leading < m)
        return invalid_value;
    for (std::int64_t column = 0; column < n; ++column)
        for (std::int64_t row = 0; row < m; ++row) {
            double sum = 0;
            for (std::int64_t k_index = 0; k_index < k; ++k_index)
                sum += element_at(a.type, a.data, place(a, row, k_index)) *
                       element_at(b.type, b.data, place(b, k_index, column));
            const std::int64_t at = place(c, row, column);
            const double result = alpha * sum + (beta == 0 ? 0 : beta * element_at(c.type, c.data, at));
            if (c.type == float64)
                static_cast<double*>(c.data)[at] = result;
            else
                static_cast<float*>(c.data)[at] = static_cast<float>(result);
        }
    return success;
}

namespace {

/// Settings required before a handle can be used in a captured stream.
struct Handle {
    bool has_stream = false, has_workspace = false;
    bool is_ready() const { return has_stream && has_workspace; }
};

void* moved(const void* data, long long elements, std::size_t bytes) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(data) +
                                  elements * static_cast<long long>(bytes));
}

} // namespace
} // namespace swirl::support::cublas

using namespace swirl::support::cublas;

EXPORT int cublasCreate_v2(void** handle) {
    *handle = new Handle;
    return success;
}
EXPORT int cublasDestroy_v2(void* handle) {
    delete static_cast<Handle*>(handle);
    return success;
}
EXPORT int cublasGetProperty(int which, int* value) {
    *value = which + 1;
    return success;
}
EXPORT const char* cublasGetStatusName(int status) {
    return status == not_supported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_SOME";
}
EXPORT int cublasSetStream_v2(void* handle, void*) { // resets the workspace, as cuBLAS does
    *static_cast<Handle*>(handle) = {true, false};
    return success;
}
EXPORT int cublasSetWorkspace_v2(void* handle, void* workspace, std::size_t) {
    static_cast<Handle*>(handle)->has_workspace = workspace != nullptr;
    return success;
}
EXPORT int cublasSetMathMode(void*, int) { return success; }
EXPORT int cublasSetEmulationStrategy(void*, int) { return success; }

EXPORT int cublasGemmEx(void* handle, int transposed_a, int transposed_b, int m, int n, int k,
                        const void* alpha, const void* a, int type_a, int lda, const void* b, int type_b,
                        int ldb, const void* beta, void* c, int type_c, int ldc, int compute, int) {
    constexpr int emulated = 78;
    if (!static_cast<Handle*>(handle)->is_ready()) return not_initialised;
    if (compute == emulated || type_c != float32) return not_supported;
    return multiply(m, n, k, static_cast<double>(*static_cast<const float*>(alpha)),
                    {moved(a, 0, 1), type_a, transposed_a != 0, lda},
                    {moved(b, 0, 1), type_b, transposed_b != 0, ldb},
                    static_cast<double>(*static_cast<const float*>(beta)), {c, type_c, false, ldc});
}

EXPORT int cublasSgemmStridedBatched(void* handle, int transposed_a, int transposed_b, int m, int n, int k,
                                     const float* alpha, const void* a, int lda, long long stride_a,
                                     const void* b, int ldb, long long stride_b, const float* beta, void* c,
                                     int ldc, long long stride_c, int batch) {
    if (!static_cast<Handle*>(handle)->is_ready()) return not_initialised;
    int status = success;
    for (long long each = 0; each < batch; ++each)
        status = std::max(status, multiply(m, n, k, static_cast<double>(*alpha),
                                           {moved(a, each * stride_a, 4), float32, transposed_a != 0, lda},
                                           {moved(b, each * stride_b, 4), float32, transposed_b != 0, ldb},
                                           static_cast<double>(*beta),
                                           {moved(c, each * stride_c, 4), float32, false, ldc}));
    return status;
}

EXPORT int cublasSgemm_v2(void* handle, int transposed_a, int transposed_b, int m, int n, int k,
                          const float* alpha, const void* a, int lda, const void* b, int ldb,
                          const float* beta, void* c, int ldc) {
    return cublasSgemmStridedBatched(handle, transposed_a, transposed_b, m, n, k, alpha, a, lda, 0, b, ldb, 0,
                                     beta, c, ldc, 0, 1);
}

EXPORT int cublasDgemm_v2(void* handle, int transposed_a, int transposed_b, int m, int n, int k,
                          const double* alpha, const void* a, int lda, const void* b, int ldb,
                          const double* beta, void* c, int ldc) {
    if (!static_cast<Handle*>(handle)->is_ready()) return not_initialised;
    return multiply(m, n, k, *alpha, {moved(a, 0, 1), float64, transposed_a != 0, lda},
                    {moved(b, 0, 1), float64, transposed_b != 0, ldb}, *beta, {c, float64, false, ldc});
}
