#include "fuzz/on_gpu.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace swirl::fuzz {
namespace {

constexpr std::uintptr_t gpu_alignment = 256; // that memory of a GPU begins at

std::size_t shift_of(const GuardedMemory& host) {
    return reinterpret_cast<std::uintptr_t>(host.data()) % gpu_alignment;
}

std::size_t bytes_of(const GuardedMemory& host) { return static_cast<std::size_t>(host.bytes()); }

} // namespace

OnGpu::OnGpu(GuardedMemory& host)
    : host_(host),
      memory_(shift_of(host) + bytes_of(host)),
      first_(static_cast<std::byte*>(memory_.data()) + shift_of(host)) {
    std::vector<std::byte> all(memory_.bytes());
    std::copy_n(host.data(), host.bytes(), all.begin() + static_cast<std::ptrdiff_t>(shift_of(host)));
    memory_.copy_from(all.data(), all.size());
}

void OnGpu::fetch() {
    std::vector<std::byte> all(memory_.bytes());
    memory_.copy_to(all.data(), all.size());
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(shift_of(host_)), host_.bytes(), host_.data());
}

WorkspaceOnGpu::WorkspaceOnGpu(std::size_t bytes)
    : host_("workspace", 0, static_cast<Integer>(bytes)), on_gpu_(host_) {
    host_.save();
}

Workspace WorkspaceOnGpu::given(bool bring) const {
    const auto bytes = static_cast<std::size_t>(host_.end());
    return bring && bytes > 0 ? Workspace{on_gpu_.as<std::byte>(), bytes} : Workspace{};
}

void WorkspaceOnGpu::require_unharmed() {
    host_.allow(0, host_.end());
    host_.require_unharmed();
}

} // namespace swirl::fuzz
