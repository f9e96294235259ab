#pragma once

#include <swirl/options.hpp>
#include <swirl/problem.hpp>

#include "plan/gemm/cpu/code.hpp"
#include "search/target.hpp"
#include "search/tasks/task.hpp"

#include <cstdint>
#include <memory>
#include <variant>

/// The way into planning: for transforms and products, on CPUs and GPUs.
namespace swirl::search {

/// A schedule: the one that the options give; else a trusted one from wisdom, the winner of a search, or the model's
/// (choose.hpp). Timed winners are stored in wisdom, those of subproblems too. `timer` replaces that of this machine.
///
/// On CPUs results have the same bits at any number of threads: the arithmetic is that of one thread's schedule. If a
/// transform's plan for several threads is to be timed, one thread's schedule is tuned first, unless wisdom has it; then
/// only what keeps all bits is tuned for that number of threads (threads_space).
planning::Schedule choose_schedule(const Problem& problem, const Target& target, const Options& options = {},
                                   Timer* timer = nullptr);

/// The same, with the kinds of kernels that were not taken, and why; of a GEMM on a GPU also with the model's estimate.
Choice explained_choice(const Problem& problem, const Target& target, const Options& options = {},
                        Timer* timer = nullptr);

/// The plan of the chosen schedule. An entry of wisdom that no plan can be built from is erased, and does not count.
/// Throws UserError, Unsupported, Unavailable or OutOfMemory for what cannot be planned or built here.
AnyPlan make_plan(const Problem& problem, const Target& target, const Options& options = {},
                  Timer* timer = nullptr);
/// For the target of the options.
AnyPlan make_plan(const Problem& problem, const Options& options = {}, Timer* timer = nullptr);

/// The same, for a caller who knows which kind of plan it is.
template <class Plan>
std::shared_ptr<const Plan> make_plan(const Problem& problem, const Target& target,
                                      const Options& options = {}, Timer* timer = nullptr) {
    return std::get<std::shared_ptr<const Plan>>(make_plan(problem, target, options, timer));
}
template <class Plan>
std::shared_ptr<const Plan> make_plan(const Problem& problem, const Options& options = {},
                                      Timer* timer = nullptr) {
    return std::get<std::shared_ptr<const Plan>>(make_plan(problem, options, timer));
}

/// What wisdom can say to a plan of these options.
enum class WisdomState : std::uint8_t {
    nothing_to_time, ///< no search exists for such a problem: the model decides
    unknown,
    known, ///< the schedule for a plan of this effort, so that nothing is timed
};
WisdomState wisdom_state(const Problem& problem, const Target& target, const Options& options);
/// Stores a schedule that was timed beside what wisdom says to a plan of these options, and proved faster. No effect where
/// wisdom has more than this problem's schedule of one thread.
void correct_wisdom(const Problem& problem, const Target& target, const Options& options,
                    const planning::Schedule& schedule, double seconds);
/// Erases what wisdom says to a plan of these options.
void forget_wisdom(const Problem& problem, const Target& target, const Options& options);

/// Code for all products of a data type, as plans with packed blocks have it: for the BLAS, which has no plans.
planning::MatrixCode make_matrix_code(DataType data_type);

} // namespace swirl::search
