#include "plan/guarded_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace swirl::planning {

std::size_t zone_bytes(std::size_t bytes) {
    constexpr std::size_t least = std::size_t{1} << 14, most = std::size_t{1} << 20, page = 4096;
    return (std::clamp(bytes, least, most) + page - 1) / page * page;
}

std::optional<std::size_t> first_touched(std::span<const std::byte> bytes) {
    if (bytes.empty()) return std::nullopt;
    const bool are_equal = std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
    if (are_equal && bytes.front() == untouched) return std::nullopt;
    const auto at = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != untouched; });
    return static_cast<std::size_t>(at - bytes.begin());
}

GuardedBuffer::GuardedBuffer(std::size_t bytes) : zone_(zone_bytes(bytes)), whole_(bytes + 2 * zone_) {}

void GuardedBuffer::clear() { std::ranges::fill(with_zones(), untouched); }

std::optional<std::ptrdiff_t> GuardedBuffer::touched_in_zones() const {
    const auto offset_of = [](std::size_t at) { return static_cast<std::ptrdiff_t>(at); };
    if (const auto at = first_touched(with_zones().first(zone_))) return offset_of(*at) - offset_of(zone_);
    if (const auto at = first_touched(with_zones().last(zone_))) return offset_of(*at + bytes());
    return std::nullopt;
}

std::optional<std::ptrdiff_t> GuardedBuffer::touched_anywhere() const {
    const auto at = first_touched(with_zones());
    if (!at) return std::nullopt;
    return static_cast<std::ptrdiff_t>(*at) - static_cast<std::ptrdiff_t>(zone_);
}

} // namespace swirl::planning
