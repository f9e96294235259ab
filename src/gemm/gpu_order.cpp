// In which order a thread's multiply-adds of a step are written.
#include "gemm/gpu_schedule.hpp"

#include <algorithm>
#include <array>

namespace swirl::gemm {

namespace {

constexpr std::array<GpuOrder, 6> orders = {
    GpuOrder::rows,       GpuOrder::columns,      GpuOrder::serpentine_rows, GpuOrder::serpentine_columns,
    GpuOrder::swirl_rows, GpuOrder::swirl_columns};

/// How lines are gone through: each in the same direction, or back and forth, in strips of so many at once.
struct Walk {
    bool is_by_rows, turns;
    int strip;
};

Walk walk_of(GpuOrder order) {
    switch (order) {
    case GpuOrder::rows: return {true, false, 1};
    case GpuOrder::columns: return {false, false, 1};
    case GpuOrder::serpentine_rows: return {true, true, 1};
    case GpuOrder::serpentine_columns: return {false, true, 1};
    case GpuOrder::swirl_rows: return {true, true, 2};
    case GpuOrder::swirl_columns: return {false, true, 2};
    }
    return {};
}

} // namespace

std::span<const GpuOrder> gpu_orders() { return orders; }

std::string_view name_of(GpuOrder order) {
    switch (order) {
    case GpuOrder::rows: return "rows";
    case GpuOrder::columns: return "columns";
    case GpuOrder::serpentine_rows: return "serpentine_rows";
    case GpuOrder::serpentine_columns: return "serpentine_columns";
    case GpuOrder::swirl_rows: return "swirl_rows";
    case GpuOrder::swirl_columns: return "swirl_columns";
    }
    return "";
}

std::vector<std::pair<int, int>> places_in_order(GpuOrder order, int rows, int columns) {
    const Walk walk = walk_of(order);
    const int lines = walk.is_by_rows ? rows : columns, length = walk.is_by_rows ? columns : rows;
    std::vector<std::pair<int, int>> result;
    for (int first = 0, strip = 0; first < lines; first += walk.strip, ++strip) {
        const int width = std::min(walk.strip, lines - first);
        for (int t = 0; t < length; ++t)
            for (int k = 0; k < width; ++k) {
                const int along = walk.turns && strip % 2 != 0 ? length - 1 - t : t;
                const int line = first + (t % 2 != 0 ? width - 1 - k : k);
                result.push_back(walk.is_by_rows ? std::pair(line, along) : std::pair(along, line));
            }
    }
    return result;
}

} // namespace swirl::gemm
