#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace swirl::peers {

/// What a product's numbers are on a GPU, and how they are multiplied. C and sums are float32, of float64 float64.
enum class GpuArithmetic : std::uint8_t {
    float32,         ///< by multiply-adds of float32
    float32_tensors, ///< as accurate, by tensor cores
    tf32,            ///< float32 numbers of which tensor cores see 11 significant bits
    float64,
    bfloat16,
    float16,
    e4m3, ///< 8 bits: 4 significant, OCP's E4M3
};

/// C = A·B, stored by columns without gaps; matrices of a batch are one behind the other.
struct GpuMatrixCall {
    GpuArithmetic arithmetic = GpuArithmetic::float32;
    bool transposed_a = false; ///< the transpose of A is stored
    bool transposed_b = false;
    Integer rows = 0;    ///< m
    Integer columns = 0; ///< n
    Integer depth = 0;   ///< k
    Integer batch = 1;
    bool operator==(const GpuMatrixCall&) const = default;

    Integer leading_a() const { return transposed_a ? depth : rows; }
    Integer leading_b() const { return transposed_b ? columns : depth; }
    Integer operand_bytes() const; ///< of a number of A or B
    Integer result_bytes() const { return arithmetic == GpuArithmetic::float64 ? 8 : 4; }
    double flops() const;
    double bytes() const; ///< of A, B and C, each once
};

/// "sgemm NN 4096x4096x4096", "bf16gemm NT 64x64x64 batch=10": rows, columns and depth.
std::string to_text(const GpuMatrixCall& call);
/// UserError says what such a text is.
GpuMatrixCall parse_gpu_matrix_call(const std::string& text);

/// "sgemm", "sgemm-tensors", "tf32gemm", "dgemm", "bf16gemm", "fp16gemm", "fp8gemm"
std::string_view word(GpuArithmetic arithmetic);

} // namespace swirl::peers
