#pragma once

#include "bench/support/stored_type.hpp"
#include "peers/gpu_matrix_call.hpp"
#include "runtime/cuda/stream.hpp"

#include <functional>
#include <string>
#include <vector>

/// The kernels whose errors are compared.
namespace swirl::bench {

struct AccuracyKernel {
    std::string name;
    std::string made_by = {};
    bool is_promised = false; ///< guaranteed to be no less accurate than multiply-adds
    std::string cublas = {};  ///< cuBLAS's kernel with the same arithmetic or the nearest; empty for its own
    const StoredType* operand = nullptr; ///< data type of A and B in memory
    std::function<void(const void* a, const void* b, void* c)> execute = {};
};

const StoredType& operand_of(const peers::GpuMatrixCall& call);

/// The SIMT kernel first, in float32 for all data types of tensor cores, then swirl's plan, the fastest tensor-core
/// kernel of each arithmetic (also where a plan would not take it), the model's schedule with each line of `decisions`
/// added, and cuBLAS's kernels. A kernel that cannot be built is left out, with a line on standard error.
std::vector<AccuracyKernel> kernels_for(const peers::GpuMatrixCall& call,
                                        const std::vector<std::string>& decisions,
                                        const runtime::GpuStream& stream);

} // namespace swirl::bench
