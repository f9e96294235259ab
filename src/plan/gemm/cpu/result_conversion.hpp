#pragma once

#include "plan/gemm/cpu/elementwise_kernels.hpp"
#include "problem/matrix_product.hpp"

#include <cstddef>
#include <memory>

namespace swirl::planning {

/// Maximum rows and columns of accumulators that stay in cache before conversion to C's data type.
constexpr Integer max_conversion_block = 1024;

/// The kernels that convert accumulators to the product's C. Null where none are needed or no code can be generated.
std::shared_ptr<ElementwiseKernels> conversion_kernels(const MatrixProduct& canonical, const target::Cpu& cpu,
                                                       KernelCheck check);

/// Converts float32 accumulators, contiguous by columns, to C's data type as MatrixProduct::c_type says. One matrix of
/// the product's extents, with element (0, 0) at `c`. Without kernels, on the host.
void convert_and_store(ElementwiseKernels* kernels, float* accumulators, const MatrixProduct& product,
                       void* c);

/// Converts one element on the host: floating-point types round to nearest, ties to even; integers do too, are clamped
/// to the type's range, and NaN becomes 0.
void convert_element(float element, DataType to, std::byte* at);

} // namespace swirl::planning
