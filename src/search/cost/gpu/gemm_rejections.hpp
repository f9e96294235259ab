#pragma once

#include <swirl/options.hpp>

#include "gemm/gpu/schedule.hpp"
#include "problem/problem.hpp"
#include "search/choice.hpp"
#include "target/gpu.hpp"

#include <vector>

/// What the model did not choose for a matrix multiplication on a GPU.
namespace swirl::search {

/// The model's schedules of a nonempty product that are not the chosen one, with the fastest of each kind of kernel; and why
/// other kinds have none.
std::vector<Rejection> other_gpu_schedules(const MatrixProduct& product, const gemm::GpuGemmSchedule& chosen,
                                           const target::Gpu& gpu, Accuracy accuracy);

} // namespace swirl::search
