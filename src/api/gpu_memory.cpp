#include <swirl/gpu.hpp>

#include "base/error.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <memory>

namespace swirl::gpu {

struct Memory::State {
    runtime::GpuBuffer buffer;
};

Memory::Memory(std::size_t bytes, int ordinal)
    : state_(std::make_unique<State>(State{runtime::GpuBuffer(runtime::device_numbered(ordinal), bytes)})) {}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

void* Memory::data() const { return reinterpret_cast<void*>(state_->buffer.address()); }
std::size_t Memory::bytes() const { return state_->buffer.bytes(); }

namespace {

void require_capacity(std::size_t bytes, std::size_t capacity) {
    if (bytes > capacity)
        throw UserError("a copy of {} bytes exceeds the GPU buffer of {} bytes", bytes, capacity);
}

} // namespace

void Memory::copy_from(const void* host, std::size_t bytes) {
    require_capacity(bytes, this->bytes());
    if (bytes == 0) return;
    const runtime::GpuDevice& device = state_->buffer.device();
    device.synchronize();
    runtime::copy_to_gpu(device, state_->buffer.address(), host, bytes);
    device.synchronize(); // a small copy may still be in flight
}

void Memory::copy_to(void* host, std::size_t bytes) const {
    require_capacity(bytes, this->bytes());
    if (bytes == 0) return;
    const runtime::GpuDevice& device = state_->buffer.device();
    device.synchronize();
    runtime::copy_from_gpu(device, host, state_->buffer.address(), bytes);
}

} // namespace swirl::gpu
