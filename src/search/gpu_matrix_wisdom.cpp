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

/// Products of different accuracy are different ones, and so are those whose main loops may be in machine code.
WisdomKey key_of(const MatrixProduct& product, const runtime::GpuDevice& device, Accuracy accuracy,
                 bool machine_loops) {
    std::string text = to_text(product);
    if (accuracy != Accuracy::ordinary) text += fmt::format(" accuracy={}", static_cast<int>(accuracy));
    if (machine_loops) text += " machine_loops";
    return {gpu_machine_of(device).key, text};
}

} // namespace

std::optional<gemm::GpuSchedule> remembered_gpu_schedule(const MatrixProduct& product,
                                                         const runtime::GpuDevice& device, Accuracy accuracy,
                                                         bool machine_loops) {
    Wisdom* const wisdom = shared_wisdom(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(product, device, accuracy, machine_loops);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry || entry->version != version() || entry->found_by == FoundBy::estimate) return std::nullopt;
    try {
        const gemm::GpuSchedule schedule = gemm::parse_gpu_schedule(entry->recipe);
        gemm::validate(schedule, product, device.target());
        if (gemm::accuracy_of(schedule, product) > accuracy) { // as no search keeps it
            wisdom->forget(key);
            return std::nullopt;
        }
        if (schedule.machine_loop != 0 && !machine_loops) return std::nullopt;
        return schedule;
    } catch (const UserError&) {
        wisdom->forget(key); // damaged, or of another kind of GPU
        return std::nullopt;
    }
}

void remember_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                           const gemm::GpuSchedule& schedule, double seconds, Accuracy accuracy,
                           bool machine_loops) {
    if (Wisdom* const wisdom = shared_wisdom(true))
        wisdom->replace(key_of(product, device, accuracy, machine_loops),
                        {.recipe = to_string(schedule), .seconds = seconds, .found_by = FoundBy::measure});
}

gemm::GpuSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                      const GpuScheduleOptions& options) {
    const target::Gpu& gpu = device.target();
    const std::vector<gemm::GpuSchedule> likely = gemm::gpu_schedules(product, gpu, 1, options.accuracy);
    if (likely.empty()) return {}; // C has no elements
    if (options.use_wisdom)
        if (const auto known =
                remembered_gpu_schedule(product, device, options.accuracy, options.machine_loops))
            return *known;
    if (!options.measures) {
        const auto other =
            options.machine_loops ? with_machine_loop(likely.front(), product, gpu) : std::nullopt;
        return other.value_or(likely.front());
    }
    DeviceMatrixTimekeeper timekeeper(device, product, options.use_cache);
    const GpuMatrixFinding finding = search_gpu_schedule({.product = product,
                                                          .gpu = gpu,
                                                          .seconds = options.seconds,
                                                          .most = options.most,
                                                          .accuracy = options.accuracy,
                                                          .machine_loops = options.machine_loops,
                                                          .progress = options.progress},
                                                         timekeeper);
    if (options.use_wisdom)
        remember_gpu_schedule(product, device, finding.found, finding.seconds, options.accuracy,
                              options.machine_loops);
    return finding.found;
}

} // namespace swirl::search
