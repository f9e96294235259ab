#include "search/matrix_search.hpp"

#include "base/error.hpp"
#include "problem/matrix_product.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

namespace {

using gemm::Schedule;

/// A candidate takes the best one's place when it is so much faster, twice: less may be luck.
constexpr double clearly = 1.004;
constexpr int rounds_at_first = 5, rounds_to_confirm = 9, rounds_at_last = 15;
/// What the last comparison with the model wants of the time.
constexpr double share_at_last = 0.1;

class LineSearch {
public:
    LineSearch(const MatrixSearchSetting& setting, MatrixTimekeeper& timekeeper)
        : setting_(setting),
          timekeeper_(timekeeper),
          end_(timekeeper.now() + (1 - share_at_last) * setting.seconds) {}

    MatrixFinding run() {
        finding_.model = finding_.found = gemm::model_schedule(setting_.number, setting_.cpu);
        tried_.push_back(finding_.model);
        say(fmt::format("model: {}", to_string(finding_.model)));
        finding_.is_complete = true;
        for (const bool refines : {false, true})
            for (const MatrixParameter& parameter : matrix_parameters()) search(parameter, refines);
        compare();
        return finding_;
    }

private:
    void search(const MatrixParameter& parameter, bool refines) {
        const Schedule before = finding_.found;
        double gained = 1;
        for (const Schedule& candidate :
             parameter.candidates(setting_.number, setting_.cpu, before, refines)) {
            if (is_known(candidate)) continue;
            if (timekeeper_.now() >= end_) {
                finding_.is_complete = false;
                return;
            }
            tried_.push_back(candidate);
            ++finding_.timed;
            const double first = timekeeper_.speedup(candidate, finding_.found, rounds_at_first);
            if (first < clearly) continue;
            const double confirmed = timekeeper_.speedup(candidate, finding_.found, rounds_to_confirm);
            if (confirmed < clearly) continue;
            finding_.found = candidate;
            gained *= confirmed;
        }
        if (gained > 1)
            say(fmt::format("{}{}: {:+.1f}%, {}", parameter.name, refines ? ", refined" : "",
                            100 * (gained - 1), to_string(finding_.found)));
    }

    /// Whether products of all extents would be computed as by one that was tried.
    bool is_known(const Schedule& candidate) const {
        return std::any_of(tried_.begin(), tried_.end(),
                           [&](const Schedule& tried) { return is_same(tried, candidate); });
    }
    bool is_same(Schedule a, Schedule b) const {
        for (const Integer extent : timekeeper_.extents()) {
            const auto blocks = [&](const Schedule& schedule) {
                const Integer depth = gemm::balanced_block(extent, schedule.block_depth, schedule.unroll);
                return gemm::blocks_of(schedule, extent, depth, extent, depth);
            };
            if (blocks(a) != blocks(b)) return false;
        }
        for (const auto block : {&Schedule::block_rows, &Schedule::block_depth, &Schedule::block_columns})
            a.*block = b.*block;
        return a == b;
    }

    /// What was found and the model once more: the best of many is partly lucky.
    void compare() {
        if (finding_.found != finding_.model)
            finding_.speedup = timekeeper_.speedup(finding_.found, finding_.model, rounds_at_last);
        if (finding_.speedup <= 1) finding_.found = finding_.model;
        finding_.model_seconds = timekeeper_.seconds(finding_.model);
        if (finding_.found == finding_.model) finding_.speedup = 1;
        finding_.found_seconds = finding_.model_seconds / finding_.speedup;
        say(fmt::format("{} schedules timed{}", finding_.timed,
                        finding_.is_complete ? "" : ", time was too short for all"));
    }

    void say(const std::string& line) const {
        if (setting_.progress) setting_.progress(fmt::format("{}: {}", word_of(setting_.number), line));
    }

    const MatrixSearchSetting& setting_;
    MatrixTimekeeper& timekeeper_;
    double end_;
    MatrixFinding finding_;
    std::vector<Schedule> tried_;
};

} // namespace

MatrixFinding search_schedule(const MatrixSearchSetting& setting, MatrixTimekeeper& timekeeper) {
    ensure(!timekeeper.extents().empty(), "a search at no extent");
    return LineSearch(setting, timekeeper).run();
}

} // namespace swirl::search
