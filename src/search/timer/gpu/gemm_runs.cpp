#include "search/timer/gpu/gemm_runs.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/timer.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"
#include "search/timer/gpu/random_array.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <system_error>
#include <thread>

namespace swirl::search {

namespace {

constexpr std::size_t max_sets = 64;
/// Capacity of the plan cache: the schedules that a search compiles together, the incumbent and some more.
constexpr std::size_t max_built = 24;

/// Extent of a matrix in elements; 1 if it is empty.
Extent reach(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    return rows == 0 || columns == 0 ? Extent{0, 0} : extent_of(layout, rows, columns, batch);
}

Integer count_of(const Extent& extent) { return extent.highest - extent.lowest + 1; }

} // namespace

std::size_t GpuGemmRuns::Matrices::bytes() const {
    std::size_t result = a.bytes() + b.bytes() + c.bytes();
    for (const runtime::GpuBuffer& array : arrays) result += array.bytes();
    return result;
}

GpuGemmRuns::GpuGemmRuns(const runtime::GpuDevice& device, const MatrixProduct& product, bool use_cache)
    : device_(device),
      stream_(device),
      product_(product),
      strided_(planning::with_contiguous_batch(product)),
      use_cache_(use_cache),
      extents_{reach(strided_.a, product.rows, product.k, product.batch),
               reach(strided_.b, product.k, product.columns, product.batch),
               reach(strided_.c, product.rows, product.columns, product.batch)} {
    add_matrices();
    const std::size_t bytes = sets_.front().bytes();
    const auto cache = static_cast<std::size_t>(device.attribute(runtime::cuda::DeviceAttribute::l2_bytes));
    const std::size_t max_free_sets = device.memory().free / 2 / bytes + 1;
    const std::size_t count = std::min({4 * cache / bytes + 1, max_free_sets, max_sets});
    while (sets_.size() < count) add_matrices();
    device.synchronize();
}

void GpuGemmRuns::add_matrices() {
    sets_.push_back({filled(product_.type_of_a(), count_of(extents_[0])),
                     filled(product_.type_of_b(), count_of(extents_[1])),
                     filled(product_.type_of_c(), count_of(extents_[2])),
                     {},
                     {}});
    for (const AuxiliaryArray& array : given_arrays_of(product_))
        sets_.back().arrays.push_back(
            filled(epilogue_type(product_), array.elements * (array.is_complex ? 2 : 1)));
    if (product_.listed && product_.batch > 0)
        sets_.back().lists.emplace(device_, strided_, arguments(sets_.back()));
}

runtime::GpuBuffer GpuGemmRuns::filled(DataType data_type, Integer count) const {
    return random_array(stream_, data_type, static_cast<std::size_t>(count * bytes_of(data_type)));
}

GpuGemmRuns::Built GpuGemmRuns::build(const gemm::GpuGemmSchedule& schedule) const {
    const planning::GpuMatrixPlanOptions options{.check = false, .use_cache = use_cache_, .reads_sass = true};
    try {
        return {schedule,
                planning::GpuMatrixPlan::build(product_, {device_.target().name, schedule}, device_, options),
                {}};
    } catch (const Error& error) { // it needs more than this GPU has, or the driver's compiler rejects it
        return {schedule, nullptr, error.what()};
    }
}

/// Builds all in parallel: the driver's compiler dominates and uses one thread per kernel.
std::vector<GpuGemmRuns::Built> GpuGemmRuns::built(std::span<const gemm::GpuGemmSchedule> schedules,
                                                   const Interrupt& interrupt) {
    std::vector<std::optional<Built>> found(schedules.size());
    for (std::size_t k = 0; k < schedules.size(); ++k)
        for (const Built& one : built_)
            if (one.schedule == schedules[k]) found[k] = one;
    std::atomic<std::size_t> next{0};
    const auto work = [&, is_in_section = ForkSection::is_inside(), caller = std::this_thread::get_id()] {
        const ForkSection::Joined joined(is_in_section);
        for (std::size_t k = next++; k < schedules.size(); k = next++) {
            if (interrupt && std::this_thread::get_id() == caller) interrupt();
            if (!found[k]) found[k] = build(schedules[k]);
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            while (others.size() + 1 < schedules.size()) others.emplace_back(work);
        } catch (const std::system_error&) {
            // fewer threads suffice
        }
        try {
            work();
        } catch (...) {
            next = schedules.size(); // the other threads end with their present schedule
            throw;
        }
    }
    std::vector<Built> result;
    for (std::optional<Built>& one : found) {
        std::erase_if(built_, [&](const Built& known) { return known.schedule == one->schedule; });
        built_.push_back(*one);
        result.push_back(*std::move(one));
    }
    while (built_.size() > max_built) built_.pop_front();
    return result;
}

std::vector<CompiledGemm> GpuGemmRuns::compile(std::span<const gemm::GpuGemmSchedule> schedules,
                                               const Interrupt& interrupt) {
    std::vector<CompiledGemm> result;
    for (const Built& one : built(schedules, interrupt)) {
        CompiledGemm& code = result.emplace_back();
        code.failed_because = one.failed_because;
        if (!one.plan) continue;
        code.not_reordered_because = one.plan->kernel()->not_reordered_because();
        code.score = one.plan->kernel()->score();
    }
    return result;
}

planning::GpuMatrixArguments GpuGemmRuns::arguments(const Matrices& matrices) const {
    const auto origin = [](const runtime::GpuBuffer& buffer, const Extent& extent, DataType data_type) {
        return reinterpret_cast<std::byte*>(buffer.address()) - extent.lowest * bytes_of(data_type);
    };
    return {.a = origin(matrices.a, extents_[0], product_.type_of_a()),
            .b = origin(matrices.b, extents_[1], product_.type_of_b()),
            .c = origin(matrices.c, extents_[2], product_.type_of_c())};
}

void GpuGemmRuns::execute(const planning::GpuMatrixPlan& plan, const Matrices& matrices) const {
    std::vector<const void*> arrays;
    for (const runtime::GpuBuffer& array : matrices.arrays)
        arrays.push_back(reinterpret_cast<const void*>(array.address()));
    constexpr std::array<float, 2> one = {1, 0}, zero = {}; // real component first
    constexpr std::array<double, 2> wide_one = {1, 0}, wide_zero = {};
    const bool is_wide =
        product_.data_type == DataType::float64 || product_.data_type == DataType::complex128;
    planning::GpuMatrixArguments all = arguments(matrices);
    if (matrices.lists) all = matrices.lists->of(all);
    all.alpha = is_wide ? static_cast<const void*>(wide_one.data()) : one.data();
    all.beta = is_wide ? static_cast<const void*>(wide_zero.data()) : zero.data();
    all.arrays = arrays;
    plan.execute(all, stream_.handle());
}

std::vector<double> GpuGemmRuns::seconds(std::span<const gemm::GpuGemmSchedule> schedules,
                                         const Interrupt& interrupt, InterleavedTimingOptions options) {
    const std::vector<Built> contenders = built(schedules, interrupt);
    std::vector<GpuWork> works;
    for (const Built& one : contenders)
        if (const Plan& plan = one.plan)
            works.push_back(
                {[this, &plan](std::size_t execution) { execute(*plan, sets_[execution % sets_.size()]); }});
    options.interrupt = interrupt;
    const std::vector<InterleavedTimes> times = time_interleaved(stream_, works, options);
    std::vector<double> result;
    std::size_t next = 0;
    for (const Built& one : contenders) {
        const InterleavedTimes* const timed = one.plan ? &times[next++] : nullptr;
        result.push_back(timed != nullptr && timed->failed_because.empty()
                             ? timed->time.median
                             : std::numeric_limits<double>::infinity());
    }
    return result;
}

} // namespace swirl::search
