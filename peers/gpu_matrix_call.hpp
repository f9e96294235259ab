#pragma once

#include <swirl/matrix_product.hpp>
#include <swirl/options.hpp>

#include <cstdint>

namespace swirl::peers {

/// What a product's numbers are on a GPU, and how they are multiplied. Sums are float32, of float64 float64.
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
    bool narrow_c = false; ///< C is of the 16-bit type of A and B, not of the sums' type
    Integer rows = 0;      ///< m
    Integer columns = 0;   ///< n
    Integer k = 0;
    Integer batch = 1;
    bool operator==(const GpuMatrixCall&) const = default;

    Integer leading_a() const { return transposed_a ? k : rows; }
    Integer leading_b() const { return transposed_b ? columns : k; }
};

/// The call that computes a product with this accuracy; by cuBLAS's emulation of float32 if `emulated`. UserError says
/// what cannot be called.
GpuMatrixCall gpu_call_of(const MatrixProduct& product, Accuracy accuracy = Accuracy::ordinary,
                          bool emulated = false);

/// The product that a call computes.
MatrixProduct product_of(const GpuMatrixCall& call);

} // namespace swirl::peers
