#include "search/gpu_matrix_search.hpp"

#include "base/error.hpp"
#include "gemm/gpu_model.hpp"
#include "gemm/gpu_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

using gemm::GpuSchedule;

/// A candidate takes the best one's place when it is so much faster, twice: less may be luck.
constexpr double clearly = 1.005;
/// Schedules that are timed beside the best one at once: so many are compiled together.
constexpr std::size_t at_once = 8;

class ScheduleSearch {
public:
    ScheduleSearch(const GpuMatrixSearchSetting& setting, GpuMatrixTimekeeper& timekeeper)
        : setting_(setting), timekeeper_(timekeeper), end_(timekeeper.now() + setting.seconds) {}

    GpuMatrixFinding run() {
        const std::vector<GpuSchedule> likely = gemm::gpu_schedules(
            setting_.product, setting_.gpu, std::max<std::size_t>(setting_.most, 1), setting_.accuracy);
        ensure(!likely.empty(), "the model knows no schedule of a product that is not empty");
        finding_.model = finding_.found = likely.front();
        tried_.push_back(likely.front());
        finding_.seconds = timekeeper_.seconds(std::span(likely).first(1)).front();
        finding_.timed = 1;
        finding_.is_complete = true;
        say(fmt::format("model: {:.3g} s, {}", finding_.seconds, to_string(finding_.found)));
        race(likely, "the model's others");
        for (bool helped = true; helped && finding_.is_complete;) {
            helped = false;
            for (const gemm::GpuParameter& parameter : gemm::gpu_parameters())
                if (parameter.matters_to(finding_.found) && parameter.member != &GpuSchedule::stream_blocks)
                    helped = race(neighbours(parameter), parameter.name) || helped;
            if (!finding_.found.has_tiles()) helped = race(orders(), "order") || helped;
            helped = race(streams(), "streams") || helped;
        }
        say(fmt::format("{} schedules timed{}", finding_.timed,
                        finding_.is_complete ? "" : ", time was too short for all"));
        return finding_;
    }

private:
    bool suits(const GpuSchedule& schedule) const {
        return !gemm::objection(schedule, setting_.product, setting_.gpu) &&
               gemm::accuracy_of(schedule, setting_.product) <= setting_.accuracy;
    }

    /// Those that differ in this parameter alone.
    std::vector<GpuSchedule> neighbours(const gemm::GpuParameter& parameter) const {
        std::vector<GpuSchedule> result;
        const int now = finding_.found.*parameter.member;
        for (const int value : {2 * now, now / 2, now * 3 / 2, now * 3 / 4, now + 1, now - 1}) {
            GpuSchedule schedule = finding_.found;
            schedule.*parameter.member = value;
            result.push_back(schedule);
        }
        return result;
    }
    /// Without a stream, and of as many blocks as the GPU holds: few blocks would take long to show that they are few.
    std::vector<GpuSchedule> streams() const {
        GpuSchedule without = finding_.found;
        without.stream_blocks = without.whole_tiles = 0;
        std::vector<GpuSchedule> result = gemm::streams_for(without, setting_.product, setting_.gpu);
        result.push_back(without);
        return result;
    }
    std::vector<GpuSchedule> orders() const {
        std::vector<GpuSchedule> result;
        for (const gemm::GpuOrder order : gemm::gpu_orders()) {
            GpuSchedule schedule = finding_.found;
            schedule.order = order;
            result.push_back(schedule);
        }
        return result;
    }

    /// Whether one of them took the best one's place.
    bool race(const std::vector<GpuSchedule>& all, std::string_view what) {
        std::vector<GpuSchedule> candidates;
        for (const GpuSchedule& schedule : all)
            if (std::find(tried_.begin(), tried_.end(), schedule) == tried_.end() && suits(schedule)) {
                candidates.push_back(schedule);
                tried_.push_back(schedule);
            }
        const GpuSchedule before = finding_.found;
        for (std::size_t first = 0; first < candidates.size(); first += at_once) {
            if (timekeeper_.now() >= end_) {
                finding_.is_complete = false;
                break;
            }
            const std::size_t count = std::min(at_once, candidates.size() - first);
            race_some(std::span(candidates).subspan(first, count));
        }
        if (finding_.found == before) return false;
        say(fmt::format("{}: {:.3g} s, {}", what, finding_.seconds, to_string(finding_.found)));
        return true;
    }

    void race_some(std::span<const GpuSchedule> candidates) {
        std::vector<GpuSchedule> in_turn = {finding_.found};
        in_turn.insert(in_turn.end(), candidates.begin(), candidates.end());
        const std::vector<double> first = timekeeper_.seconds(in_turn);
        finding_.timed += static_cast<int>(candidates.size());
        const auto fastest =
            static_cast<std::size_t>(std::min_element(first.begin(), first.end()) - first.begin());
        if (!(first[0] / first[fastest] >= clearly)) return;
        const GpuSchedule pair[] = {finding_.found, in_turn[fastest]};
        const std::vector<double> confirmed = timekeeper_.seconds(pair);
        const double gained = confirmed[0] / confirmed[1];
        if (!(gained >= clearly)) return;
        finding_.found = in_turn[fastest];
        finding_.seconds = confirmed[1];
        finding_.speedup *= gained;
    }

    void say(const std::string& line) const {
        if (setting_.progress) setting_.progress(line);
    }

    const GpuMatrixSearchSetting& setting_;
    GpuMatrixTimekeeper& timekeeper_;
    double end_;
    GpuMatrixFinding finding_;
    std::vector<GpuSchedule> tried_;
};

} // namespace

GpuMatrixFinding search_gpu_schedule(const GpuMatrixSearchSetting& setting, GpuMatrixTimekeeper& timekeeper) {
    return ScheduleSearch(setting, timekeeper).run();
}

} // namespace swirl::search
