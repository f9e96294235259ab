#include "search/timer/cpu/gemm_runs.hpp"

#include "base/fork_gate.hpp"
#include "plan/gemm/cpu/blocks.hpp"
#include "plan/gemm/values.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/timer.hpp"
#include "search/cost/probe/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace swirl::search {

namespace {

/// A schedule whose speed is below this fraction after the first rounds is dropped.
constexpr double hopeless_speedup = 0.94;
constexpr int first_rounds = 3;
constexpr int rounds_to_screen = 5, rounds_to_confirm = 9, rounds_at_last = 15;

runtime::AlignedBuffer random_square(DataType data_type, Integer extent) {
    const auto scalars = static_cast<std::size_t>(extent * extent * gemm::scalars_in(data_type));
    const bool is_single = gemm::scalar_of(data_type) == DataType::float32;
    runtime::AlignedBuffer buffer(scalars * (is_single ? sizeof(float) : sizeof(double)));
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto fill = [&](auto values) {
        for (auto& each : values) each = uniform(random);
    };
    if (is_single)
        fill(buffer.span_of<float>());
    else
        fill(buffer.span_of<double>());
    return buffer;
}

double median(const std::vector<double>& values) { return runtime::summarize(values).median; }

/// A probe's multiply-add kernel, run for about as long as the other work.
class Peak {
public:
    Peak(DataType data_type, double seconds)
        : kernels_(best_probe_kernels()),
          arithmetic_(gemm::scalar_of(data_type) == DataType::float32 ? kernels_.float32 : kernels_.float64),
          data_(static_cast<std::size_t>(arithmetic_.elements) * sizeof(double)) {
        iterations_ = 1000;
        iterations_ = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(seconds * flops_per_second() / arithmetic_.flops_each));
    }
    double flops_per_second() {
        void* const buffers[] = {data_.data()};
        const double start = runtime::thread_seconds();
        arithmetic_.run(buffers, &iterations_);
        return arithmetic_.flops_each * static_cast<double>(iterations_) /
               (runtime::thread_seconds() - start);
    }

private:
    ProbeKernels kernels_;
    const ProbeKernels::Arithmetic& arithmetic_;
    runtime::AlignedBuffer data_;
    std::int64_t iterations_ = 0;
};

} // namespace

std::vector<Integer> tuned_extents() { return {500, 1000}; }

double flops_of_square(DataType data_type, Integer extent) {
    const double n = static_cast<double>(extent);
    return (is_complex(data_type) ? 8 : 2) * n * n * n;
}

CpuGemmRuns::CpuGemmRuns(DataType data_type, std::vector<Integer> extents, bool may_migrate)
    : data_type_(data_type),
      extents_(std::move(extents)),
      may_migrate_(may_migrate),
      a_(random_square(data_type, *std::max_element(extents_.begin(), extents_.end()))),
      b_(random_square(data_type, *std::max_element(extents_.begin(), extents_.end()))),
      c_(a_.bytes()) {}

planning::MatrixKernels& CpuGemmRuns::kernels_of(const gemm::BlockedGemm& schedule) {
    for (planning::MatrixKernels& kernels : kernels_)
        if (kernels.schedule() == schedule) return kernels;
    return kernels_.emplace_back(data_type_, schedule, target::host_cpu());
}

double CpuGemmRuns::run(planning::MatrixKernels& kernels, Integer extent, const Interrupt& interrupt) {
    if (interrupt) interrupt();
    const ForkSection::Outside outside; // executions need no section, and take long
    const MatrixProduct product = MatrixProduct::column_major(data_type_, extent, extent, extent);
    const gemm::BlockedGemm& schedule = kernels.schedule();
    const Integer k_extent = gemm::balanced_block(extent, schedule.kc, schedule.unroll);
    double seconds = 0;
    planning::with_data_type(data_type_, [&](auto example) {
        using T = decltype(example);
        const T one(1), zero(0);
        const double start = runtime::thread_seconds();
        planning::multiply_blocks(kernels, product, {&one, a_.data(), b_.data(), &zero, c_.data()},
                                  gemm::Update::overwrite, k_extent);
        seconds = runtime::thread_seconds() - start;
    });
    return seconds;
}

