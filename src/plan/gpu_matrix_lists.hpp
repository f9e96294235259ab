#pragma once

#include "plan/gpu_matrix_kernel.hpp"
#include "runtime/cuda_memory.hpp"

#include <array>

namespace swirl::planning {

/// A product that has lists, with batch strides such that its matrices can lie one behind the other, as aligned as the lists say; others
/// as they are.
MatrixProduct one_behind_the_other(const MatrixProduct& product);

/// The lists of pointers to matrices that lie at batch strides, in a GPU's memory.
class GpuMatrixLists {
public:
    /// Of a product without lists that is not empty; `first` has its matrices, A and B may be null.
    GpuMatrixLists(const runtime::GpuDevice& device, const MatrixProduct& strided,
                   const GpuMatrixArguments& first);

    /// The same with lists in place of matrices. While these are there.
    GpuMatrixArguments of(GpuMatrixArguments arguments) const;

private:
    std::array<runtime::GpuBuffer, 3> lists_; ///< of A, B and C
};

} // namespace swirl::planning
