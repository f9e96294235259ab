#include "search/gpu_matrix_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "gemm/gpu_model.hpp"
#include "problem/matrix_syntax.hpp"
#include "search/gpu_matrix_timekeeper.hpp"
#include "search/gpu_remembered.hpp"
#include "search/shared_wisdom.hpp"

namespace swirl::search {

namespace {

/// Products of different accuracy are different ones.
WisdomKey key_of(const MatrixProduct& product, const runtime::GpuDevice& device, Accuracy accuracy) {
    std::string text = to_text(product);
    if (accuracy != Accuracy::ordinary) text += fmt::format(" accuracy={}", static_cast<int>(accuracy));
    return {gpu_machine_of(device).key, text};
}

} // namespace

std::optional<gemm::GpuSchedule> remembered_gpu_schedule(const MatrixProduct& product,
                                                         const runtime::GpuDevice& device,
                                                         Accuracy accuracy) {
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(product, device, accuracy);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry || entry->version != version() || entry->found_by == FoundBy::estimate) return std::nullopt;
    try {
        const gemm::GpuSchedule schedule = gemm::parse_gpu_schedule(entry->recipe);
        gemm::validate(schedule, product, device.target());
        return schedule;
    } catch (const UserError&) {
        wisdom->forget(key); // damaged, or of another kind of GPU
        return std::nullopt;
    }
}

void remember_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                           const gemm::GpuSchedule& schedule, double seconds, Accuracy accuracy) {
    if (Wisdom* const wisdom = shared_wisdom(true))
        wisdom->replace(key_of(product, device, accuracy),
                        {.recipe = to_string(schedule), .seconds = seconds, .found_by = FoundBy::measure});
}

gemm::GpuSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                      const GpuScheduleOptions& options) {
    const target::Gpu& gpu = device.target();
    const std::vector<gemm::GpuSchedule> likely = gemm::gpu_schedules(product, gpu, 1, options.accuracy);
    if (likely.empty()) return {};
    if (options.use_wisdom)
        if (const auto known = remembered_gpu_schedule(product, device, options.accuracy)) return *known;
    if (!options.measures) return likely.front();
    DeviceMatrixTimekeeper timekeeper(device, product, options.use_cache);
    const GpuMatrixFinding finding = search_gpu_schedule({.product = product,
                                                          .gpu = gpu,
                                                          .seconds = options.seconds,
                                                          .most = options.most,
                                                          .accuracy = options.accuracy,
                                                          .progress = options.progress},
                                                         timekeeper);
    if (options.use_wisdom)
        remember_gpu_schedule(product, device, finding.found, finding.seconds, options.accuracy);
    return finding.found;
}

} // namespace swirl::search
