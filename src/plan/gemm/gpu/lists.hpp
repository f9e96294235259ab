#pragma once

#include "plan/gemm/gpu/kernel.hpp"
#include "runtime/cuda/memory.hpp"

#include <array>

namespace swirl::planning {

/// For a pointer-array batch: the product with batch strides that place its matrices one after the other, aligned as
/// list_alignment says. Other products are returned unchanged.
MatrixProduct with_contiguous_batch(const MatrixProduct& product);

/// Device arrays of pointers to matrices at batch strides.
class GpuMatrixLists {
public:
    /// For a non-empty strided product. `first` has its matrices; A and B may be null.
    GpuMatrixLists(const runtime::GpuDevice& device, const MatrixProduct& strided,
                   const GpuMatrixArguments& first);

    /// The arguments with pointer arrays instead of matrices; valid while this object lives.
    GpuMatrixArguments of(GpuMatrixArguments arguments) const;

private:
    std::array<runtime::GpuBuffer, 3> lists_; ///< for A, B and C
};

} // namespace swirl::planning
