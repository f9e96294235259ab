#include "gemm/complex_lanes.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;

/// Every other lane of two concatenated vectors, from the first or second on.
ir::LaneMap every_other(int lanes, int first) {
    ir::LaneMap map;
    for (int lane = 0; lane < lanes; ++lane) map.push_back(static_cast<std::int8_t>(2 * lane + first));
    return map;
}

/// Interleaves two vectors, from lane `from` of each on.
ir::LaneMap interleaved_lanes(int lanes, int from) {
    ir::LaneMap map;
    for (int lane = 0; lane < lanes; ++lane)
        map.push_back(static_cast<std::int8_t>(from + lane / 2 + (lane % 2) * lanes));
    return map;
}

} // namespace

Components load_pairs(ir::Builder& builder, ir::Buffer buffer, const Affine& index, int lanes, int active,
                      Value dynamic) {
    if (lanes == 1)
        return {builder.load(buffer, index, {.dynamic = dynamic}),
                builder.load(buffer, index + 1, {.dynamic = dynamic})};
    const Value low = builder.load(
        buffer, index, {.lanes = lanes, .active = std::min(2 * active, lanes), .dynamic = dynamic});
    const int rest = 2 * active - lanes;
    const Value high =
        rest > 0 ? builder.load(buffer, index + lanes, {.lanes = lanes, .active = rest, .dynamic = dynamic})
                 : builder.constant(builder.type(low), 0);
    return {builder.shuffle(low, high, every_other(lanes, 0)),
            builder.shuffle(low, high, every_other(lanes, 1))};
}

void store_pairs(ir::Builder& builder, ir::Buffer buffer, const Affine& index, const Components& components,
                 int active, Value dynamic) {
    const auto [real, imaginary] = components;
    const int lanes = builder.type(real).lanes;
    if (lanes == 1) {
        builder.store(buffer, index, real, {.dynamic = dynamic});
        builder.store(buffer, index + 1, imaginary, {.dynamic = dynamic});
        return;
    }
    builder.store(buffer, index, builder.shuffle(real, imaginary, interleaved_lanes(lanes, 0)),
                  {.lanes = lanes, .active = std::min(2 * active, lanes), .dynamic = dynamic});
    const int rest = 2 * active - lanes;
    if (rest <= 0) return;
    builder.store(buffer, index + lanes,
                  builder.shuffle(real, imaginary, interleaved_lanes(lanes, lanes / 2)),
                  {.lanes = lanes, .active = rest, .dynamic = dynamic});
}

} // namespace swirl::gemm
