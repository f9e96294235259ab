#include "search/wisdom/gpu_matrix_wisdom.hpp"

#include <swirl/matrix_product.hpp>
#include <swirl/problem.hpp>
#include "base/error.hpp"
#include "base/version.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "search/timer/gpu_matrix_timer.hpp"
#include "search/wisdom/gpu_transform_wisdom.hpp"
#include "search/wisdom/shared_wisdom.hpp"

namespace swirl::search {

namespace {

/// Different accuracies have different keys; so do searches that may reorder SASS main loops.
WisdomKey key_of(const MatrixProduct& product, const runtime::GpuDevice& device, Accuracy accuracy,
                 bool reorder_sass) {
    std::string text = to_text(product);
    if (accuracy != Accuracy::ordinary) text += fmt::format(" accuracy={}", static_cast<int>(accuracy));
    if (reorder_sass) text += " reorder_sass";
    return {gpu_identity_of(device).key, text};
}

} // namespace

std::optional<gemm::GpuGemmSchedule> lookup_gpu_schedule(const MatrixProduct& product,
                                                         const runtime::GpuDevice& device, Accuracy accuracy,
                                                         bool reorder_sass) {
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(product, device, accuracy, reorder_sass);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry || entry->version != version() || entry->found_by == FoundBy::estimate) return std::nullopt;
    try {
        const gemm::GpuGemmSchedule schedule = gemm::parse_gpu_schedule(entry->schedule);
        gemm::validate(schedule, product, device.target());
        if (gemm::accuracy_of(schedule, product) > accuracy) { // no search stores such a schedule
            wisdom->erase(key);
            return std::nullopt;
        }
        if (gemm::reorders_sass(schedule) && !reorder_sass) return std::nullopt;
        return schedule;
    } catch (const UserError&) {
        wisdom->erase(key); // damaged, or for another kind of GPU
        return std::nullopt;
    }
}

void store_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                        const gemm::GpuGemmSchedule& schedule, double seconds, Accuracy accuracy,
                        bool reorder_sass) {
    if (Wisdom* const wisdom = shared_wisdom(true))
        wisdom->replace(key_of(product, device, accuracy, reorder_sass),
                        {.schedule = to_string(schedule), .seconds = seconds, .found_by = FoundBy::measure});
}

gemm::GpuGemmSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                          const GpuScheduleOptions& options) {
    const target::Gpu& gpu = device.target();
    const std::vector<gemm::GpuGemmSchedule> likely = gemm::gpu_schedules(product, gpu, 1, options.accuracy);
    if (likely.empty()) return {}; // C is empty
    if (options.use_wisdom)
        if (const auto known = lookup_gpu_schedule(product, device, options.accuracy, options.reorder_sass))
            return *known;
    if (!options.measures) {
        const auto other =
            options.reorder_sass ? with_sass_reordering(likely.front(), product, gpu) : std::nullopt;
        return other ? gemm::GpuGemmSchedule(*other) : likely.front();
    }
    DeviceGemmTimer timer(device, product, options.use_cache);
    const GpuGemmSearchResult search_result = search_gpu_schedule({.product = product,
                                                                   .gpu = gpu,
                                                                   .seconds = options.seconds,
                                                                   .most = options.most,
                                                                   .accuracy = options.accuracy,
                                                                   .reorder_sass = options.reorder_sass,
                                                                   .progress = options.progress},
                                                                  timer);
    if (options.use_wisdom)
        store_gpu_schedule(product, device, search_result.found, search_result.seconds, options.accuracy,
                           options.reorder_sass);
    return search_result.found;
}

} // namespace swirl::search
