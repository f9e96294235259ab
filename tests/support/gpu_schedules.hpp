#pragma once

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "runtime/cuda/devices.hpp"

#include <string>
#include <vector>

namespace swirl {

/// At most `most` schedules of a product for the first GPU, those that the model ranks fastest, fastest first.
inline std::vector<std::string> gpu_schedules(const MatrixProduct& product, std::size_t most,
                                              Accuracy accuracy = Accuracy::ordinary) {
    std::vector<std::string> result;
    for (const gemm::GpuGemmSchedule& schedule :
         gemm::gpu_schedules(product, runtime::device_numbered(0).target(), most, accuracy))
        result.push_back(to_string(schedule));
    return result;
}

} // namespace swirl
