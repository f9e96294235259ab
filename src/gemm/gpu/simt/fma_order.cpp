// The order of a thread's multiply-adds for one k index.
#include "gemm/gpu/schedule.hpp"

#include <algorithm>
#include <array>

namespace swirl::gemm {

namespace {

constexpr std::array<FmaOrder, 6> every_order = {
    FmaOrder::rows,       FmaOrder::columns,      FmaOrder::serpentine_rows, FmaOrder::serpentine_columns,
    FmaOrder::swirl_rows, FmaOrder::swirl_columns};

/// Traversal of the major direction: always forward, or alternating (serpentine); in strips of `strip` rows or columns.
struct Walk {
    bool is_by_rows, serpentine;
    int strip;
};

Walk walk_of(FmaOrder order) {
    switch (order) {
    case FmaOrder::rows: return {true, false, 1};
    case FmaOrder::columns: return {false, false, 1};
    case FmaOrder::serpentine_rows: return {true, true, 1};
    case FmaOrder::serpentine_columns: return {false, true, 1};
    case FmaOrder::swirl_rows: return {true, true, 2};
    case FmaOrder::swirl_columns: return {false, true, 2};
    }
    return {};
}

} // namespace

std::span<const FmaOrder> fma_orders() { return every_order; }

std::vector<std::pair<int, int>> fma_sequence(FmaOrder order, int rows, int columns) {
    const Walk walk = walk_of(order);
    const int majors = walk.is_by_rows ? rows : columns, length = walk.is_by_rows ? columns : rows;
    std::vector<std::pair<int, int>> result;
    for (int first = 0, strip = 0; first < majors; first += walk.strip, ++strip) {
        const int width = std::min(walk.strip, majors - first);
        for (int t = 0; t < length; ++t)
            for (int k = 0; k < width; ++k) {
                const int along = walk.serpentine && strip % 2 != 0 ? length - 1 - t : t;
                const int major = first + (t % 2 != 0 ? width - 1 - k : k);
                result.push_back(walk.is_by_rows ? std::pair(major, along) : std::pair(along, major));
            }
    }
    return result;
}

} // namespace swirl::gemm
