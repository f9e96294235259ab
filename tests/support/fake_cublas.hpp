#pragma once

#include <cstdint>

#define EXPORT extern "C" __attribute__((visibility("default")))

/// A fake cuBLAS for the fake driver, whose device memory is host memory: GEMM by its definition, to test code that
/// compares results.
namespace swirl::support::cublas {

// cuBLAS's values
enum : int { success = 0, not_initialised = 1, invalid_value = 7, not_supported = 15 };
enum : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 14, e4m3 = 28 }; ///< cudaDataType

struct Matrix {
    void* data;
    int type;
    bool transposed = false; ///< memory holds the transpose
    std::int64_t leading = 0;
};

/// C = α·A·B + β·C, column-major; C is not read if β is 0. Returns invalid_value if a leading dimension is too small.
int multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a, const Matrix& b,
             double beta, const Matrix& c);

} // namespace swirl::support::cublas
