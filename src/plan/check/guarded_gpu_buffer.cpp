#include "plan/check/guarded_gpu_buffer.hpp"

#include "plan/check/guarded_buffer.hpp"

#include <vector>

namespace swirl::planning {

GuardedGpuBuffer::GuardedGpuBuffer(const runtime::GpuDevice& device, std::size_t bytes)
    : redzone_(redzone_bytes(bytes)), whole_(device, bytes + 2 * redzone_) {
    const std::vector<std::byte> pattern(redzone_, poison);
    runtime::copy_to_gpu(device, whole_.address(), pattern.data(), redzone_);
    runtime::copy_to_gpu(device, address() + bytes, pattern.data(), redzone_);
}

std::optional<std::ptrdiff_t> GuardedGpuBuffer::written_in_redzones() const {
    std::vector<std::byte> found(redzone_);
    for (const bool is_behind : {false, true}) {
        const std::ptrdiff_t first =
            is_behind ? static_cast<std::ptrdiff_t>(bytes()) : -static_cast<std::ptrdiff_t>(redzone_);
        runtime::copy_from_gpu(device(), found.data(), address() + static_cast<std::size_t>(first), redzone_);
        if (const auto at = first_overwritten(found)) return first + static_cast<std::ptrdiff_t>(*at);
    }
    return std::nullopt;
}

} // namespace swirl::planning
