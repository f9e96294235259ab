#include "runtime/cuda/memory.hpp"

#include "base/error.hpp"

#include <array>
#include <string>
#include <utility>

namespace swirl::runtime {
namespace {

cuda::Address address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::string in_words(const PointerLocation& location) {
    switch (location.kind) {
    case PointerLocation::Kind::host: return "memory of the host";
    case PointerLocation::Kind::pinned_host: return "pinned memory of the host";
    case PointerLocation::Kind::managed: return "managed memory";
    case PointerLocation::Kind::gpu: return fmt::format("memory of GPU {}", location.gpu);
    }
    return {};
}

[[noreturn]] void throw_out_of_memory(const GpuDevice& device, std::size_t bytes) {
    const auto [free, total] = device.memory();
    throw OutOfMemory("{} cannot allocate {} bytes: {} of its {} bytes are free", device.description(), bytes,
                      free, total);
}

} // namespace

GpuBuffer::GpuBuffer(const GpuDevice& device, std::size_t bytes) : device_(device), bytes_(bytes) {
    if (bytes == 0) return;
    const CudaDriver& driver = device_.driver();
    const CurrentGpu current(device_);
    const cuda::Result result = driver->cuMemAlloc(&address_, bytes);
    if (result == cuda::out_of_memory) throw_out_of_memory(device_, bytes);
    driver.check(result, "cuMemAlloc");
}

GpuBuffer::~GpuBuffer() {
    if (address_ != 0) release_on(device_, [&] { device_.driver()->cuMemFree(address_); });
}

GpuBuffer::GpuBuffer(GpuBuffer&& other) noexcept
    : device_(other.device_),
      address_(std::exchange(other.address_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

GpuBuffer& GpuBuffer::operator=(GpuBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

PinnedBuffer::PinnedBuffer(const GpuDevice& device, std::size_t bytes) : device_(device), bytes_(bytes) {
    if (bytes == 0) return;
    const CudaDriver& driver = device_.driver();
    const CurrentGpu current(device_);
    const cuda::Result result = driver->cuMemAllocHost(&memory_, bytes);
    if (result == cuda::out_of_memory)
        throw OutOfMemory("the host cannot allocate {} bytes of pinned memory", bytes);
    driver.check(result, "cuMemAllocHost");
}

PinnedBuffer::~PinnedBuffer() {
    if (memory_ != nullptr) release_on(device_, [&] { device_.driver()->cuMemFreeHost(memory_); });
}

GpuStreamBuffer::GpuStreamBuffer(const GpuStream& stream, std::size_t bytes) : stream_(stream) {
    constexpr int first_version = 11020;
    const GpuDevice& device = stream.device();
    const CudaDriver& driver = device.driver();
    if (driver->cuMemAllocAsync == nullptr || driver->cuMemFreeAsync == nullptr)
        driver.too_old_for("workspace that is taken from the stream", first_version);
    if (device.attribute(cuda::DeviceAttribute::memory_pools) == 0)
        throw Unavailable("{} has no stream-ordered allocator; pass a workspace of {} bytes",
                          device.description(), bytes);
    const CurrentGpu current(device);
    const cuda::Result result = driver->cuMemAllocAsync(&address_, bytes, stream.handle());
    if (result == cuda::out_of_memory) throw_out_of_memory(device, bytes);
    driver.check(result, "cuMemAllocAsync");
}

GpuStreamBuffer::~GpuStreamBuffer() {
    const GpuDevice& device = stream_.device();
    release_on(device, [&] { device.driver()->cuMemFreeAsync(address_, stream_.handle()); });
}

void copy_to_gpu(const GpuDevice& device, cuda::Address to, const void* from, std::size_t bytes) {
    const CurrentGpu current(device);
    device.driver().check(device.driver()->cuMemcpyHtoD(to, from, bytes), "cuMemcpyHtoD");
}

void copy_from_gpu(const GpuDevice& device, void* to, cuda::Address from, std::size_t bytes) {
    const CurrentGpu current(device);
    device.driver().check(device.driver()->cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
}

void copy_to_gpu(const GpuStream& stream, cuda::Address to, const void* from, std::size_t bytes) {
    const CurrentGpu current(stream.device());
    const CudaDriver& driver = stream.device().driver();
    driver.check(driver->cuMemcpyHtoDAsync(to, from, bytes, stream.handle()), "cuMemcpyHtoDAsync");
}

void copy_from_gpu(const GpuStream& stream, void* to, cuda::Address from, std::size_t bytes) {
    const CurrentGpu current(stream.device());
    const CudaDriver& driver = stream.device().driver();
    driver.check(driver->cuMemcpyDtoHAsync(to, from, bytes, stream.handle()), "cuMemcpyDtoHAsync");
}

void copy_on_gpu(const GpuStream& stream, cuda::Address to, cuda::Address from, std::size_t bytes) {
    const CurrentGpu current(stream.device());
    const CudaDriver& driver = stream.device().driver();
    driver.check(driver->cuMemcpyDtoDAsync(to, from, bytes, stream.handle()), "cuMemcpyDtoDAsync");
}

void copy_between_gpus(const GpuStream& stream, const GpuDevice& to_gpu, cuda::Address to,
                       const GpuDevice& from_gpu, cuda::Address from, std::size_t bytes) {
    if (to_gpu.context() == from_gpu.context()) {
        copy_on_gpu(stream, to, from, bytes);
        return;
    }
    const CurrentGpu current(stream.device());
    const CudaDriver& driver = stream.device().driver();
    driver.check(
        driver->cuMemcpyPeerAsync(to, to_gpu.context(), from, from_gpu.context(), bytes, stream.handle()),
        "cuMemcpyPeerAsync");
}

void allow_peer_access(const GpuDevice& device, const GpuDevice& peer) {
    if (device.context() == peer.context()) return;
    const CudaDriver& driver = device.driver();
    int is_possible = 0;
    driver.check(
        driver->cuDeviceCanAccessPeer(&is_possible, device.properties().index, peer.properties().index),
        "cuDeviceCanAccessPeer");
    if (is_possible == 0) return;
    const CurrentGpu current(device);
    const cuda::Result result = driver->cuCtxEnablePeerAccess(peer.context(), 0);
    if (result != cuda::peer_access_already_enabled) driver.check(result, "cuCtxEnablePeerAccess");
}

void fill_on_gpu(const GpuStream& stream, cuda::Address to, std::uint8_t value, std::size_t bytes) {
    const CurrentGpu current(stream.device());
    const CudaDriver& driver = stream.device().driver();
    driver.check(driver->cuMemsetD8Async(to, value, bytes, stream.handle()), "cuMemsetD8Async");
}

namespace {

struct Allocation {
    PointerLocation location;
    cuda::Address begin = 0;
    std::size_t bytes = 0; ///< 0: unknown
};

Allocation allocation_of(const GpuDevice& device, const void* pointer) {
    const CurrentGpu current(device);
    auto type = cuda::MemoryType::unknown;
    unsigned is_managed = 0;
    int ordinal = -1;
    Allocation result;
    std::array names = {cuda::PointerAttribute::memory_type, cuda::PointerAttribute::is_managed,
                        cuda::PointerAttribute::device_ordinal, cuda::PointerAttribute::range_begin,
                        cuda::PointerAttribute::range_bytes};
    std::array<void*, 5> values = {&type, &is_managed, &ordinal, &result.begin, &result.bytes};
    const CudaDriver& driver = device.driver();
    // For an unknown pointer the driver sets these attributes to zero and reports no error.
    driver.check(
        driver->cuPointerGetAttributes(names.size(), names.data(), values.data(), address_of(pointer)),
        "cuPointerGetAttributes");
    using Kind = PointerLocation::Kind;
    if (is_managed != 0)
        result.location = {Kind::managed, ordinal};
    else if (type == cuda::MemoryType::device)
        result.location = {Kind::gpu, ordinal};
    else if (type == cuda::MemoryType::host)
        result.location = {Kind::pinned_host, ordinal};
    else
        result.location = {Kind::host, -1};
    return result;
}

} // namespace

PointerLocation location_of(const GpuDevice& device, const void* pointer) {
    return allocation_of(device, pointer).location;
}

bool is_memory_of(const GpuDevice& device, const void* first, const void* last) {
    const Allocation allocation = allocation_of(device, first);
    if (!is_memory_of(device, allocation.location)) return false;
    const bool is_same = address_of(last) - allocation.begin < allocation.bytes;
    return is_same || is_memory_of(device, location_of(device, last));
}

bool is_memory_of(const GpuDevice& device, const PointerLocation& location) {
    return location.kind == PointerLocation::Kind::managed ||
           (location.kind == PointerLocation::Kind::gpu && location.gpu == device.properties().index);
}

void require_memory_of(const GpuDevice& device, const void* pointer, std::string_view argument) {
    if (pointer == nullptr)
        throw UserError("{} is a null pointer; it must point to memory of {}", argument,
                        device.description());
    const PointerLocation location = location_of(device, pointer);
    if (is_memory_of(device, location)) return;
    throw UserError(
        "{} points to {}; memory of {} is needed, as cudaMalloc, cuMemAlloc or cudaMallocManaged "
        "give it",
        argument, in_words(location), device.description());
}

} // namespace swirl::runtime
