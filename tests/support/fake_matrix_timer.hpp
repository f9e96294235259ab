#pragma once

#include "search/timer/matrix_timer.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace swirl::search {

/// A fake timer with known times for all schedules; asking for one takes `cost` seconds of its clock.
class FakeMatrixTimer final : public MatrixTimer {
public:
    using Seconds = std::function<double(const gemm::BlockedGemm&)>;
    explicit FakeMatrixTimer(Seconds seconds, double cost = 0.01)
        : seconds_(std::move(seconds)), cost_(cost) {}

    std::vector<gemm::BlockedGemm> asked; ///< for speedups

    double now() override { return now_; }
    double speedup(const gemm::BlockedGemm& schedule, const gemm::BlockedGemm& other, int) override {
        asked.push_back(schedule);
        now_ += cost_;
        return seconds_(other) / seconds_(schedule);
    }
    double seconds(const gemm::BlockedGemm& schedule) override { return seconds_(schedule); }
    const std::vector<Integer>& extents() const override { return extents_; }

private:
    Seconds seconds_;
    double cost_;
    double now_ = 0;
    std::vector<Integer> extents_ = {4000};
};

} // namespace swirl::search
