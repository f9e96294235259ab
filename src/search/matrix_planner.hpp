#pragma once

#include "plan/matrix_plan.hpp"
#include "search/planner.hpp"
#include "search/timer/timer.hpp"
#include "search/wisdom/stored_schedules.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Chooses the schedule of a matrix multiplication on a CPU.
namespace swirl::search {

inline constexpr double usual_schedule_budget = 10; ///< seconds

struct MatrixPlanRequest {
    int threads = 1; ///< maximum per execution
    Accuracy accuracy = Accuracy::ordinary;
    Effort effort = Effort::estimate;
    double time_budget_seconds = usual_schedule_budget;
    std::function<void(const std::string&)> progress =
        {};                               ///< called with a progress line now and then while timing
    std::function<void()> interrupt = {}; ///< called often while timing; throws to cancel
    const target::Cpu* cpu = nullptr;     ///< default: the host's best, portable if no code can be generated
    std::string schedule = {};            ///< as gemm::to_string prints it; empty: choose one
    bool use_wisdom = true;
    bool check = true;      ///< check each new kernel against a second route before its first use
    Timer* timer = nullptr; ///< default: this machine
};

/// A schedule, and the kinds of kernels that were not taken, and why.
struct CpuGemmChoice {
    gemm::CpuGemm schedule;
    std::vector<Rejection> rejections = {};
};

/// The schedule: the request's, else a kernel of its own for a product that suits one, tile registers where they are
/// faster, else packed blocks by a trusted schedule from wisdom, else the search's or, without timing, the model's.
/// Sums have the same bits at any number of threads.
CpuGemmChoice choose_schedule(const MatrixProduct& product, const MatrixPlanRequest& request);

/// A plan with the chosen schedule. The product must be valid for CPUs. Throws UserError for a request that does not suit
/// the product or this machine.
std::shared_ptr<const planning::MatrixPlan> make_matrix_plan(const MatrixProduct& product,
                                                             const MatrixPlanRequest& request = {});

/// What wisdom knows about schedules of packed blocks of a data type. They are tuned on one thread, on square products, and
/// used at any number of threads, so that the arithmetic, and with it the bits, do not depend on that number.
StoredSchedules stored_blocks(DataType data_type, const target::Cpu& cpu, bool use_wisdom = true);

/// Code for all products of a data type, as plans with packed blocks have it: for the BLAS, which has no plans.
planning::MatrixCode make_matrix_code(DataType data_type);

} // namespace swirl::search
