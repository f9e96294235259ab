#pragma once

#include <swirl/options.hpp>
#include <swirl/problem.hpp>

#include "plan/gpu_matrix_plan.hpp"
#include "plan/gpu_plan.hpp"
#include "plan/matrix_plan.hpp"
#include "plan/plan.hpp"
#include "runtime/cuda/device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Planning as <swirl/plan.hpp> documents it, for each kind of problem on each kind of device. The command line and
/// benchmarks use these plans to see more than the public interface shows.
namespace swirl::api {

enum class Purpose : std::uint8_t {
    execute,
    inspect, ///< only inspected: it may be for a CPU other than the host's, and is then not verified
};

std::shared_ptr<const planning::Plan> build_on_cpu(const Transform& problem, const Options& options,
                                                   Purpose purpose = Purpose::execute);
std::shared_ptr<const planning::MatrixPlan> build_on_cpu(const MatrixProduct& product,
                                                         const Options& options);
std::shared_ptr<const planning::GpuPlan> build_on_gpu(const Transform& problem, const Options& options);
std::shared_ptr<const planning::GpuMatrixPlan> build_on_gpu(const MatrixProduct& product,
                                                            const Options& options);

/// The GPU with this CUDA ordinal. It is kept until the process ends, so that its context is created only once.
const runtime::GpuDevice& device_numbered(int ordinal);

/// The schedule that build_on_gpu chooses for a device without measuring, without compiling it.
planning::TransformSchedule schedule_for(const Transform& problem, const runtime::GpuDevice& device,
                                         bool use_wisdom);

/// At most `most` candidate schedules: those that the performance model ranks fastest, fastest first.
std::vector<std::string> gpu_schedules(const MatrixProduct& product, int most, int ordinal = 0,
                                       Accuracy accuracy = Accuracy::ordinary);

/// The number of threads that an option requests; throws UserError for an invalid value.
int threads_asked_for(int threads);

} // namespace swirl::api
