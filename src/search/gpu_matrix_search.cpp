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
/// Schedules that are compiled together.
constexpr std::size_t compiled_at_once = 16;
/// Of these, so many are timed beside the best one.
constexpr std::size_t timed_at_once = 8;

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
        best_spills_ = spills_of(timekeeper_.codes(std::span(likely).first(1)).front());
        finding_.seconds = timekeeper_.seconds(std::span(likely).first(1)).front();
        finding_.timed = 1;
        finding_.is_complete = true;
        say(fmt::format("model: {:.3g} s, {}", finding_.seconds, to_string(finding_.found)));
        race(likely, "the model's others");
        if (setting_.machine_loops) race(with_machine_loops(likely), "main loops in machine code");
        for (bool helped = true; helped && finding_.is_complete;) {
            helped = false;
            for (const gemm::GpuParameter& parameter : gemm::gpu_parameters())
                if (parameter.matters_to(finding_.found) && parameter.member != &GpuSchedule::stream_blocks)
                    helped = race(neighbours(parameter), parameter.name) || helped;
            if (!finding_.found.has_tiles()) helped = race(orders(), "order") || helped;
            helped = race(streams(), "streams") || helped;
        }
        say(fmt::format("{} schedules timed, {} left out{}", finding_.timed, finding_.left_out,
                        finding_.is_complete ? "" : ", time was too short for all"));
        return finding_;
    }

private:
    bool suits(const GpuSchedule& schedule) const {
        if (schedule.machine_loop != 0 && !setting_.machine_loops) return false;
        return !gemm::objection(schedule, setting_.product, setting_.gpu) &&
               gemm::accuracy_of(schedule, setting_.product) <= setting_.accuracy;
    }

    /// Of what is fastest so far, and of some that the model thinks fast. Fewer blocks on a multiprocessor have the registers that such
    /// loops want.
    std::vector<GpuSchedule> with_machine_loops(std::span<const GpuSchedule> likely) const {
        std::vector<GpuSchedule> result;
        const auto add = [&](const GpuSchedule& schedule) {
            auto other = with_machine_loop(schedule, setting_.product, setting_.gpu);
            if (!other) return;
            result.push_back(*other);
            if (other->resident-- > 1) result.push_back(*other);
        };
        add(finding_.found);
        for (const GpuSchedule& schedule : likely.first(std::min(timed_at_once, likely.size())))
            add(schedule);
        return result;
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
        for (std::size_t first = 0; first < candidates.size(); first += compiled_at_once) {
            const std::size_t count = std::min(compiled_at_once, candidates.size() - first);
            if (!race_compiled(std::span(candidates).subspan(first, count))) break;
        }
        if (finding_.found == before) return false;
        say(fmt::format("{}: {:.3g} s, {}", what, finding_.seconds, to_string(finding_.found)));
        return true;
    }

    struct Candidate {
        GpuSchedule schedule;
        GpuMatrixCode code;
        double expected = 0; ///< seconds
    };

    /// False where the time is over.
    bool race_compiled(std::span<const GpuSchedule> schedules) {
        if (is_late()) return false;
        const std::vector<GpuMatrixCode> codes = timekeeper_.codes(schedules);
        std::vector<Candidate> candidates;
        for (std::size_t k = 0; k < schedules.size(); ++k)
            candidates.push_back({schedules[k], codes[k],
                                  expected_seconds(codes[k], setting_.product, schedules[k], setting_.gpu)});
        std::ranges::stable_sort(candidates, {}, &Candidate::expected);
        std::vector<Candidate> next;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (is_worth_timing(candidates[k])) next.push_back(candidates[k]);
            if (next.size() < timed_at_once && k + 1 < candidates.size()) continue;
            if (next.empty()) continue;
            if (is_late()) return false;
            race_some(next);
            next.clear();
        }
        return true;
    }

    bool is_late() {
        if (timekeeper_.now() < end_) return false;
        finding_.is_complete = false;
        return true;
    }

    bool is_worth_timing(const Candidate& candidate) {
        const auto why = objection_to_timing(candidate.code, setting_.product, candidate.schedule,
                                             setting_.gpu, {finding_.seconds, best_spills_});
        if (!why) return true;
        ++finding_.left_out;
        say(fmt::format("left out: {}, {}", *why, to_string(candidate.schedule)));
        return false;
    }

    void race_some(std::span<const Candidate> candidates) {
        std::vector<GpuSchedule> in_turn = {finding_.found};
        for (const Candidate& candidate : candidates) in_turn.push_back(candidate.schedule);
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
        best_spills_ = spills_of(candidates[fastest - 1].code);
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
    long long best_spills_ = 0;
    std::vector<GpuSchedule> tried_;
};

} // namespace

std::optional<std::string> objection_to_machine_loop(const GpuSchedule& schedule,
                                                     const MatrixProduct& product, const target::Gpu& gpu) {
    if (gpu.capability_major != 9 || gpu.capability_minor != 0)
        return fmt::format("main loops are put into another order on compute capability 9.0, not on {}.{}",
                           gpu.capability_major, gpu.capability_minor);
    for (const Number number : {product.number, product.number_of_a(), product.number_of_b()})
        if (number != Number::float32)
            return fmt::format("main loops of float32 are put into another order, not those of {}",
                               word_of(number));
    if (schedule.has_tiles())
        return "tensor cores multiply; main loops in which threads do are put into another order";
    return std::nullopt;
}

std::optional<GpuSchedule> with_machine_loop(const GpuSchedule& schedule, const MatrixProduct& product,
                                             const target::Gpu& gpu) {
    if (objection_to_machine_loop(schedule, product, gpu)) return std::nullopt;
    GpuSchedule result = schedule;
    result.machine_loop = 1;
    return result;
}

GpuMatrixFinding search_gpu_schedule(const GpuMatrixSearchSetting& setting, GpuMatrixTimekeeper& timekeeper) {
    return ScheduleSearch(setting, timekeeper).run();
}

} // namespace swirl::search
