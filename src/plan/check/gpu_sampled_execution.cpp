#include "plan/check/gpu_sampled_execution.hpp"

#include "plan/check/write_watch.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace swirl::planning {

namespace {

std::byte* on_host(const ProblemData& data, const BatchSample::Window& window) {
    return data.buffers()[window.array].as<std::byte>() + window.in_sample;
}

} // namespace

GpuSampledExecution::GpuSampledExecution(const runtime::GpuDevice& device, const BatchSample& sample,
                                         std::string plan)
    : sample_(sample), plan_(std::move(plan)), arrays_(problem_arrays(sample.batch())) {
    std::vector<void*> at;
    for (const ProblemArray& array : arrays_) {
        buffers_.emplace_back(device, static_cast<std::size_t>(array.bytes));
        at.push_back(
            reinterpret_cast<void*>(buffers_.back().address() + static_cast<std::size_t>(array.before)));
    }
    given_ = ProblemArguments(arrays_, at);
}

runtime::cuda::Address GpuSampledExecution::address_of(const BatchSample::Window& window) const {
    return buffers_[window.array].address() + static_cast<std::size_t>(window.in_batch);
}

void GpuSampledExecution::run(ProblemData& sampled, const std::function<void(const Arguments&)>& execute) {
    const runtime::GpuDevice& device = buffers_.front().device();
    const auto stream = runtime::GpuStream::borrowed(device, nullptr);
    for (const GuardedGpuBuffer& buffer : buffers_)
        if (buffer.bytes() > 0)
            runtime::fill_on_gpu(stream, buffer.address(), std::to_integer<std::uint8_t>(poison),
                                 buffer.bytes());
    device.synchronize();
    for (const BatchSample::Window& window : sample_.windows())
        runtime::copy_to_gpu(device, address_of(window), on_host(sampled, window),
                             static_cast<std::size_t>(window.bytes));
    device.synchronize(); // a small copy may still be in flight
    execute(given_.get());
    device.synchronize();
    for (std::size_t k = 0; k < buffers_.size(); ++k)
        if (const auto at = buffers_[k].written_in_redzones()) report_write(arrays_[k], *at, plan_);
    for (const BatchSample::Window& window : sample_.windows())
        runtime::copy_from_gpu(device, on_host(sampled, window), address_of(window),
                               static_cast<std::size_t>(window.bytes));
}

} // namespace swirl::planning
