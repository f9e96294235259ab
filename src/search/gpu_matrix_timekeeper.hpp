#pragma once

#include "plan/gpu_matrix_lists.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "runtime/cuda_memory.hpp"
#include "search/gpu_matrix_search.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl::search {

/// Compiles plans, several at once, and runs them on a GPU in turn, around matrices that together are beyond its caches (of a product
/// that is small, within them). Its clock stands while it fills them.
class DeviceMatrixTimekeeper final : public GpuMatrixTimekeeper {
public:
    /// GpuOutOfMemory where the product's matrices have no room.
    DeviceMatrixTimekeeper(const runtime::GpuDevice& device, const MatrixProduct& product, bool use_cache);

    double now() override;
    std::vector<GpuMatrixCode> codes(std::span<const gemm::GpuSchedule> schedules) override;
    std::vector<double> seconds(std::span<const gemm::GpuSchedule> schedules) override;

private:
    struct Matrices {
        runtime::GpuBuffer a, b, c;
        std::vector<runtime::GpuBuffer> arrays; ///< given_arrays_of the product
        std::optional<planning::GpuMatrixLists> lists =
            {}; ///< of pointers to them, where the product has such

        std::size_t bytes() const;
    };
    using Plan = std::shared_ptr<const planning::GpuMatrixPlan>;
    struct Built {
        gemm::GpuSchedule schedule;
        Plan plan; ///< null: there is none
        std::string failed_because;
    };

    void add_matrices();
    runtime::GpuBuffer filled(Number number, Integer count) const;
    Built build(const gemm::GpuSchedule& schedule) const;
    std::vector<Built> built(std::span<const gemm::GpuSchedule> schedules);
    planning::GpuMatrixArguments arguments(const Matrices& matrices) const;
    void execute(const planning::GpuMatrixPlan& plan, const Matrices& matrices) const;

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    MatrixProduct product_;
    MatrixProduct strided_; ///< the same with its batch at strides
    bool use_cache_;
    std::array<Extent, 3> extents_; ///< of A, B and C
    std::deque<Matrices> sets_;
    std::deque<Built> built_;      ///< those last asked for, the last ones at the end
    double preparing_seconds_ = 0; ///< matrices, which are no part of a search's time
};

} // namespace swirl::search
