#include "search/candidates/gpu/gemm.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

namespace swirl::search {

using gemm::GpuGemmSchedule;
using gemm::SimtGemm;
using planning::Schedule;

namespace {

/// Schedules compiled as a batch.
constexpr std::size_t compiled_at_once = 16;
/// Of the model's schedules, those that are also tried with reordered main loops.
constexpr std::size_t reordered_of_model = 8;
constexpr double clearly_faster_on_gpu = 1.005;

/// The space of one product.
class GpuGemmSpace {
public:
    GpuGemmSpace(const MatrixProduct& product, GpuGemmOptions options)
        : product_(product),
          options_(std::move(options)),
          likely_(gemm::gpu_schedules(product, options_.gpu, std::max<std::size_t>(options_.most, 1),
                                      options_.accuracy)) {
        ensure(!likely_.empty(), "the model knows no schedule of a product that is not empty");
    }

    Schedule model() const { return {options_.gpu.name, likely_.front()}; }

    std::vector<Schedule> proposals() const {
        std::vector<GpuGemmSchedule> all;
        for (const Schedule& other : options_.others) all.push_back(other.gpu_gemm());
        all.insert(all.end(), likely_.begin() + 1, likely_.end());
        return allowed(all);
    }

    /// Reordered variants of the incumbent and of some schedules that the model predicts fast. Each is also tried with
    /// one resident block fewer, which leaves the registers that such loops need.
    std::vector<Schedule> sass_reorderings(const GpuGemmSchedule& incumbent) const {
        std::vector<GpuGemmSchedule> result;
        if (!options_.reorder_sass) return {};
        const auto add = [&](const GpuGemmSchedule& schedule) {
            auto other = with_sass_reordering(schedule, product_, options_.gpu);
            if (!other) return;
            result.push_back(*other);
            if (other->resident-- > 1) result.push_back(*other);
        };
        add(incumbent);
        for (std::size_t k = 0; k < std::min(reordered_of_model, likely_.size()); ++k) add(likely_[k]);
        return allowed(result);
    }

    /// Schedules that differ from the incumbent in this parameter alone: all values of an enum, nearby numbers.
    std::vector<Schedule> neighbours(const GpuGemmSchedule& incumbent,
                                     const gemm::ScheduleParameter& parameter) const {
        if (parameters_of(incumbent).data() > &parameter ||
            &parameter >= parameters_of(incumbent).data() + parameters_of(incumbent).size())
            return {}; // of the other kernel
        const std::optional<int> now = parameter.get(incumbent);
        if (!now) return {};
        std::vector<int> values = {2 * *now, *now / 2, *now * 3 / 2, *now * 3 / 4, *now + 1, *now - 1};
        if (!parameter.words.empty()) {
            values.resize(parameter.words.size());
            std::iota(values.begin(), values.end(), 0);
        }
        std::vector<GpuGemmSchedule> result;
        for (const int value : values)
            if (const auto other = with_value(incumbent, parameter, value)) result.push_back(*other);
        return allowed(result);
    }

    /// Variants without Stream-K, and with as many blocks as the GPU holds: too few blocks would take long to time.
    std::vector<Schedule> stream_k_variants(const GpuGemmSchedule& incumbent) const {
        const auto* const simt = std::get_if<SimtGemm>(&incumbent);
        if (simt == nullptr) return {};
        SimtGemm without = *simt;
        if (simt->stream_k() != nullptr) without.decomposition = gemm::DataParallel{};
        const auto streams =
            gemm::stream_k_candidates(without, gemm::canonical_for_gpu(product_), options_.gpu);
        std::vector<GpuGemmSchedule> result(streams.begin(), streams.end());
        result.emplace_back(without);
        return allowed(result);
    }

private:
    std::vector<Schedule> allowed(const std::vector<GpuGemmSchedule>& schedules) const {
        std::vector<Schedule> result;
        for (const GpuGemmSchedule& schedule : schedules)
            if (is_allowed(schedule, product_, options_)) result.emplace_back(options_.gpu.name, schedule);
        return result;
    }

    const MatrixProduct& product_;
    GpuGemmOptions options_;
    std::vector<GpuGemmSchedule> likely_; ///< by the model, fastest first
};

} // namespace

bool is_allowed(const GpuGemmSchedule& schedule, const MatrixProduct& product,
                const GpuGemmOptions& options) {
    if (reorders_sass(schedule) && !options.reorder_sass) return false;
    return !gemm::infeasibility(schedule, product, options.gpu) &&
           gemm::accuracy_of(schedule, product) <= options.accuracy;
}

SearchSpace gpu_gemm_space(const MatrixProduct& product, GpuGemmOptions options) {
    const auto space = std::make_shared<const GpuGemmSpace>(product, std::move(options));
    SearchSpace result{.estimate = space->model()};
    result.proposals = [space](Benchmark&, double) { return space->proposals(); };
    result.actions.push_back({"main loops in machine code", [space](const Schedule& incumbent, auto) {
                                  return space->sass_reorderings(incumbent.gpu_gemm());
                              }});
    for (const GpuGemmSchedule& kernel : {GpuGemmSchedule(SimtGemm{}), GpuGemmSchedule(gemm::WgmmaGemm{}),
                                          GpuGemmSchedule(gemm::BatchedGemm{})})
        for (const gemm::ScheduleParameter& parameter : parameters_of(kernel))
            if (parameter.name != "stream_k_blocks")
                result.actions.push_back(
                    {std::string(parameter.name), [space, &parameter](const Schedule& incumbent, auto) {
                         return space->neighbours(incumbent.gpu_gemm(), parameter);
                     }});
    result.actions.push_back({"Stream-K", [space](const Schedule& incumbent, auto) {
                                  return space->stream_k_variants(incumbent.gpu_gemm());
                              }});
    result.rounds = std::numeric_limits<int>::max();
    result.compared_at_once = compiled_at_once;
    result.clearly_faster = clearly_faster_on_gpu;
    return result;
}

std::optional<std::string> sass_reordering_infeasibility(const GpuGemmSchedule& schedule,
                                                         const MatrixProduct& product,
                                                         const target::Gpu& gpu) {
    if (gpu.capability_major != 9 || gpu.capability_minor != 0)
        return fmt::format("main loops are put into another order on compute capability 9.0, not on {}.{}",
                           gpu.capability_major, gpu.capability_minor);
    for (const DataType data_type : {product.data_type, product.type_of_a(), product.type_of_b()})
        if (data_type != DataType::float32)
            return fmt::format("main loops of float32 are put into another order, not those of {}",
                               name_of(data_type));
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

} // namespace swirl::search
