#include "plan/check/gpu_problem_data.hpp"

namespace swirl::planning {

GpuProblemData::GpuProblemData(const runtime::GpuDevice& device, const ProblemData& host, Redzones redzones)
    : device_(device), redzones_(redzones) {
    std::vector<void*> at;
    for (std::size_t k = 0; k < host.buffers().size(); ++k) {
        const GuardedBuffer& buffer = host.buffers()[k];
        const std::span<std::byte> bytes = copied(buffer);
        buffers_.emplace_back(device, bytes.size());
        const std::ptrdiff_t zero = buffer.as<std::byte>() - bytes.data() + host.arrays()[k].before;
        at.push_back(reinterpret_cast<void*>(buffers_.back().address() + static_cast<std::size_t>(zero)));
    }
    given_ = ProblemArguments(host.arrays(), at);
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
