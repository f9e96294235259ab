#pragma once

#include <span>

/// How tensor cores of compute capability 9.0 add: what a product of tiles means, bit by bit.
///
/// Products are exact. They and the sum so far are aligned to the largest of their exponents and cut off, towards zero, some bits
/// below it; what is left is added exactly, and the result is cut off once more. So sums of one sign drift towards zero, by up to an
/// eighth of a unit in the last place for each product and half of one for each instruction on average (Fasi, Higham, Mikaitis and
/// Pranesh 2021, "Numerical behavior of NVIDIA tensor cores"; Khattak and Mikaitis, arXiv 2512.07004; Xie et al., arXiv 2511.10909).
/// `bench_gpu_accuracy --model` compares this with a GPU.
namespace swirl::ir {

/// A factor: its value and the exponent that counts for alignment, which is no less than the format's least.
struct TensorCoreFactor {
    double value = 0;
    int exponent = 0;
};
TensorCoreFactor tensor_core_factor(double value, int least_exponent);

struct TensorCoreSums {
    int aligned_bits = 25; ///< of fraction, that are kept below the largest exponent
    int kept_bits = 23;    ///< of the result's fraction
    bool operator==(const TensorCoreSums&) const = default;
};

/// sum + Σ a[k]·b[k] by one instruction, whose depth is that of the spans. Infinities and NaN as in exact arithmetic.
float tensor_core_sum(std::span<const TensorCoreFactor> a, std::span<const TensorCoreFactor> b, float sum,
                      const TensorCoreSums& rounding = {});

} // namespace swirl::ir
