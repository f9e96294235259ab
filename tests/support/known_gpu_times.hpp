#pragma once

#include "problem/syntax.hpp"
#include "search/gpu_timekeeper.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {

/// A GPU of which all times are known beforehand: timing a recipe takes `cost` seconds of its clock, whatever it finds.
class KnownGpuTimes final : public GpuTimekeeper {
public:
    /// Seconds of a recipe; negative where it cannot be built.
    using Seconds = std::function<double(const std::string& recipe)>;
    explicit KnownGpuTimes(Seconds seconds, double cost = 0.01) : seconds_(std::move(seconds)), cost_(cost) {}

    std::vector<std::string> timed; ///< recipes, in order

    double now() override { return now_; }

    void race(const Problem&, std::span<GpuContender> contenders, double until, const Seen& seen) override {
        for (std::size_t i = 0; i < contenders.size() && (i == 0 || now_ + cost_ <= until); ++i) {
            now_ += cost_;
            const std::string recipe = planning::to_string(contenders[i].recipe);
            const double seconds = seconds_(recipe);
            contenders[i].fits = seconds >= 0;
            if (!contenders[i].fits) continue;
            contenders[i].seconds = seconds;
            timed.push_back(recipe);
            seen(i);
        }
    }

private:
    Seconds seconds_;
    double cost_;
    double now_ = 0;
};

} // namespace swirl::search
