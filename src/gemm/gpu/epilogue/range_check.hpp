#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/builder.hpp"

#include <optional>

/// The bf16 split of float32 values is accurate if they are zero or within a range. Kernels that split values check
/// this and leave the result in GPU memory; it selects tensor cores or the SIMT fallback kernel.
namespace swirl::gemm {

/// Magnitudes in [lowest, end).
struct Bf16SplitRange {
    double lowest = 0;
    double end = 0;
};

/// The range in which terms are exact and normal, and no sum of `k` products of terms overflows (decision 028).
Bf16SplitRange bf16_split_range(Integer k);

/// Which kernel computes C.
enum class KernelPath : std::uint8_t { primary, fallback };

/// Condition that no block found a value out of range, according to earlier kernels; nothing if the schedule omits
/// the range check.
std::optional<ir::Condition> range_check_passed(ir::Builder& builder, const WgmmaGemm& schedule);
/// Executes `body` if the condition, if any, holds.
template <class Body>
void if_holds(ir::Builder& builder, const std::optional<ir::Condition>& condition, Body&& body) {
    if (condition)
        builder.if_then({*condition}, body);
    else
        body();
}
/// The negation.
ir::Condition range_check_failed(ir::Builder& builder);
/// The condition for `path`, given a range check.
ir::Condition range_check_selects(ir::Builder& builder, KernelPath path);

/// Counts the blocks that find values out of range, each block once. All threads execute begin and finish.
class RangeChecker {
public:
    RangeChecker(ir::Builder& builder, const Bf16SplitRange& range);
    /// Checks a thread's float32 values.
    void check_values(ir::Value values);
    void finish();

private:
    ir::Value is_out_of_range(ir::Value value);

    ir::Builder& builder_;
    Bf16SplitRange range_;
    ir::Buffer blocks_;
    ir::Buffer found_; ///< threads of the block
};

} // namespace swirl::gemm
