#include "plan/check/guarded_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace swirl::planning {

std::size_t redzone_bytes(std::size_t bytes) {
    constexpr std::size_t least = std::size_t{1} << 14, most = std::size_t{1} << 20, page = 4096;
    return (std::clamp(bytes, least, most) + page - 1) / page * page;
}

std::optional<std::size_t> first_overwritten(std::span<const std::byte> bytes) {
    if (bytes.empty()) return std::nullopt;
    const bool are_equal = std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
    if (are_equal && bytes.front() == poison) return std::nullopt;
    const auto at = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != poison; });
    return static_cast<std::size_t>(at - bytes.begin());
}

GuardedBuffer::GuardedBuffer(std::size_t bytes)
    : redzone_(redzone_bytes(bytes)), whole_(bytes + 2 * redzone_) {}

void GuardedBuffer::clear() { std::ranges::fill(with_redzones(), poison); }

std::optional<std::ptrdiff_t> GuardedBuffer::written_in_redzones() const {
    const auto offset_of = [](std::size_t at) { return static_cast<std::ptrdiff_t>(at); };
    if (const auto at = first_overwritten(with_redzones().first(redzone_)))
        return offset_of(*at) - offset_of(redzone_);
    if (const auto at = first_overwritten(with_redzones().last(redzone_))) return offset_of(*at + bytes());
    return std::nullopt;
}

std::optional<std::ptrdiff_t> GuardedBuffer::written_anywhere() const {
    const auto at = first_overwritten(with_redzones());
    if (!at) return std::nullopt;
    return static_cast<std::ptrdiff_t>(*at) - static_cast<std::ptrdiff_t>(redzone_);
}

} // namespace swirl::planning
