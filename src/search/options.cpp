#include "search/options.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cpu/team.hpp"

namespace swirl::search {
namespace {

constexpr int most_threads = 4096;

} // namespace

int threads_of(const Options& options) {
    const int threads = options.threads;
    if (threads < 0 || threads > most_threads)
        throw UserError("threads is {}; use 1 to {}, or 0 for all processors", threads, most_threads);
    return threads == 0 ? runtime::processors() : threads;
}

void check(const Options& options) {
    if (options.effort > Effort::background)
        throw UserError("effort is {}, which is not one of Effort's values",
                        static_cast<int>(options.effort));
    if (options.accuracy > Accuracy::low)
        throw UserError("accuracy is {}, which is not one of Accuracy's values",
                        static_cast<int>(options.accuracy));
    if (options.time_budget_seconds && !(*options.time_budget_seconds >= 0))
        throw UserError("time_budget_seconds is {}; use 0 or a positive number",
                        *options.time_budget_seconds);
    if (!(options.planning_limit_seconds >= 0))
        throw UserError("planning_limit_seconds is {}; use a number that is not negative, 0 for no limit",
                        options.planning_limit_seconds);
    if (options.device.is_gpu() && !options.cpu.empty())
        throw UserError("cpu is {}, but the device is {}\n  leave out one of them", options.cpu,
                        options.device.text());
    static_cast<void>(threads_of(options));
}

double budget_of(const Options& options, const UsualBudgets& usual) {
    if (options.time_budget_seconds) return *options.time_budget_seconds;
    switch (options.effort) {
    case Effort::estimate: return usual.shortlist;
    case Effort::measure:
    case Effort::background: return usual.measure;
    case Effort::exhaustive: return 0;
    }
    return 0;
}

void check_cancelled(const Options& options) {
    if (!options.cancelled) return;
    const ForkSection::Outside outside;
    if (options.cancelled()) throw Cancelled("planning was cancelled");
}

std::function<void(const std::string&)> progress_of(const Options& options) {
    if (!options.progress) return {};
    return [&options](const std::string& line) {
        const ForkSection::Outside outside;
        options.progress(line);
    };
}

std::function<bool()> enough_of(const Options& options) {
    if (!options.enough) return {};
    return [&options] {
        const ForkSection::Outside outside;
        return options.enough();
    };
}

std::function<void()> interrupt_of(const Options& options) {
    if (!options.cancelled) return {};
    return [&options] { check_cancelled(options); };
}

} // namespace swirl::search
