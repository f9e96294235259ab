#pragma once

#include "search/matrix_search.hpp"

#include <optional>

/// Wisdom lookup and storage of GEMM schedules.
namespace swirl::search {

/// The extents of the square GEMMs that a schedule search times.
std::vector<Integer> searched_extents();

/// The schedule that this version of swirl found on this machine for this CPU. Erases an entry that is not a schedule.
std::optional<gemm::Schedule> lookup_schedule(DataType data_type, const target::Cpu& cpu);

/// Stores the result and the model's own schedule, both with their times.
void store_schedule(DataType data_type, const target::Cpu& cpu, const MatrixSearchResult& result);

/// From now on GEMM uses stored schedules: one lookup per data type, on first use.
void use_matrix_wisdom();

inline constexpr double usual_schedule_budget = 10; ///< seconds

struct FindScheduleOptions {
    double seconds = usual_schedule_budget;
    std::function<void(const std::string&)> progress = {};
    MatrixTimer* timer = nullptr; ///< default: this machine
};

/// For a valid GEMM that a blocked kernel computes: if wisdom has no schedule, searches for one and stores it. The
/// schedule is used unless this process has chosen another before.
void find_schedule(const MatrixProduct& product, const FindScheduleOptions& options = {});

} // namespace swirl::search
