#include "search/gpu_matrix_search.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace swirl::search {

namespace {

using gemm::GpuGemmSchedule;
using gemm::SimtGemm;

/// A candidate replaces the incumbent only if it is faster by this factor, twice: a smaller margin may be luck.
constexpr double clearly_faster_schedule = 1.005;
/// Schedules compiled as a batch.
constexpr std::size_t compiled_at_once = 16;
/// Of these, the number timed against the incumbent at once.
constexpr std::size_t timed_at_once = 8;

class ScheduleSearch {
public:
    ScheduleSearch(const GpuGemmSearchOptions& setting, GpuGemmTimer& timer)
        : setting_(setting), timer_(timer), end_(timer.now() + setting.seconds) {}

    GpuGemmSearchResult run() {
        const std::vector<GpuGemmSchedule> likely = gemm::gpu_schedules(
            setting_.product, setting_.gpu, std::max<std::size_t>(setting_.most, 1), setting_.accuracy);
        ensure(!likely.empty(), "the model knows no schedule of a product that is not empty");
        search_result_.model = search_result_.found = likely.front();
        tried_.push_back(likely.front());
        best_spills_ = spills_of(timer_.compile(std::span(likely).first(1)).front());
        search_result_.seconds = timer_.seconds(std::span(likely).first(1)).front();
        search_result_.timed = 1;
        search_result_.is_complete = true;
        say(fmt::format("model: {:.3g} s, {}", search_result_.seconds, to_string(search_result_.found)));
        benchmark(likely, "the model's others");
        if (setting_.reorder_sass) benchmark(with_sass_reorderings(likely), "main loops in machine code");
        for (bool helped = true; helped && search_result_.is_complete;) {
            helped = false;
            for (const gemm::ScheduleParameter& parameter : parameters_of(search_result_.found))
                if (parameter.name != "stream_k_blocks")
                    helped = benchmark(neighbours(parameter), parameter.name) || helped;
            helped = benchmark(stream_k_variants(), "Stream-K") || helped;
        }
        say(fmt::format("{} schedules timed, {} left out{}", search_result_.timed, search_result_.left_out,
                        search_result_.is_complete ? "" : ", time was too short for all"));
        return search_result_;
    }

private:
    bool suits(const GpuGemmSchedule& schedule) const {
        if (reorders_sass(schedule) && !setting_.reorder_sass) return false;
        return !gemm::infeasibility(schedule, setting_.product, setting_.gpu) &&
               gemm::accuracy_of(schedule, setting_.product) <= setting_.accuracy;
    }

    /// Reordered variants of the incumbent and of some schedules that the model predicts fast. Each is also tried with
    /// one resident block fewer, which leaves the registers that such loops need.
    std::vector<GpuGemmSchedule> with_sass_reorderings(std::span<const GpuGemmSchedule> likely) const {
        std::vector<GpuGemmSchedule> result;
        const auto add = [&](const GpuGemmSchedule& schedule) {
            auto other = with_sass_reordering(schedule, setting_.product, setting_.gpu);
            if (!other) return;
            result.push_back(*other);
            if (other->resident-- > 1) result.push_back(*other);
        };
        add(search_result_.found);
        for (const GpuGemmSchedule& schedule : likely.first(std::min(timed_at_once, likely.size())))
            add(schedule);
        return result;
    }

    /// Schedules that differ from the incumbent in this parameter alone: all values of an enum, nearby numbers.
    std::vector<GpuGemmSchedule> neighbours(const gemm::ScheduleParameter& parameter) const {
        const std::optional<int> now = parameter.get(search_result_.found);
        if (!now) return {};
        std::vector<int> values = {2 * *now, *now / 2, *now * 3 / 2, *now * 3 / 4, *now + 1, *now - 1};
        if (!parameter.words.empty()) {
            values.resize(parameter.words.size());
            std::iota(values.begin(), values.end(), 0);
        }
        std::vector<GpuGemmSchedule> result;
        for (const int value : values)
            if (const auto other = with_value(search_result_.found, parameter, value))
                result.push_back(*other);
        return result;
    }
    /// Variants without Stream-K, and with as many blocks as the GPU holds: too few blocks would take long to time.
    std::vector<GpuGemmSchedule> stream_k_variants() const {
        const auto* const simt = std::get_if<SimtGemm>(&search_result_.found);
        if (simt == nullptr) return {};
        SimtGemm without = *simt;
        if (simt->stream_k() != nullptr) without.decomposition = gemm::DataParallel{};
        const auto streams = gemm::stream_k_candidates(without, setting_.product, setting_.gpu);
        std::vector<GpuGemmSchedule> result(streams.begin(), streams.end());
        result.emplace_back(without);
        return result;
    }

