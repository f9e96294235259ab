#include "search/search.hpp"

#include "base/error.hpp"
#include "base/interrupt_scope.hpp"
#include "problem/matrix_product.hpp"

#include <swirl/problem.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

using planning::Schedule;

namespace {

/// Fractions of the budget at which proposals, their comparison and the neighbours end; the rest is for the incumbent
/// against the estimate.
constexpr double proposals_end = 0.5, comparison_end = 0.8, neighbours_end = 0.92;
/// Fraction of a comparison's time; the remainder confirms its winner.
constexpr double screening_fraction = 0.8;
/// Minimum seconds between progress reports without improvement.
constexpr double report_interval = 0.1;

std::string microseconds(double seconds) { return fmt::format("{:.4g} µs", seconds * 1e6); }

/// Thrown by a search's interrupt: the user wants no more candidates.
struct Enough {};

SearchSetting with_enough(const SearchSetting& setting) {
    SearchSetting result = setting;
    if (setting.enough)
        result.interrupt = [&setting] {
            if (setting.interrupt) setting.interrupt();
            if (setting.enough()) throw Enough();
        };
    return result;
}

/// One call of search().
class Search {
public:
    Search(const Problem& problem, const SearchSpace& space, Timer& timer, const SearchSetting& setting)
        : space_(space), setting_(with_enough(setting)), benchmark_(problem, timer, setting_) {}

    SearchResult run() {
        const InterruptScope interruptible(setting_.enough ? setting_.interrupt : nullptr);
        try {
            compare_all();
        } catch (const Enough&) {
            benchmark_.leave_out();
        }
        const bool is_alone = tried_.size() == 1;
        if (!is_compared_ && !is_alone) incumbent_.seconds = std::numeric_limits<double>::infinity();
        result_.best = std::move(incumbent_);
        result_.is_complete = benchmark_.is_complete();
        benchmark_.say(fmt::format("{} schedules timed, {} left out{}", result_.timed, result_.infeasible,
                                   result_.is_complete ? "" : ", time was too short for all"));
        return std::move(result_);
    }

private:
    void compare_all() {
        const double begin = benchmark_.now();
        incumbent_.schedule = space_.estimate;
        tried_.insert(space_.identity(space_.estimate));
        benchmark_.compare(std::span(&incumbent_, 1), begin,
                           Care::screen); // alone: shows how long all this takes
        result_.timed = 1;
        result_.estimate_seconds = incumbent_.seconds;
        estimated_ = incumbent_;
        remember(incumbent_);
        const double each = benchmark_.now() - begin + 3 * incumbent_.seconds;
        if (space_.proposals) {
            const double deadline =
                std::min(benchmark_.at(proposals_end), benchmark_.at(comparison_end) - 5 * each);
            improve(space_.proposals(benchmark_, deadline), benchmark_.at(comparison_end), "proposals");
        }
        take_actions(benchmark_.at(neighbours_end));
        compare_with_estimate();
    }

    void take_actions(double deadline) {
        bool helped = true;
        for (int round = 0; helped && round < space_.rounds; ++round) {
            helped = false;
            for (const Action& action : space_.actions)
                helped =
                    improve(action.neighbours(incumbent_.schedule, timed_), deadline, action.name) || helped;
        }
    }

    /// Whether one of them replaced the incumbent.
    bool improve(const std::vector<Schedule>& schedules, double deadline, std::string_view what) {
        std::vector<Schedule> fresh;
        for (const Schedule& schedule : schedules)
            if (tried_.insert(space_.identity(schedule)).second) fresh.push_back(schedule);
        const Schedule before = incumbent_.schedule;
        const double seconds_before = incumbent_.seconds;
        for (std::size_t first = 0; first < fresh.size();) {
            if (benchmark_.now() >= deadline) {
                benchmark_.leave_out();
                break;
            }
            const std::size_t count = std::min(space_.compared_at_once, fresh.size() - first);
            compare(std::span(fresh).subspan(first, count), deadline);
            first += count;
        }
        if (incumbent_.schedule == before) return false;
        benchmark_.say(fmt::format("{}: {:+.1f}%, {} with {}", what,
                                   100 * (seconds_before / incumbent_.seconds - 1),
                                   microseconds(incumbent_.seconds), to_string(incumbent_.schedule)));
        return true;
    }

    void compare(std::span<const Schedule> schedules, double deadline) {
        std::vector<ScheduleCandidate> candidates{std::move(incumbent_)};
        for (const Schedule& schedule : schedules) candidates.push_back({schedule});
        const double now = benchmark_.now();
        const double screened =
            std::isfinite(deadline) ? now + screening_fraction * (deadline - now) : deadline;
        try {
            benchmark_.compare(candidates, screened, Care::screen);
        } catch (const Enough&) {
            count(candidates);
            incumbent_ = std::move(candidates[fastest_of(candidates, space_.clearly_faster)]);
            throw;
        }
        count(candidates);
        const std::size_t winner = fastest_of(candidates, space_.clearly_faster);
        if (winner == 0) {
            incumbent_ = std::move(candidates[0]);
            return;
        }
        ScheduleCandidate pair[] = {std::move(candidates[0]), std::move(candidates[winner])};
        candidates.clear();   // frees plans no longer needed
        incumbent_ = pair[1]; // if the user ends the search before it wins again
        incumbent_ = confirmed(pair, deadline, Care::confirm);
    }

