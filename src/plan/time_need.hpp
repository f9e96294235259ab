#pragma once

#include "formula/formula.hpp"
#include "problem/matrix_product.hpp"
#include "problem/problem.hpp"

#include <cstddef>

namespace swirl::planning {

struct CheckScope;

/// Time that planning takes, in seconds of one core, as a model predicts it from the work that there is.
struct TimeNeed {
    double code = 0;   ///< kernels: derived, optimised, compiled
    double tables = 0; ///< constants that kernels read
    double check = 0;  ///< of the plan before its first use
    double search = 0; ///< benchmarks; infinite without a limit
};
double total(const TimeNeed& need);

/// What there is to do.
struct PlanningWork {
    double codelets = 0;   ///< straight-line blocks of code
    double operations = 0; ///< in them, approximately
    double entries = 0;    ///< of tables
    double checked = 0;    ///< scalars of one side that the check fills, transforms and sums
    double applied = 0;    ///< entries of a formula's vectors, once for each factor that the check applies
    double product_kernels = 0; ///< for CPUs, compiled when planning
    double gpu_kernels = 0;     ///< that the driver compiles, one after the other
    double gpu_checked = 0;     ///< bytes of a product's matrices that the check compares
    PlanningWork& operator+=(const PlanningWork& other);
};

/// Seconds for each.
struct PlanningRates {
    double codelet;
    double operation;
    double entry;
    double checked;
    double applied;
    double product_kernel;
    double gpu_kernel;
    double gpu_checked;
};
PlanningRates fitted_rates();
TimeNeed time_of(const PlanningWork& work, const PlanningRates& rates = fitted_rates());

/// Of deriving a kernel from an expanded formula.
PlanningWork work_of(const formula::Formula& expanded);
/// Of a plan's check.
PlanningWork work_of(const CheckScope& scope, const Transform& problem);

/// Throws OutOfTime, saying what would work, if planning takes longer than Options::planning_limit_seconds (0: no
/// limit).
void require_in_time(double limit, const TimeNeed& need, const Transform& problem);
void require_in_time(double limit, const TimeNeed& need, const MatrixProduct& problem);

/// Rounds in which the driver's compiler works on kernels, one on each processor.
double compilation_rounds(std::size_t kernels);

} // namespace swirl::planning
