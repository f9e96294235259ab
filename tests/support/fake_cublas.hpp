#pragma once

#include <cstdint>

#define EXPORT extern "C" __attribute__((visibility("default")))

/// A cuBLAS for the drivers without a GPU, whose memory is memory of the host: products by their definition, so that what
/// compares results can be tested.
namespace swirl::support::cublas {

// as cuBLAS numbers them
enum : int { success = 0, not_initialised = 1, invalid_value = 7, not_supported = 15 };
enum : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 14, e4m3 = 28 }; ///< cudaDataType

struct Matrix {
    void* data;
    int type;
    bool transposed = false; ///< what lies in memory is the transpose
    std::int64_t leading = 0;
};

/// C = α·A·B + β·C, by columns, of which C is not read where β is 0. invalid_value where a leading dimension is too small.
int multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a, const Matrix& b,
             double beta, const Matrix& c);

} // namespace swirl::support::cublas
