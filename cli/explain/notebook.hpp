#pragma once

#include "cli/planning.hpp"
#include "problem/problem.hpp"

#include <swirl/matrix_product.hpp>

#include <string>

/// What a notebook shows of a plan.
namespace swirl::cli {

/// Markdown: the problem, its derivation in mathematics (LaTeX), schedule, floors and predicted time. Nothing is timed, but
/// for the probe of this machine if wisdom has none.
std::string markdown_of(const Transform& problem, const PlanningOptions& options);
std::string markdown_of(const MatrixProduct& product, const PlanningOptions& options);

} // namespace swirl::cli
