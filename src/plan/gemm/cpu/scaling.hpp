#pragma once

#include "plan/gemm/cpu/elementwise_kernels.hpp"
#include "problem/matrix_product.hpp"

#include <memory>

namespace swirl::planning {

/// The generated kernels of C = β·C; null where no code can be generated.
struct ScalingKernels {
    std::shared_ptr<ElementwiseKernels> scaling = nullptr;
    std::shared_ptr<ElementwiseKernels> clearing = nullptr; ///< for β = 0

    ScalingKernels() = default;
    /// For matrices of any extents with a row stride of 1.
    ScalingKernels(DataType data_type, const target::Cpu& cpu, KernelCheck check);
    /// For C of a canonical product.
    ScalingKernels(const MatrixProduct& canonical, const target::Cpu& cpu, KernelCheck check);

private:
    ScalingKernels(DataType data_type, Integer row_stride, Integer rows, Integer columns,
                   const target::Cpu& cpu, KernelCheck check);
};

/// C = β·C for one matrix with the kernels' row stride; if β is zero, C is not read.
void scale_matrix(const ScalingKernels& kernels, const MatrixProduct& product, const void* beta, void* c);

} // namespace swirl::planning
