#include "plan/guarded_gpu_buffer.hpp"

#include "plan/guarded_buffer.hpp"

#include <vector>

namespace swirl::planning {

GuardedGpuBuffer::GuardedGpuBuffer(const runtime::GpuDevice& device, std::size_t bytes)
    : zone_(zone_bytes(bytes)), whole_(device, bytes + 2 * zone_) {
    const std::vector<std::byte> pattern(zone_, untouched);
    runtime::copy_to_gpu(device, whole_.address(), pattern.data(), zone_);
    runtime::copy_to_gpu(device, address() + bytes, pattern.data(), zone_);
}

std::optional<std::ptrdiff_t> GuardedGpuBuffer::touched_in_zones() const {
    std::vector<std::byte> found(zone_);
    for (const bool is_behind : {false, true}) {
        const std::ptrdiff_t first =
            is_behind ? static_cast<std::ptrdiff_t>(bytes()) : -static_cast<std::ptrdiff_t>(zone_);
        runtime::copy_from_gpu(device(), found.data(), address() + static_cast<std::size_t>(first), zone_);
        if (const auto at = first_touched(found)) return first + static_cast<std::ptrdiff_t>(*at);
    }
    return std::nullopt;
}

} // namespace swirl::planning
