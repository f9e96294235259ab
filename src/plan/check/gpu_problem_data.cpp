#include "plan/check/gpu_problem_data.hpp"

#include "base/error.hpp"

namespace swirl::planning {

GpuProblemData::GpuProblemData(const runtime::GpuDevice& device, const ProblemData& host, Redzones redzones)
    : device_(device), redzones_(redzones) {
    for (const GuardedBuffer& buffer : host.buffers()) buffers_.emplace_back(device, copied(buffer).size());
    const auto there = [&](const void* pointer) -> void* {
        if (pointer == nullptr) return nullptr;
        for (std::size_t k = 0; k < buffers_.size(); ++k) {
            const auto bytes = copied(host.buffers()[k]);
            const std::ptrdiff_t offset = static_cast<const std::byte*>(pointer) - bytes.data();
            if (offset >= 0 && offset < std::ssize(bytes))
                return reinterpret_cast<void*>(buffers_[k].address() + static_cast<std::size_t>(offset));
        }
        throw InternalError("an argument outside of the problem's data");
    };
    const Arguments on_host = host.arguments();
    arguments_ = {.input = there(on_host.input),
                  .output = there(on_host.output),
                  .input_imaginary = there(on_host.input_imaginary),
                  .output_imaginary = there(on_host.output_imaginary)};
    for (const ArrayArgument& array : on_host.arrays)
        auxiliary_.push_back({there(array.data), there(array.imaginary)});
    arguments_.arrays = auxiliary_;
}

std::span<std::byte> GpuProblemData::copied(const GuardedBuffer& buffer) const {
    return redzones_ == Redzones::copied ? buffer.with_redzones() : buffer.span_of<std::byte>();
}

void GpuProblemData::copy_from(const ProblemData& host) {
    for (std::size_t k = 0; k < buffers_.size(); ++k)
        runtime::copy_to_gpu(device_, buffers_[k].address(), copied(host.buffers()[k]).data(),
                             buffers_[k].bytes());
    device_.synchronize(); // a small copy may still be in flight
}

void GpuProblemData::copy_to(ProblemData& host) const {
    device_.synchronize();
    for (std::size_t k = 0; k < buffers_.size(); ++k)
        runtime::copy_from_gpu(device_, copied(host.buffers()[k]).data(), buffers_[k].address(),
                               buffers_[k].bytes());
}

} // namespace swirl::planning