    /// Of a comparison, all but the incumbent, which is the first.
    void count(std::span<const ScheduleCandidate> candidates) {
        for (const ScheduleCandidate& candidate : candidates.subspan(1)) {
            is_compared_ |= candidate.is_timed();
            result_.timed += candidate.is_timed();
            result_.infeasible += !candidate.infeasible_because.empty();
            if (!candidate.is_timed() && candidate.infeasible_because.empty()) benchmark_.leave_out();
            remember(candidate);
        }
    }

    /// The second of a pair if it wins again, else the first.
    ScheduleCandidate confirmed(std::span<ScheduleCandidate, 2> pair, double deadline, Care care) {
        const double before = pair[1].seconds;
        pair[1].seconds = std::numeric_limits<double>::infinity();
        benchmark_.compare(pair, deadline, care);
        if (pair[1].is_timed() && fastest_of(pair, space_.clearly_faster) == 1) return std::move(pair[1]);
        if (!pair[1].is_timed()) pair[1].seconds = before;
        return std::move(pair[0]);
    }

    void compare_with_estimate() {
        if (incumbent_.schedule == space_.estimate) {
            result_.estimate_seconds = incumbent_.seconds;
            return;
        }
        if (benchmark_.now() + 6 * result_.estimate_seconds >= benchmark_.at(1)) return;
        ScheduleCandidate pair[] = {estimated_, incumbent_};
        benchmark_.compare(pair, benchmark_.at(1), Care::last);
        result_.estimate_seconds = pair[0].seconds;
        incumbent_ = std::move(pair[fastest_of(pair, space_.clearly_faster)]);
    }

    void remember(const ScheduleCandidate& candidate) {
        timed_.push_back({candidate.schedule, candidate.seconds, candidate.infeasible_because, nullptr});
    }

    const SearchSpace& space_;
    const SearchSetting setting_;
    Benchmark benchmark_;
    SearchResult result_;
    ScheduleCandidate estimated_; ///< the estimate, with its plan for the last comparison
    ScheduleCandidate incumbent_;
    std::vector<ScheduleCandidate> timed_;
    std::set<std::string> tried_; ///< identities
    bool is_compared_ = false;    ///< at least two schedules were timed
};

} // namespace

std::size_t fastest_of(std::span<const ScheduleCandidate> candidates, double clearly_faster) {
    std::size_t winner = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const double margin = winner == 0 ? clearly_faster : 1;
        if (margin * candidates[i].seconds < candidates[winner].seconds) winner = i;
    }
    return winner;
}

SearchResult search(const Problem& problem, const SearchSpace& space, Timer& timer,
                    const SearchSetting& setting) {
    return Search(problem, space, timer, setting).run();
}

Benchmark::Benchmark(const Problem& problem, Timer& timer, const SearchSetting& setting)
    : problem_(problem),
      timer_(timer),
      setting_(setting),
      begin_(timer.now()),
      last_report_(begin_ - report_interval) {}

void Benchmark::compare(std::span<ScheduleCandidate> candidates, double deadline, Care care) {
    benchmark(problem_, candidates, deadline, care);
    for (const ScheduleCandidate& candidate : candidates)
        best_seconds_ = std::min(best_seconds_, candidate.seconds);
}

void Benchmark::compare_subproblem(const Problem& subproblem, std::span<ScheduleCandidate> candidates,
                                   double deadline) {
    benchmark(subproblem, candidates, deadline, Care::subproblem);
}

void Benchmark::benchmark(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline,
                          Care care) {
    if (setting_.interrupt) setting_.interrupt();
    const auto seen = [&](std::size_t which) {
        if (setting_.interrupt) setting_.interrupt();
        report(problem, candidates, which);
    };
    timer_.compare(problem, candidates, deadline, care, {.seen = seen, .interrupt = setting_.interrupt});
}

void Benchmark::say(const std::string& line) const {
    if (setting_.progress) setting_.progress(to_text(problem_) + ": " + line);
}

void Benchmark::report(const Problem& problem, std::span<const ScheduleCandidate> candidates,
                       std::size_t which) {
    const bool is_subproblem = &problem != &problem_;
    const ScheduleCandidate& candidate = candidates[which];
    const bool is_best = !is_subproblem && candidate.seconds < best_seconds_;
    if (is_best) best_seconds_ = candidate.seconds;
    const double now = timer_.now();
    if (!setting_.progress || (!is_best && now - last_report_ < report_interval)) return;
    last_report_ = now;
    if (!candidate.infeasible_because.empty())
        return say(
            fmt::format("left out: {}, {}", candidate.infeasible_because, to_string(candidate.schedule)));
    std::string line = to_text(problem_);
    if (is_subproblem) line += ", subproblem " + to_text(problem);
    line += fmt::format(": {} of {}, {} with {}", which + 1, candidates.size(),
                        microseconds(candidate.seconds), to_string(candidate.schedule));
    if (std::isfinite(best_seconds_)) line += "; best " + microseconds(best_seconds_);
    if (std::isfinite(setting_.seconds)) line += fmt::format("; {:.1f} s left", std::max(at(1) - now, 0.0));
    setting_.progress(line);
}

} // namespace swirl::search
