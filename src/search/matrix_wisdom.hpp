#pragma once

#include "search/matrix_search.hpp"

#include <optional>

/// What wisdom says of schedules of matrix products.
namespace swirl::search {

/// The extents of the square products that a search for schedules times.
std::vector<Integer> searched_extents();

/// What this version of swirl has found on this machine for this CPU; what is no schedule is forgotten.
std::optional<gemm::Schedule> remembered_schedule(Number number, const target::Cpu& cpu);

/// Keeps what was found, and beside it the model's own schedule, both with their times.
void remember(Number number, const target::Cpu& cpu, const MatrixFinding& finding);

/// From now on products are computed by what is remembered: asked once for each kind of numbers, when first needed.
void use_matrix_wisdom();

inline constexpr double usual_schedule_budget = 10; ///< seconds

struct FindScheduleOptions {
    double seconds = usual_schedule_budget;
    std::function<void(const std::string&)> progress = {};
    MatrixTimekeeper* timekeeper = nullptr; ///< default: this machine
};

/// For a valid product that is computed by blocks: where wisdom knows no schedule, a search finds one, which wisdom keeps. It is
/// used if this process has not chosen another before.
void find_schedule(const MatrixProduct& product, const FindScheduleOptions& options = {});

} // namespace swirl::search
