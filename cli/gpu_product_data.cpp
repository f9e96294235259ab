#include "cli/gpu_product_data.hpp"

namespace swirl::cli {

namespace {

/// Address of element (0, 0) of the first matrix; the memory begins with the lowest element.
void* origin(const runtime::GpuBuffer& buffer, const ProductData::HostMemory& memory) {
    return reinterpret_cast<std::byte*>(buffer.address()) - memory.bytes_before_origin;
}

} // namespace

GpuGemmData::GpuGemmData(const runtime::GpuDevice& device, const ProductData& data)
    : data_(data),
      a_(device, data.memory_of_a().bytes),
      b_(device, data.memory_of_b().bytes),
      c_(device, data.memory_of_c().bytes) {
    const auto send = [&](const runtime::GpuBuffer& there, const ProductData::HostMemory& here) {
        runtime::copy_to_gpu(device, there.address(), here.data, here.bytes);
    };
    send(a_, data.memory_of_a());
    send(b_, data.memory_of_b());
    send(c_, data.memory_of_c());
    for (const ProductData::HostMemory& memory : data.memories_of_arrays())
        send(arrays_.emplace_back(device, memory.bytes), memory);
    if (data.product().listed)
        lists_.emplace(device, planning::with_contiguous_batch(data.product()), matrices());
    device.synchronize(); // the last bytes of a small copy may still be in flight
}

planning::GpuMatrixArguments GpuGemmData::matrices() const {
    return {.alpha = data_.alpha(),
            .a = origin(a_, data_.memory_of_a()),
            .b = origin(b_, data_.memory_of_b()),
            .beta = data_.beta(),
            .c = origin(c_, data_.memory_of_c())};
}

void GpuGemmData::execute(const planning::GpuMatrixPlan& plan, runtime::cuda::Stream stream) const {
    std::vector<const void*> arrays;
    for (const runtime::GpuBuffer& array : arrays_)
        arrays.push_back(reinterpret_cast<const void*>(array.address()));
    planning::GpuMatrixArguments arguments = lists_ ? lists_->of(matrices()) : matrices();
    arguments.arrays = arrays;
    plan.execute(arguments, stream);
}

std::size_t GpuGemmData::bytes() const {
    std::size_t result = a_.bytes() + b_.bytes() + c_.bytes();
    for (const runtime::GpuBuffer& array : arrays_) result += array.bytes();
    return result;
}

void GpuGemmData::copy_back() const {
    c_.device().synchronize();
    const ProductData::HostMemory memory = data_.memory_of_c();
    runtime::copy_from_gpu(c_.device(), memory.data, c_.address(), memory.bytes);
    const std::vector<ProductData::HostMemory> arrays = data_.memories_of_arrays();
    const std::size_t read = arrays.size() - data_.product().reductions.size();
    for (std::size_t k = read; k < arrays.size(); ++k)
        runtime::copy_from_gpu(c_.device(), arrays[k].data, arrays_[k].address(), arrays[k].bytes);
}

} // namespace swirl::cli
