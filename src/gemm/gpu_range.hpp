#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/builder.hpp"

#include <optional>

/// Products of float32 numbers by terms are right where numbers are zero or of some range. Kernels that split numbers into terms look
/// whether all of them are, and leave what they find in memory of the GPU: then tensor cores multiply, or threads.
namespace swirl::gemm {

/// Magnitudes from `lowest` to less than `end`.
struct GpuTermsRange {
    double lowest = 0;
    double end = 0;
};

/// Such that terms are exact and normal, and no sum of so many products of terms overflows
/// (docs/decisions/028-every-input-on-tensor-cores.md).
GpuTermsRange range_of_terms(Integer depth);

/// Which of the two ways to multiply did it.
enum class GpuRangeSide : std::uint8_t { inside, outside };

/// That the number of blocks that have found something out of range is 0, as kernels before this one have left it; nothing where a
/// schedule takes all numbers to be in range.
std::optional<ir::Condition> numbers_are_in_range(ir::Builder& builder, const GpuSchedule& schedule);
/// `body` where the condition holds, if there is one.
template <class Body>
void where_holds(ir::Builder& builder, const std::optional<ir::Condition>& condition, Body&& body) {
    if (condition)
        builder.if_then({*condition}, body);
    else
        body();
}
/// That it is not.
ir::Condition numbers_are_out_of_range(ir::Builder& builder);
/// Either, where numbers are looked at.
ir::Condition numbers_are(ir::Builder& builder, GpuRangeSide side);

/// Has a kernel count blocks that find numbers out of range, one for each; all its threads execute the beginning and the end.
class GpuRangeWatch {
public:
    GpuRangeWatch(ir::Builder& builder, const GpuTermsRange& range);
    /// Numbers of float32 that a thread has.
    void look_at(ir::Value numbers);
    void finish();

private:
    ir::Value is_outside(ir::Value number);

    ir::Builder& builder_;
    GpuTermsRange range_;
    ir::Buffer blocks_;
    ir::Buffer found_; ///< threads of the block
};

} // namespace swirl::gemm
