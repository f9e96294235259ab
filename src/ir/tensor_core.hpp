#pragma once

#include <span>

/// Bit-exact model of how tensor cores of compute capability 9.0 accumulate.
///
/// Products are exact. Products and accumulator are aligned to their largest exponent and truncated some bits below
/// it; the rest is added exactly, and the result is truncated once more. So sums of one sign drift towards zero, on
/// average by up to an eighth of a unit in the last place per product and half a unit per instruction (Fasi, Higham,
/// Mikaitis and Pranesh 2021, "Numerical behavior of NVIDIA tensor cores"; Khattak and Mikaitis, arXiv 2512.07004; Xie
/// et al., arXiv 2511.10909). `bench_gpu_accuracy --model` compares this with a GPU.
namespace swirl::ir {

/// An operand: its value and its exponent for alignment, which is at least the format's minimum.
struct TensorCoreOperand {
    double value = 0;
    int exponent = 0;
};
TensorCoreOperand tensor_core_operand(double value, int least_exponent);

struct TensorCoreRounding {
    int aligned_bits = 25;         ///< fraction bits kept below the largest exponent
    int result_fraction_bits = 23; ///< fraction bits of the result
    bool operator==(const TensorCoreRounding&) const = default;
};

/// sum + Σ a[k]·b[k] by one instruction, whose K is the length of the spans. Infinities and NaN as in exact
/// arithmetic.
float tensor_core_accumulate(std::span<const TensorCoreOperand> a, std::span<const TensorCoreOperand> b,
                             float sum, const TensorCoreRounding& rounding = {});

} // namespace swirl::ir
