#pragma once

#include "gemm/cpu/schedule.hpp"
#include "plan/gemm/cpu/kernels.hpp"
#include "runtime/cpu/aligned_buffer.hpp"
#include "search/timer/timer.hpp"

#include <swirl/matrix_product.hpp>

#include <deque>
#include <functional>
#include <vector>

namespace swirl::search {

/// The extents of the square GEMMs that a schedule of packed blocks is tuned for.
std::vector<Integer> tuned_extents();

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

/// Runs schedules of packed blocks on this machine, on one thread, on contiguous column-major square matrices. Measures
/// thread CPU time.
class CpuGemmRuns {
public:
    /// Unless it may migrate, the calling thread stays on one processor while it times.
    CpuGemmRuns(DataType data_type, std::vector<Integer> extents, bool may_migrate = false);

    DataType data_type() const { return data_type_; }

    struct Comparison {
        double seconds = 0; ///< of the other schedule, at the largest extent; 0 if a smaller one settled it
        double speedup = 1; ///< over the other schedule, over all extents
    };
    /// Called before each execution, unless empty; may throw to end the timing.
    using Interrupt = std::function<void()>;
    /// Times a schedule and another one interleaved.
    Comparison compare(const gemm::BlockedGemm& schedule, const gemm::BlockedGemm& other, Care care,
                       const Interrupt& interrupt = {});
    /// Seconds of a GEMM of the largest extent.
    double seconds(const gemm::BlockedGemm& schedule, const Interrupt& interrupt = {});

    /// Square GEMMs of one extent, timed interleaved for about so many seconds.
    MatrixRates rates(const std::vector<gemm::BlockedGemm>& schedules, Integer extent, double seconds);

private:
    planning::MatrixKernels& kernels_of(const gemm::BlockedGemm& schedule);
    /// Seconds of one GEMM.
    double run(planning::MatrixKernels& kernels, Integer extent, const Interrupt& interrupt = {});
    Comparison compare_at(Integer extent, planning::MatrixKernels& kernels, planning::MatrixKernels& others,
                          int rounds, const Interrupt& interrupt);

    DataType data_type_;
    std::vector<Integer> extents_;
    bool may_migrate_;
    runtime::AlignedBuffer a_, b_, c_;
    std::deque<planning::MatrixKernels> kernels_; ///< of the schedules run so far
};

} // namespace swirl::search
