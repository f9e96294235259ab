#pragma once

#include "gemm/schedule.hpp"
#include "plan/matrix_kernels.hpp"
#include "runtime/aligned_buffer.hpp"

#include <swirl/matrix_product.hpp>

#include <deque>
#include <vector>

namespace swirl::search {

/// What a search for schedules asks of the world: the time, and how fast schedules are. Tests put one in its place that knows.
class MatrixTimekeeper {
public:
    virtual ~MatrixTimekeeper() = default;

    /// Seconds on a clock that only this has.
    virtual double now() = 0;

    /// How many times as fast as another schedule one is, square products of some extents taken together.
    virtual double speedup(const gemm::Schedule& schedule, const gemm::Schedule& other, int rounds) = 0;

    /// Seconds of a square product of the largest of these extents.
    virtual double seconds(const gemm::Schedule& schedule) = 0;

    virtual const std::vector<Integer>& extents() const = 0;
};

/// Real additions and multiplications of a product of square matrices.
double flops_of_square(Number number, Integer extent);

/// Several schedules in the same rounds.
struct MatrixRates {
    struct Rate {
        double median = 0; ///< flops a second
        double best = 0;
        double ratio = 1; ///< median, over the rounds, of how many times as fast as the first one it is
    };
    std::vector<Rate> schedules;
    double peak = 0; ///< the median of multiply-adds in registers, in the same rounds
};

/// Runs them on this machine, one thread, on contiguous matrices stored by columns. What counts is the thread's own time.
class MachineMatrixTimekeeper final : public MatrixTimekeeper {
public:
    MachineMatrixTimekeeper(Number number, std::vector<Integer> extents);

    double now() override;
    double speedup(const gemm::Schedule& schedule, const gemm::Schedule& other, int rounds) override;
    double seconds(const gemm::Schedule& schedule) override;
    const std::vector<Integer>& extents() const override { return extents_; }

    /// Square products of one extent, in turns for about so many seconds.
    MatrixRates rates(const std::vector<gemm::Schedule>& schedules, Integer extent, double seconds);

private:
    planning::MatrixKernels& kernels_of(const gemm::Schedule& schedule);
    /// Seconds of one product.
    double run(planning::MatrixKernels& kernels, Integer extent);
    double speedup_at(Integer extent, planning::MatrixKernels& kernels, planning::MatrixKernels& others,
                      int rounds);

    Number number_;
    std::vector<Integer> extents_;
    runtime::AlignedBuffer a_, b_, c_;
    std::deque<planning::MatrixKernels> kernels_; ///< of the schedules that were run
};

} // namespace swirl::search
