#include "cufft/descriptors.hpp"

#include "runtime/cuda/memory.hpp"

namespace swirl::cufft {
namespace {

struct Owned {
    Descriptor descriptor{};
    Memories memories{};
    runtime::GpuBuffer buffer;
};

const Memories& memories_of(const Descriptor* descriptor) {
    require(descriptor != nullptr && descriptor->memories != nullptr && descriptor->memories->count == 1,
            Status::invalid_value);
    return *descriptor->memories;
}

runtime::cuda::Address address_of(const Descriptor* descriptor) {
    return reinterpret_cast<runtime::cuda::Address>(data_of(descriptor));
}

} // namespace

Descriptor* make_descriptor(const Plan& plan, SubFormat format) {
    const runtime::GpuDevice& device = plan.device();
    auto owned = std::make_unique<Owned>(Owned{.buffer = {device, plan.bytes_of(format)}});
    Memories& memories = owned->memories;
    memories.version = descriptor_version;
    memories.count = 1;
    memories.ordinals[0] = device.properties().index;
    memories.data[0] = reinterpret_cast<void*>(owned->buffer.address());
    memories.bytes[0] = owned->buffer.bytes();
    memories.state = owned.get();
    owned->descriptor = {descriptor_version, &memories, 0, format, nullptr};
    return &owned.release()->descriptor;
}

void free_descriptor(Descriptor* descriptor) {
    const std::unique_ptr<Owned> owned(static_cast<Owned*>(memories_of(descriptor).state));
}

void* data_of(const Descriptor* descriptor) { return memories_of(descriptor).data[0]; }

void copy_to_descriptor(const Plan& plan, Descriptor* to, const void* from) {
    require(from != nullptr, Status::invalid_value);
    const std::size_t bytes = memories_of(to).bytes[0];
    plan.device().synchronize();
    runtime::copy_to_gpu(plan.device(), address_of(to), from, bytes);
    plan.device().synchronize(); // a small copy may still be in flight
}

void copy_from_descriptor(const Plan& plan, void* to, const Descriptor* from) {
    require(to != nullptr, Status::invalid_value);
    plan.device().synchronize();
    runtime::copy_from_gpu(plan.device(), to, address_of(from), memories_of(from).bytes[0]);
}

void copy_between_descriptors(const Plan& plan, Descriptor* to, const Descriptor* from) {
    const std::size_t bytes = memories_of(from).bytes[0];
    require(memories_of(to).bytes[0] == bytes, Status::invalid_value);
    const runtime::GpuDevice& device = plan.device();
    device.synchronize();
    runtime::copy_on_gpu(runtime::GpuStream::borrowed(device, nullptr), address_of(to), address_of(from),
                         bytes);
    device.synchronize();
    to->format = from->format;
}

} // namespace swirl::cufft
