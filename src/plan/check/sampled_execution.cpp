#include "plan/check/sampled_execution.hpp"

#include "plan/check/write_watch.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace swirl::planning {

namespace {

std::span<std::byte> bytes_of(const ProblemData& data, std::size_t array, Integer first, Integer count) {
    return data.buffers()[array].span_of<std::byte>().subspan(static_cast<std::size_t>(first),
                                                              static_cast<std::size_t>(count));
}

} // namespace

SampledExecution::SampledExecution(const BatchSample& sample, std::string plan)
    : sample_(sample), plan_(std::move(plan)), batch_(sample.batch()) {}

void SampledExecution::run(ProblemData& sampled, const std::function<void(ProblemData&)>& execute) {
    batch_.clear();
    for (const BatchSample::Window& window : sample_.windows())
        std::ranges::copy(bytes_of(sampled, window.array, window.in_sample, window.bytes),
                          bytes_of(batch_, window.array, window.in_batch, window.bytes).begin());
    execute(batch_);
    for (std::size_t k = 0; k < batch_.buffers().size(); ++k)
        if (const auto at = batch_.buffers()[k].written_in_redzones())
            report_write(batch_.arrays()[k], *at, plan_);
    for (const BatchSample::Window& window : sample_.windows()) {
        const auto results = bytes_of(batch_, window.array, window.in_batch, window.bytes);
        std::ranges::copy(results, bytes_of(sampled, window.array, window.in_sample, window.bytes).begin());
        std::ranges::fill(results, poison);
    }
    for (std::size_t k = 0; k < batch_.buffers().size(); ++k)
        if (!batch_.is_written(k))
            if (const auto at = batch_.buffers()[k].written_anywhere())
                report_write(batch_.arrays()[k], *at, plan_);
}

} // namespace swirl::planning
