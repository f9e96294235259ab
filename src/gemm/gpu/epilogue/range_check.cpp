#include "gemm/gpu/epilogue/range_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

constexpr ir::Type integer = {DataType::int64, 1};
constexpr ir::Type real = {DataType::float32, 1};

/// A float32's last bit is 23 binary places below its exponent; terms are integer multiples of it, and normal from
/// 2^−126 up.
constexpr int lowest_exponent = -126 + 23;
/// Rounding enlarges a leading term by at most 2^−8 of the value, and sums of their products by less than a factor of
/// two.
constexpr int exponent_of_accumulators = 126;

ir::Buffer declare_blocks(ir::Builder& builder, bool written) {
    ir::BufferInfo info;
    info.name = "blocks_out_of_range";
    info.element = DataType::int64;
    info.space = ir::Space::scratch;
    info.elements = 1;
    info.zeroed = true;
    info.written = written;
    return builder.add(info);
}

/// For an int64 that is not negative.
ir::Condition is_positive(Value value) { return {-1, Relation::nonnegative, value}; }

} // namespace

Bf16SplitRange bf16_split_range(Integer k) {
    const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<Integer>(k, 1) - 1));
    return {std::ldexp(1.0, lowest_exponent), std::ldexp(1.0, (exponent_of_accumulators - bits) / 2)};
}

std::optional<ir::Condition> range_check_passed(ir::Builder& builder, const WgmmaGemm& schedule) {
    if (!schedule.has_range_check()) return std::nullopt;
    return range_check_selects(builder, KernelPath::primary);
}

ir::Condition range_check_failed(ir::Builder& builder) {
    return range_check_selects(builder, KernelPath::fallback);
}

ir::Condition range_check_selects(ir::Builder& builder, KernelPath path) {
    const Value blocks = builder.load(declare_blocks(builder, false), 0);
    return path == KernelPath::primary ? ir::Condition{0, Relation::zero, blocks} : is_positive(blocks);
}

RangeChecker::RangeChecker(ir::Builder& builder, const Bf16SplitRange& range)
    : builder_(builder),
      range_(range),
      blocks_(declare_blocks(builder, true)),
      found_(builder.shared("is_out_of_range", DataType::int64, 1)) {
    builder_.if_then({{builder_.thread(0), Relation::zero}},
                     [&] { builder_.store(found_, 0, builder_.constant(integer, 0)); });
    builder_.barrier();
}

void RangeChecker::check_values(Value values) {
    const int lanes = builder_.type(values).lanes;
    Value fallback = ir::no_value;
    for (int lane = 0; lane < lanes; ++lane) {
        const Value value =
            lanes == 1 ? values : builder_.shuffle(values, values, {static_cast<std::int8_t>(lane)});
        const Value one = is_out_of_range(value);
        fallback = lane == 0 ? one : builder_.add(fallback, one);
    }
    builder_.if_then({is_positive(fallback)},
                     [&] { builder_.atomic_add(found_, 0, builder_.constant(integer, 1)); });
}

/// 1 or 0. Comparisons with NaN are false.
Value RangeChecker::is_out_of_range(Value element) {
    const auto limit = [&](double value) { return builder_.constant(real, value); };
    const Value yes = builder_.constant(integer, 1), no = builder_.constant(integer, 0);
    const Value magnitude = builder_.magnitude(element);
    const Value if_small = builder_.select(builder_.less(limit(0), magnitude), yes, no);
    const Value if_not = builder_.select(builder_.less(magnitude, limit(range_.end)), no, yes);
    return builder_.select(builder_.less(magnitude, limit(range_.lowest)), if_small, if_not);
}

void RangeChecker::finish() {
    builder_.barrier();
    builder_.if_then({{builder_.thread(0), Relation::zero}}, [&] {
        const Value found = builder_.load(found_, 0);
        builder_.if_then({is_positive(found)},
                         [&] { builder_.atomic_add(blocks_, 0, builder_.constant(integer, 1)); });
    });
}

} // namespace swirl::gemm
