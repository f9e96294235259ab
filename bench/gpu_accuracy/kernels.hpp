#pragma once

#include "bench/support/random_numbers.hpp"
#include "peers/gpu_matrix_call.hpp"
#include "runtime/cuda_stream.hpp"

#include <functional>
#include <string>
#include <vector>

/// The kernels whose errors are compared.
namespace swirl::bench {

struct AccuracyKernel {
    std::string name;
    std::string made_by;
    bool is_promised = false; ///< to be no less accurate than multiply-adds
    std::function<void(const void* a, const void* b, void* c)> execute;
};

const StoredNumber& operand_of(const peers::GpuMatrixCall& call);

/// Multiply-adds by threads first, then what swirl plans for each accuracy, then each line of `decisions` added to the schedule of the
/// first, and what cuBLAS has. What cannot be made is left out, with a line on the standard error.
std::vector<AccuracyKernel> kernels_for(const peers::GpuMatrixCall& call,
                                        const std::vector<std::string>& decisions,
                                        const runtime::GpuStream& stream);

} // namespace swirl::bench
