#include "search/timer/gpu/timing.hpp"

#include "search/timer/gpu/random_array.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace swirl::search {

namespace {

constexpr std::size_t max_data_sets = 64;
constexpr Integer max_repetitions = 10000;

std::size_t cache_bytes(const runtime::GpuDevice& device) {
    return static_cast<std::size_t>(device.attribute(runtime::cuda::DeviceAttribute::l2_bytes));
}

/// Executions before in-place random data, which grows each time, overflows; at least one.
Integer safe_executions(const Transform& problem) {
    if (problem.placement != Placement::in_place) return max_repetitions;
    const double growth = std::fabs(problem.scale) * std::sqrt(static_cast<double>(transform_size(problem)));
    const Integer allowed =
        runtime::applications_before_overflow(growth, planning::largest_exponent(problem.precision));
    return allowed == 0 ? max_repetitions : allowed; // 0: never overflows
}

class EventTimer {
public:
    /// Of the whole plan, or of one of its kernels.
    explicit EventTimer(const planning::GpuPlan& plan, std::optional<std::size_t> kernel = {})
        : plan_(plan),
          kernel_(kernel),
          device_(plan.device()),
          stream_(device_),
          start_(device_),
          end_(device_),
          data_(device_, plan.problem()),
          workspace_(device_, plan.workspace_bytes()) {
        most_ = safe_executions(plan.problem()) * static_cast<Integer>(data_.sets());
    }

    runtime::Measurement measure(const GpuTimingOptions& options) {
        sample(1); // first-launch overhead
        const Integer few = std::min<Integer>(most_, 10);
        const double first = sample(few);
        const auto wanted = static_cast<Integer>(options.shortest_sample / std::max(first, 1e-9)) + 1;
        const Integer repetitions = std::clamp<Integer>(wanted, 1, std::min(most_, max_repetitions));
        std::vector<double> times;
        const double begin = runtime::monotonic_seconds();
        while (std::ssize(times) < options.min_samples ||
               (std::ssize(times) < options.max_samples &&
                runtime::monotonic_seconds() - begin < options.budget))
            times.push_back(sample(repetitions));
        runtime::Measurement result = runtime::summarize(times);
        result.repetitions = repetitions * std::ssize(times);
        return result;
    }

private:
    /// Mean seconds per execution over `repetitions`.
    double sample(Integer repetitions) {
        if (executed_ + repetitions > most_) {
            data_.restore();
            executed_ = 0;
        }
        start_.record(stream_);
        const planning::GpuWorkspace workspace{reinterpret_cast<void*>(workspace_.address()),
                                               workspace_.bytes()};
        for (Integer k = 0; k < repetitions; ++k) {
            if (kernel_)
                plan_.execute_kernel(*kernel_, data_.arguments(next_++), stream_.handle(), workspace);
            else
                plan_.execute(data_.arguments(next_++), stream_.handle(), workspace);
        }
        end_.record(stream_);
        end_.synchronize();
        executed_ += plan_.problem().placement == Placement::in_place ? repetitions : 0;
        return end_.seconds_since(start_) / static_cast<double>(repetitions);
    }

    const planning::GpuPlan& plan_;
    std::optional<std::size_t> kernel_;
    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    runtime::GpuEvent start_, end_;
    GpuTimingData data_;
    runtime::GpuBuffer workspace_;
    std::size_t next_ = 0;
    Integer most_ = 1;     ///< executions over all sets before data overflows
    Integer executed_ = 0; ///< since the data was reset
};

} // namespace

GpuTimingData::GpuTimingData(const runtime::GpuDevice& device, const Transform& problem)
    : stream_(device), arrays_(planning::problem_arrays(problem)) {
    std::size_t bytes = 1;
    for (const planning::ProblemArray& array : arrays_) bytes += static_cast<std::size_t>(array.bytes);
    const std::size_t wanted = 4 * cache_bytes(device) / bytes + 1;
    const std::size_t capacity = device.memory().free / 2 / bytes;
    const std::size_t count = std::clamp<std::size_t>(std::min(wanted, capacity), 1, max_data_sets);
    for (std::size_t k = 0; k < count; ++k) {
        Set& set = sets_.emplace_back();
        std::vector<void*> at;
        for (const planning::ProblemArray& array : arrays_) {
            set.buffers.emplace_back(device, static_cast<std::size_t>(array.bytes));
            at.push_back(reinterpret_cast<void*>(set.buffers.back().address() +
                                                 static_cast<std::size_t>(array.before)));
        }
        set.given = planning::ProblemArguments(arrays_, at);
    }
    restore();
}

void GpuTimingData::restore() {
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const runtime::GpuBuffer& first = sets_.front().buffers[k];
        fill_randomly(stream_, first.address(), arrays_[k].precision, first.bytes());
        for (std::size_t set = 1; set < sets_.size(); ++set)
            runtime::copy_on_gpu(stream_, sets_[set].buffers[k].address(), first.address(), first.bytes());
    }
    stream_.synchronize();
}

runtime::Measurement time_on_gpu(const planning::GpuPlan& plan, const GpuTimingOptions& options) {
    return EventTimer(plan).measure(options);
}

std::vector<runtime::Measurement> time_kernels_on_gpu(const planning::GpuPlan& plan,
                                                      const GpuTimingOptions& options) {
    std::vector<runtime::Measurement> result;
    for (std::size_t k = 0; k < plan.kernels().size(); ++k)
        result.push_back(EventTimer(plan, k).measure(options));
    return result;
}

double copy_bandwidth(const runtime::GpuDevice& device) {
    constexpr int rounds = 10;
    const std::size_t most = device.memory().free / 4;
    const std::size_t bytes =
        std::min(most, std::max<std::size_t>(std::size_t{1} << 28, 8 * cache_bytes(device)));
    const runtime::GpuBuffer from(device, bytes), to(device, bytes);
    const runtime::GpuStream stream(device);
    const runtime::GpuEvent start(device), end(device);
    runtime::fill_on_gpu(stream, from.address(), 1, bytes);
    double fastest = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= rounds; ++k) { // the first iteration warms up
        start.record(stream);
        runtime::copy_on_gpu(stream, to.address(), from.address(), bytes);
        end.record(stream);
        end.synchronize();
        if (k > 0) fastest = std::min(fastest, end.seconds_since(start));
    }
    return 2 * static_cast<double>(bytes) / fastest;
}

} // namespace swirl::search
