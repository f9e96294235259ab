#pragma once

#include "gemm/gpu/model/model.hpp"
#include "plan/schedule.hpp"
#include "runtime/cuda/devices.hpp"

#include <string>
#include <vector>

namespace swirl {

/// At most `most` schedules of a product for the first GPU, those that the model ranks fastest, fastest first.
inline std::vector<std::string> gpu_schedules(const MatrixProduct& product, std::size_t most,
                                              Accuracy accuracy = Accuracy::ordinary) {
    const target::Gpu& gpu = runtime::device_numbered(0).target();
    std::vector<std::string> result;
    for (const gemm::GpuGemmSchedule& schedule : gemm::gpu_schedules(product, gpu, most, accuracy))
        result.push_back(to_string(planning::Schedule(gpu.name, schedule)));
    return result;
}

} // namespace swirl
