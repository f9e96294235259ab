#pragma once

#include "gemm/schedule.hpp"
#include "search/matrix_timekeeper.hpp"
#include "target/cpu.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {

/// A parameter of schedules, as a line search knows it.
struct MatrixParameter {
    std::string_view name;
    /// The schedules to try that differ from the best in this parameter alone: far ones first, then, to refine, near ones.
    std::vector<gemm::Schedule> (*candidates)(Number number, const target::Cpu& cpu,
                                              const gemm::Schedule& best, bool refines);
};

/// In the order in which they are searched: what stays in registers, what in each cache, then in which order and what is
/// fetched ahead.
std::span<const MatrixParameter> matrix_parameters();

/// The numbers of products that have schedules of their own.
inline constexpr Number searched_numbers[] = {Number::float64, Number::float32, Number::complex64,
                                              Number::complex32};

struct MatrixSearchSetting {
    Number number = Number::float64;
    const target::Cpu& cpu;
    double seconds = 10;
    std::function<void(const std::string&)> progress = {}; ///< called with a line now and then
};

struct MatrixFinding {
    gemm::Schedule model;     ///< where the search began
    gemm::Schedule found;     ///< the same where nothing was faster
    double model_seconds = 0; ///< of a square product of the timekeeper's largest extent
    double found_seconds = 0;
    double speedup = 1;       ///< of what was found over the model, at all extents, timed once more
    int timed = 0;            ///< schedules
    bool is_complete = false; ///< the time was enough
};

/// ATLAS's orthogonal line search (Whaley, Petitet and Dongarra 2001): from the model's schedule one parameter after the other
/// is set to what is fastest while all others stay; a second time, finer. Each candidate runs in turns with the best so far, and
/// takes its place when it has won twice.
MatrixFinding search_schedule(const MatrixSearchSetting& setting, MatrixTimekeeper& timekeeper);

} // namespace swirl::search
