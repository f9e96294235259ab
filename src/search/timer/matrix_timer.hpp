#pragma once

#include "gemm/cpu/schedule.hpp"
#include "plan/matrix_kernels.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <swirl/matrix_product.hpp>

#include <deque>
#include <vector>

namespace swirl::search {

/// Clock and benchmark for a search over schedules. Tests substitute a fake.
class MatrixTimer {
public:
    virtual ~MatrixTimer() = default;

    /// Seconds on the timer's own clock.
    virtual double now() = 0;

    /// Speedup of one schedule over another, over square GEMMs of several extents.
    virtual double speedup(const gemm::BlockedGemm& schedule, const gemm::BlockedGemm& other, int rounds) = 0;

    /// Seconds of a square GEMM of the largest extent.
    virtual double seconds(const gemm::BlockedGemm& schedule) = 0;

    virtual const std::vector<Integer>& extents() const = 0;
};

/// Real additions and multiplications of a GEMM of square matrices.
double flops_of_square(DataType data_type, Integer extent);

/// Several schedules timed in the same rounds.
struct MatrixRates {
    struct Rate {
        double median = 0; ///< flops per second
        double best = 0;
        double ratio = 1; ///< median over the rounds of the speedup over the first schedule
    };
    std::vector<Rate> schedules;
    double peak = 0; ///< median rate of multiply-adds in registers, in the same rounds
};

/// Runs schedules on this machine, on one thread, on contiguous column-major matrices. Measures thread CPU time.
class HostMatrixTimer final : public MatrixTimer {
public:
    HostMatrixTimer(DataType data_type, std::vector<Integer> extents);

    double now() override;
    double speedup(const gemm::BlockedGemm& schedule, const gemm::BlockedGemm& other, int rounds) override;
    double seconds(const gemm::BlockedGemm& schedule) override;
    const std::vector<Integer>& extents() const override { return extents_; }

    /// Square GEMMs of one extent, timed interleaved for about so many seconds.
    MatrixRates rates(const std::vector<gemm::BlockedGemm>& schedules, Integer extent, double seconds);

private:
    planning::MatrixKernels& kernels_of(const gemm::BlockedGemm& schedule);
    /// Seconds of one GEMM.
    double run(planning::MatrixKernels& kernels, Integer extent);
    double speedup_at(Integer extent, planning::MatrixKernels& kernels, planning::MatrixKernels& others,
                      int rounds);

    DataType data_type_;
    std::vector<Integer> extents_;
    runtime::AlignedBuffer a_, b_, c_;
    std::deque<planning::MatrixKernels> kernels_; ///< of the schedules run so far
};

} // namespace swirl::search
