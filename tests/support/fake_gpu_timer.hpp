#pragma once

#include "problem/syntax.hpp"
#include "search/timer/gpu_transform_timer.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {

/// A fake GPU timer with known times: timing a schedule takes `cost` seconds of its clock, whatever the result.
class FakeGpuTimer final : public GpuTransformTimer {
public:
    /// Seconds of a schedule; negative if it cannot be built.
    using Seconds = std::function<double(const std::string& schedule)>;
    explicit FakeGpuTimer(Seconds seconds, double cost = 0.01) : seconds_(std::move(seconds)), cost_(cost) {}

    std::vector<std::string> timed; ///< schedules, in order

    double now() override { return now_; }

    void benchmark(const Transform&, std::span<GpuTransformCandidate> candidates, double deadline,
                   const Seen& seen) override {
        for (std::size_t i = 0; i < candidates.size() && (i == 0 || now_ + cost_ <= deadline); ++i) {
            now_ += cost_;
            const std::string schedule = planning::to_string(candidates[i].schedule);
            const double seconds = seconds_(schedule);
            candidates[i].fits = seconds >= 0;
            if (!candidates[i].fits) continue;
            candidates[i].seconds = seconds;
            timed.push_back(schedule);
            seen(i);
        }
    }

private:
    Seconds seconds_;
    double cost_;
    double now_ = 0;
};

} // namespace swirl::search
