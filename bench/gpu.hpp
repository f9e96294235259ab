#pragma once

#include "bench/measurement.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"

#include <swirl/plan.hpp>

#include <vector>

namespace swirl::bench {

/// The GPU in use and the stream in which all libraries work.
struct GpuInUse {
    runtime::GpuDevice device;
    runtime::GpuStream stream;
    double copy_bytes_per_second = 0; ///< read and written together
};

std::unique_ptr<Measurement> measurement_on_gpu(const Transform& problem, const Options& options,
                                                const GpuInUse& gpu);
std::unique_ptr<Measurement> measurement_on_gpu(const MatrixProduct& product, const Options& options,
                                                const GpuInUse& gpu);

/// What the two have in common: host arrays, copied to the GPU once or several times.
class GpuMeasurement : public Measurement {
public:
    void finish() override { gpu_.stream.synchronize(); }
    std::vector<Times> time(std::span<const Work> works) override;

protected:
    /// Of so many bytes on the host; `cold`: enough sets to exceed the GPU's cache.
    GpuMeasurement(const Options& options, const GpuInUse& gpu, std::vector<std::span<std::byte>> arrays);

    /// The address in a set that corresponds to a host address in one of the arrays; null for null.
    void* address(const void* on_host, std::size_t execution) const;
    /// The host's arrays to all sets, the first set to the host.
    void upload() const;
    void download() const;
    /// swirl's plan, with memory for its workspace.
    struct SwirlPlan {
        Plan plan;
        std::shared_ptr<const runtime::GpuBuffer> memory;
        Workspace workspace;
        swirl::gpu::Stream stream;
    };
    SwirlPlan swirl_plan(const Problem& problem, const swirl::Options& planning) const;
    Floors floors_for(double bytes) const { return {.traffic = bytes / gpu_.copy_bytes_per_second}; }
    /// `count` calls of launch(execution).
    static Work work(std::string made_by, double flops, std::function<void(std::size_t)> launch);

    Options options_;
    const GpuInUse& gpu_;

private:
    std::vector<std::span<std::byte>> arrays_;
    std::vector<std::vector<runtime::GpuBuffer>> sets_; ///< by set and array
};

} // namespace swirl::bench
