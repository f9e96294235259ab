// cublasLt of the fake cuBLAS: E4M3 GEMM, whose A must be stored transposed, as on GPUs of compute capability 9.0.

#include "support/fake_cublas.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

using namespace swirl::support::cublas;

struct Operation {
    std::int32_t transposed_a = 0, transposed_b = 0;
};
struct Layout {
    int type;
    std::uint64_t rows, columns;
    std::int64_t leading;
};
struct Algorithm {
    std::uint64_t data[8];
};
struct Found {
    Algorithm algorithm;
    std::size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};
constexpr std::uint64_t the_algorithm = 42;

template <class T> int destroy(void* object) {
    delete static_cast<T*>(object);
    return success;
}

} // namespace

EXPORT int cublasLtCreate(void** handle) {
    *handle = new int;
    return success;
}
EXPORT int cublasLtDestroy(void* handle) { return destroy<int>(handle); }
EXPORT int cublasLtMatmulDescCreate(void** operation, int compute, int factors) {
    *operation = new Operation;
    return compute == 68 && factors == float32 ? success : not_supported;
}
EXPORT int cublasLtMatmulDescSetAttribute(void* operation, int attribute, const void* value,
                                          std::size_t bytes) {
    auto& to = *static_cast<Operation*>(operation);
    if (attribute == 25) return bytes == 1 ? success : invalid_value;
    if (bytes != sizeof to.transposed_a) return invalid_value;
    std::memcpy(attribute == 3 ? &to.transposed_a : &to.transposed_b, value, bytes);
    return success;
}
EXPORT int cublasLtMatmulDescDestroy(void* operation) { return destroy<Operation>(operation); }
EXPORT int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                      std::int64_t leading) {
    *layout = new Layout{type, rows, columns, leading};
    return success;
}
EXPORT int cublasLtMatrixLayoutDestroy(void* layout) { return destroy<Layout>(layout); }
EXPORT int cublasLtMatmulPreferenceCreate(void** preference) {
    *preference = new int;
    return success;
}
EXPORT int cublasLtMatmulPreferenceSetAttribute(void*, int attribute, const void*, std::size_t bytes) {
    return attribute == 1 && bytes == sizeof(std::size_t) ? success : invalid_value;
}
EXPORT int cublasLtMatmulPreferenceDestroy(void* preference) { return destroy<int>(preference); }

EXPORT int cublasLtMatmulAlgoGetHeuristic(void*, void* operation, void*, void*, void*, void*, void*, int,
                                          Found* found, int* count) {
    const auto& of = *static_cast<const Operation*>(operation);
    *count = 0;
    if (of.transposed_a == 0 || of.transposed_b != 0) return not_supported;
    *count = 1;
    *found = {{{the_algorithm}}, 0, success, 1, {}};
    return success;
}

EXPORT int cublasLtMatmul(void*, void* operation, const float* alpha, void* a, const Layout* a_layout,
                          void* b, const Layout* b_layout, const float* beta, const void*, const Layout*,
                          void* d, const Layout* d_layout, const Algorithm* algorithm, void*, std::size_t,
                          void*) {
    const auto& of = *static_cast<const Operation*>(operation);
    if (algorithm->data[0] != the_algorithm || a_layout->rows != b_layout->rows) return invalid_value;
    return multiply(static_cast<std::int64_t>(d_layout->rows), static_cast<std::int64_t>(d_layout->columns),
                    static_cast<std::int64_t>(a_layout->rows), static_cast<double>(*alpha),
                    {a, a_layout->type, of.transposed_a != 0, a_layout->leading},
                    {b, b_layout->type, of.transposed_b != 0, b_layout->leading}, static_cast<double>(*beta),
                    {d, d_layout->type, false, d_layout->leading});
}