    /// Whether one of them replaced the incumbent.
    bool benchmark(const std::vector<GpuGemmSchedule>& all, std::string_view what) {
        std::vector<GpuGemmSchedule> candidates;
        for (const GpuGemmSchedule& schedule : all)
            if (std::find(tried_.begin(), tried_.end(), schedule) == tried_.end() && suits(schedule)) {
                candidates.push_back(schedule);
                tried_.push_back(schedule);
            }
        const GpuGemmSchedule before = search_result_.found;
        for (std::size_t first = 0; first < candidates.size(); first += compiled_at_once) {
            const std::size_t count = std::min(compiled_at_once, candidates.size() - first);
            if (!benchmark_compiled(std::span(candidates).subspan(first, count))) break;
        }
        if (search_result_.found == before) return false;
        say(fmt::format("{}: {:.3g} s, {}", what, search_result_.seconds, to_string(search_result_.found)));
        return true;
    }

    struct Candidate {
        GpuGemmSchedule schedule;
        CompiledGemm code;
        double expected = 0; ///< seconds
    };

    /// False if the time budget is spent.
    bool benchmark_compiled(std::span<const GpuGemmSchedule> schedules) {
        if (is_late()) return false;
        const std::vector<CompiledGemm> compiled = timer_.compile(schedules);
        std::vector<Candidate> candidates;
        for (std::size_t k = 0; k < schedules.size(); ++k)
            candidates.push_back(
                {schedules[k], compiled[k],
                 expected_seconds(compiled[k], setting_.product, schedules[k], setting_.gpu)});
        std::ranges::stable_sort(candidates, {}, &Candidate::expected);
        std::vector<Candidate> next;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (is_worth_timing(candidates[k])) next.push_back(candidates[k]);
            if (next.size() < timed_at_once && k + 1 < candidates.size()) continue;
            if (next.empty()) continue;
            if (is_late()) return false;
            benchmark_some(next);
            next.clear();
        }
        return true;
    }

    bool is_late() {
        if (timer_.now() < end_) return false;
        search_result_.is_complete = false;
        return true;
    }

    bool is_worth_timing(const Candidate& candidate) {
        const auto why = reason_not_to_time(candidate.code, setting_.product, candidate.schedule,
                                            setting_.gpu, {search_result_.seconds, best_spills_});
        if (!why) return true;
        ++search_result_.left_out;
        say(fmt::format("left out: {}, {}", *why, to_string(candidate.schedule)));
        return false;
    }

    void benchmark_some(std::span<const Candidate> candidates) {
        std::vector<GpuGemmSchedule> in_rotation = {search_result_.found};
        for (const Candidate& candidate : candidates) in_rotation.push_back(candidate.schedule);
        const std::vector<double> first = timer_.seconds(in_rotation);
        search_result_.timed += static_cast<int>(candidates.size());
        const auto fastest =
            static_cast<std::size_t>(std::min_element(first.begin(), first.end()) - first.begin());
        if (!(first[0] / first[fastest] >= clearly_faster_schedule)) return;
        const GpuGemmSchedule pair[] = {search_result_.found, in_rotation[fastest]};
        const std::vector<double> confirmed = timer_.seconds(pair);
        const double gained = confirmed[0] / confirmed[1];
        if (!(gained >= clearly_faster_schedule)) return;
        search_result_.found = in_rotation[fastest];
        best_spills_ = spills_of(candidates[fastest - 1].code);
        search_result_.seconds = confirmed[1];
        search_result_.speedup *= gained;
    }

    void say(const std::string& line) const {
        if (setting_.progress) setting_.progress(line);
    }

    const GpuGemmSearchOptions& setting_;
    GpuGemmTimer& timer_;
    double end_;
    GpuGemmSearchResult search_result_;
    long long best_spills_ = 0;
    std::vector<GpuGemmSchedule> tried_;
};

} // namespace

std::optional<std::string> sass_reordering_infeasibility(const GpuGemmSchedule& schedule,
                                                         const MatrixProduct& product,
                                                         const target::Gpu& gpu) {
    if (gpu.capability_major != 9 || gpu.capability_minor != 0)
        return fmt::format("main loops are put into another order on compute capability 9.0, not on {}.{}",
                           gpu.capability_major, gpu.capability_minor);
    for (const DataType number : {product.data_type, product.type_of_a(), product.type_of_b()})
        if (number != DataType::float32)
            return fmt::format("main loops of float32 are put into another order, not those of {}",
                               name_of(number));
    const auto* const simt = std::get_if<SimtGemm>(&schedule);
    if (simt == nullptr || simt->is_mma())
        return "tensor cores multiply; main loops in which threads do are put into another order";
    return std::nullopt;
}

std::optional<SimtGemm> with_sass_reordering(const GpuGemmSchedule& schedule, const MatrixProduct& product,
                                             const target::Gpu& gpu) {
    if (sass_reordering_infeasibility(schedule, product, gpu)) return std::nullopt;
    SimtGemm result = std::get<SimtGemm>(schedule);
    std::get<gemm::Fma>(result.math).reorder_sass = true;
    return result;
}

GpuGemmSearchResult search_gpu_schedule(const GpuGemmSearchOptions& setting, GpuGemmTimer& timer) {
    return ScheduleSearch(setting, timer).run();
}

} // namespace swirl::search