CpuGemmRuns::Comparison CpuGemmRuns::compare_at(Integer extent, planning::MatrixKernels& kernels,
                                                planning::MatrixKernels& others, int rounds,
                                                const Interrupt& interrupt) {
    run(kernels, extent, interrupt); // generates kernels, warms the caches
    run(others, extent, interrupt);
    std::vector<double> ratios, times;
    for (int round = 0; round < rounds; ++round) {
        const bool is_first = round % 2 == 0;
        const double before = is_first ? 0 : run(kernels, extent, interrupt);
        const double other = run(others, extent, interrupt);
        times.push_back(other);
        ratios.push_back(other / (is_first ? run(kernels, extent, interrupt) : before));
        if (round + 1 == first_rounds && median(ratios) < hopeless_speedup) break;
    }
    return {median(times), median(ratios)};
}

CpuGemmRuns::Comparison CpuGemmRuns::compare(const gemm::BlockedGemm& schedule,
                                             const gemm::BlockedGemm& other, Care care,
                                             const Interrupt& interrupt) {
    std::optional<runtime::PinnedThread> pinned;
    if (!may_migrate_) pinned.emplace();
    planning::MatrixKernels &kernels = kernels_of(schedule), &others = kernels_of(other);
    const int rounds = care == Care::last      ? rounds_at_last
                       : care == Care::confirm ? rounds_to_confirm
                                               : rounds_to_screen;
    double logarithms = 0;
    Comparison last;
    for (const Integer extent : extents_) { // in increasing order
        last = compare_at(extent, kernels, others, rounds, interrupt);
        if (last.speedup < hopeless_speedup)
            return {extent == extents_.back() ? last.seconds : 0, last.speedup};
        logarithms += std::log(last.speedup);
    }
    return {last.seconds, std::exp(logarithms / static_cast<double>(extents_.size()))};
}

double CpuGemmRuns::seconds(const gemm::BlockedGemm& schedule, const Interrupt& interrupt) {
    std::optional<runtime::PinnedThread> pinned;
    if (!may_migrate_) pinned.emplace();
    planning::MatrixKernels& kernels = kernels_of(schedule);
    const Integer extent = *std::max_element(extents_.begin(), extents_.end());
    std::vector<double> times;
    for (int round = 0; round < first_rounds; ++round) times.push_back(run(kernels, extent, interrupt));
    return median(times);
}

MatrixRates CpuGemmRuns::rates(const std::vector<gemm::BlockedGemm>& schedules, Integer extent,
                               double seconds) {
    const runtime::PinnedThread pinned;
    const std::size_t count = schedules.size();
    std::vector<planning::MatrixKernels*> kernels;
    double once = 0;
    for (const gemm::BlockedGemm& schedule : schedules) {
        kernels.push_back(&kernels_of(schedule));
        run(*kernels.back(), extent);
        once = run(*kernels.back(), extent);
    }
    Peak peak(data_type_, std::min(once, 0.02));
    std::vector<std::vector<double>> times(count), ratios(count);
    std::vector<double> peaks;
    const double start = runtime::monotonic_seconds();
    for (std::size_t round = 0; round < first_rounds || runtime::monotonic_seconds() - start < seconds;
         ++round) {
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t which = (k + round) % count;
            times[which].push_back(run(*kernels[which], extent));
        }
        peaks.push_back(peak.flops_per_second());
        for (std::size_t which = 0; which < count; ++which)
            ratios[which].push_back(times[0].back() / times[which].back());
    }
    MatrixRates result;
    result.peak = median(peaks);
    const double flops = flops_of_square(data_type_, extent);
    for (std::size_t which = 0; which < count; ++which) {
        const runtime::Measurement time = runtime::summarize(times[which]);
        result.schedules.push_back({flops / time.median, flops / time.minimum, median(ratios[which])});
    }
    return result;
}

} // namespace swirl::search
