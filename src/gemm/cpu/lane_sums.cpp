#include "gemm/cpu/lane_sums.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace swirl::gemm {

using ir::Value;

namespace {

using LaneMap = std::vector<std::int8_t>;

/// Gathers the even or the odd blocks of `distance` lanes of two vectors: within 16 bytes as unpcklpd and shufps do, else
/// in the whole vector as vshuff64x2 does.
LaneMap blocks_of_two(int lanes, int unit, int distance, bool odd) {
    const int scope = distance < unit ? unit : lanes;
    LaneMap map;
    for (int start = 0; start < lanes; start += scope)
        for (const int of : {0, lanes})
            for (int block = odd ? distance : 0; block < scope; block += 2 * distance)
                for (int lane = 0; lane < distance; ++lane)
                    map.push_back(static_cast<std::int8_t>(of + start + block + lane));
    return map;
}

/// Joins a power of two of vectors, two at a time, until one is left, and that one with itself until every row of it is
/// one lane.
template <class T, class Join> T joined(std::vector<T> vectors, int lanes, Join&& join) {
    for (int distance = lanes / 2; distance >= 1; distance /= 2) {
        std::vector<T> next;
        for (std::size_t at = 0; at < vectors.size(); at += 2)
            next.push_back(join(vectors[at], vectors[std::min(at + 1, vectors.size() - 1)], distance));
        vectors = std::move(next);
    }
    return vectors.front();
}

/// The vector whose sum each lane of the result has.
std::vector<int> order_of_sums(std::size_t count, int lanes, int unit) {
    std::vector<std::vector<int>> vectors;
    for (std::size_t vector = 0; vector < count; ++vector)
        vectors.emplace_back(static_cast<std::size_t>(lanes), static_cast<int>(vector));
    return joined(std::move(vectors), lanes,
                  [&](const std::vector<int>& a, const std::vector<int>& b, int distance) {
                      std::vector<int> result;
                      for (const int lane : blocks_of_two(lanes, unit, distance, false))
                          result.push_back(lane < lanes ? a[static_cast<std::size_t>(lane)]
                                                        : b[static_cast<std::size_t>(lane - lanes)]);
                      return result;
                  });
}

} // namespace

Value lane_sums(ir::Builder& builder, std::span<const Value> vectors, LanePair pair) {
    const ir::Type type = builder.type(vectors.front());
    const int lanes = type.lanes, unit = std::min(lanes, static_cast<int>(16 / bytes_of(type.scalar)));
    const std::size_t count = std::bit_ceil(vectors.size());
    ensure(count <= static_cast<std::size_t>(lanes), "{} sums in {} lanes", vectors.size(), lanes);
    const std::vector<int> order = order_of_sums(count, lanes, unit);
    const bool fills_lanes = count == static_cast<std::size_t>(lanes);
    std::vector<Value> leaves(count, ir::no_value);
    for (std::size_t lane = 0; lane < vectors.size(); ++lane)
        leaves[fills_lanes ? static_cast<std::size_t>(order[lane]) : lane] = vectors[lane];
    const Value sums = joined(std::move(leaves), lanes, [&](Value a, Value b, int distance) {
        if (a == ir::no_value) std::swap(a, b);
        if (a == ir::no_value) return a;
        if (b == ir::no_value) b = a;
        const Value even = builder.shuffle(a, b, blocks_of_two(lanes, unit, distance, false)),
                    odd = builder.shuffle(a, b, blocks_of_two(lanes, unit, distance, true));
        if (distance > 1 || pair == LanePair::sum) return builder.add(even, odd);
        return pair == LanePair::difference ? builder.subtract(even, odd) : builder.subtract(odd, even);
    });
    if (fills_lanes) return sums;
    LaneMap lane_map(static_cast<std::size_t>(lanes), -1);
    bool is_in_place = true;
    for (std::size_t lane = 0; lane < vectors.size(); ++lane) {
        const auto at = std::find(order.begin(), order.end(), static_cast<int>(lane)) - order.begin();
        lane_map[lane] = static_cast<std::int8_t>(
            order[lane] == static_cast<int>(lane) ? static_cast<std::ptrdiff_t>(lane) : at);
        is_in_place = is_in_place && lane_map[lane] == static_cast<std::int8_t>(lane);
    }
    return is_in_place ? sums : builder.shuffle(sums, sums, lane_map);
}

} // namespace swirl::gemm
