#pragma once

#include "plan/gemm/gpu/lists.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "runtime/cuda/memory.hpp"
#include "search/candidates/gpu/gemm_code.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl::search {

/// How products are timed in a search, several interleaved.
const InterleavedTimingOptions in_rotation{.seconds = 30e-3, .warm_up = 2e-3, .sample = 5e-4};

/// Compiles plans, several in parallel, and times them interleaved on a GPU, cycling through matrices that together
/// exceed its caches (for a small GEMM: within them).
class GpuGemmRuns {
public:
    /// Throws OutOfMemory if the matrices do not fit in memory.
    GpuGemmRuns(const runtime::GpuDevice& device, const MatrixProduct& product, bool use_cache);

    const MatrixProduct& product() const { return product_; }
    /// Called on the caller's thread before each compilation and each sample, unless empty; may throw to end them.
    using Interrupt = std::function<void()>;
    /// Compiles each schedule; executes none.
    std::vector<CompiledGemm> compile(std::span<const gemm::GpuGemmSchedule> schedules,
                                      const Interrupt& interrupt = {});
    /// Seconds of one execution per schedule, timed interleaved; infinite if a schedule cannot be built.
    std::vector<double> seconds(std::span<const gemm::GpuGemmSchedule> schedules,
                                const Interrupt& interrupt = {},
                                InterleavedTimingOptions options = in_rotation);

private:
    struct Matrices {
        runtime::GpuBuffer a, b, c;
        std::vector<runtime::GpuBuffer> arrays; ///< given_arrays_of the product
        /// Arrays of pointers to them, for a GEMM that takes pointer arrays.
        std::optional<planning::GpuMatrixLists> lists = {};

        std::size_t bytes() const;
    };
    using Plan = std::shared_ptr<const planning::GpuMatrixPlan>;
    struct Built {
        gemm::GpuGemmSchedule schedule;
        Plan plan; ///< null: not built
        std::string failed_because;
    };

    void add_matrices();
    runtime::GpuBuffer filled(DataType data_type, Integer count) const;
    Built build(const gemm::GpuGemmSchedule& schedule) const;
    std::vector<Built> built(std::span<const gemm::GpuGemmSchedule> schedules, const Interrupt& interrupt);
    planning::GpuMatrixArguments arguments(const Matrices& matrices) const;
    void execute(const planning::GpuMatrixPlan& plan, const Matrices& matrices) const;

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    MatrixProduct product_;
    MatrixProduct strided_; ///< the same GEMM as a strided batch
    bool use_cache_;
    std::array<Extent, 3> extents_; ///< of A, B and C
    std::deque<Matrices> sets_;
    std::deque<Built> built_; ///< most recently used plans, newest at the back
};

} // namespace swirl::search
