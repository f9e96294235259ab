#include "search/matrix_search.hpp"

#include "base/error.hpp"
#include "problem/matrix_product.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

namespace {

using gemm::BlockedGemm;

/// A candidate replaces the incumbent only if it is faster by this factor, twice: a smaller margin may be luck.
constexpr double clearly = 1.004;
constexpr int rounds_at_first = 5, rounds_to_confirm = 9, rounds_at_last = 15;
/// Fraction of the time budget for the final comparison with the model.
constexpr double final_time_fraction = 0.1;

class LineSearch {
public:
    LineSearch(const MatrixSearchSetting& setting, MatrixTimer& timer)
        : setting_(setting), timer_(timer), end_(timer.now() + (1 - final_time_fraction) * setting.seconds) {}

    MatrixSearchResult run() {
        result_.model = result_.found = gemm::model_schedule(setting_.data_type, setting_.cpu);
        tried_.push_back(result_.model);
        say(fmt::format("model: {}", to_string(result_.model)));
        result_.is_complete = true;
        for (const bool refines : {false, true})
            for (const MatrixParameter& parameter : matrix_parameters()) search(parameter, refines);
        compare();
        return result_;
    }

private:
    void search(const MatrixParameter& parameter, bool refines) {
        const BlockedGemm before = result_.found;
        double gained = 1;
        for (const BlockedGemm& candidate :
             parameter.candidates(setting_.data_type, setting_.cpu, before, refines)) {
            if (is_known(candidate)) continue;
            if (timer_.now() >= end_) {
                result_.is_complete = false;
                return;
            }
            tried_.push_back(candidate);
            ++result_.timed;
            const double first = timer_.speedup(candidate, result_.found, rounds_at_first);
            if (first < clearly) continue;
            const double confirmed = timer_.speedup(candidate, result_.found, rounds_to_confirm);
            if (confirmed < clearly) continue;
            result_.found = candidate;
            gained *= confirmed;
        }
        if (gained > 1)
            say(fmt::format("{}{}: {:+.1f}%, {}", parameter.name, refines ? ", refined" : "",
                            100 * (gained - 1), to_string(result_.found)));
    }

    /// Whether GEMMs of all extents would run exactly as with a schedule already tried.
    bool is_known(const BlockedGemm& candidate) const {
        return std::any_of(tried_.begin(), tried_.end(),
                           [&](const BlockedGemm& tried) { return is_same(tried, candidate); });
    }
    bool is_same(BlockedGemm a, BlockedGemm b) const {
        for (const Integer extent : timer_.extents()) {
            const auto blocks = [&](const BlockedGemm& schedule) {
                const Integer k_extent = gemm::balanced_block(extent, schedule.kc, schedule.unroll);
                return gemm::blocks_of(schedule, extent, k_extent, extent, k_extent);
            };
            if (blocks(a) != blocks(b)) return false;
        }
        for (const auto block : {&BlockedGemm::mc, &BlockedGemm::kc, &BlockedGemm::nc}) a.*block = b.*block;
        return a == b;
    }

    /// Times the result against the model once more: the best of many is partly luck.
    void compare() {
        if (result_.found != result_.model)
            result_.speedup = timer_.speedup(result_.found, result_.model, rounds_at_last);
        if (result_.speedup <= 1) result_.found = result_.model;
        result_.model_seconds = timer_.seconds(result_.model);
        if (result_.found == result_.model) result_.speedup = 1;
        result_.found_seconds = result_.model_seconds / result_.speedup;
        say(fmt::format("{} schedules timed{}", result_.timed,
                        result_.is_complete ? "" : ", time was too short for all"));
    }

    void say(const std::string& line) const {
        if (setting_.progress) setting_.progress(fmt::format("{}: {}", name_of(setting_.data_type), line));
    }

    const MatrixSearchSetting& setting_;
    MatrixTimer& timer_;
    double end_;
    MatrixSearchResult result_;
    std::vector<BlockedGemm> tried_;
};

} // namespace

MatrixSearchResult search_schedule(const MatrixSearchSetting& setting, MatrixTimer& timer) {
    ensure(!timer.extents().empty(), "a search at no extent");
    return LineSearch(setting, timer).run();
}

} // namespace swirl::search
