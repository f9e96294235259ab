#include "emit/lane_map.hpp"

namespace swirl::emit {

Lanes shuffled(const Lanes& first, const Lanes& last, std::span<const std::int8_t> lane_map) {
    Lanes result;
    for (const std::int8_t from : lane_map) {
        const auto at = static_cast<std::size_t>(from < 0 ? 0 : from);
        result.push_back(at < first.size() ? first[at] : last[at - first.size()]);
    }
    return result;
}

} // namespace swirl::emit
