#pragma once

#include "gemm/cpu/schedule.hpp"
#include "search/timer/matrix_timer.hpp"
#include "target/cpu.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {

/// A schedule parameter for the line search.
struct MatrixParameter {
    std::string_view name;
    /// Schedules to try that differ from the best in this parameter alone: distant values first, then near values to
    /// refine.
    std::vector<gemm::BlockedGemm> (*candidates)(DataType data_type, const target::Cpu& cpu,
                                                 const gemm::BlockedGemm& best, bool refines);
};

/// In search order: register blocking, cache blocking, then loop order and prefetch distance.
std::span<const MatrixParameter> matrix_parameters();

/// Data types that have schedules of their own.
inline constexpr DataType searched_types[] = {DataType::float64, DataType::float32, DataType::complex128,
                                              DataType::complex64};

struct MatrixSearchSetting {
    DataType data_type = DataType::float64;
    const target::Cpu& cpu;
    double seconds = 10;
    std::function<void(const std::string&)> progress = {}; ///< called with a progress line now and then
};

struct MatrixSearchResult {
    gemm::BlockedGemm model;  ///< start of the search
    gemm::BlockedGemm found;  ///< fastest by timing; equals `model` if nothing was faster
    double model_seconds = 0; ///< of a square GEMM of the timer's largest extent
    double found_seconds = 0;
    double speedup = 1;       ///< of `found` over the model, over all extents, timed once more
    int timed = 0;            ///< number of schedules
    bool is_complete = false; ///< the time budget sufficed
};

/// ATLAS's orthogonal line search (Whaley, Petitet and Dongarra 2001): from the model's schedule it optimises one
/// parameter at a time, with all others fixed, then repeats with finer steps. Each candidate is timed interleaved with
/// the incumbent and replaces it after winning twice.
MatrixSearchResult search_schedule(const MatrixSearchSetting& setting, MatrixTimer& timer);

} // namespace swirl::search
