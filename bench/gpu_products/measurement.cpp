#include "bench/gpu_products/measurement.hpp"

#include "base/error.hpp"
#include "bench/gpu_products/swirl_product.hpp"
#include "bench/support/gpu_copy.hpp"
#include "peers/cublas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>

namespace swirl::bench {
namespace {

using peers::GpuArithmetic;
using peers::GpuMatrixCall;

/// Maximum error of a sum, relative to the sum of its products' magnitudes, that rounding of operands and partial sums
/// can explain. A missing or wrong product shows as an error of about 1/K or more.
double error_at_most(const GpuMatrixCall& call) {
    // Operands of 11 significant bits: the errors of products are independent; four standard deviations of their sum.
    const double of_tf32 = 2e-3 * std::min(1.0, 4 / std::sqrt(static_cast<double>(call.depth)));
    switch (call.arithmetic) {
    case GpuArithmetic::float64: return 1e-14;
    case GpuArithmetic::float32:
    case GpuArithmetic::float32_tensors: return 2e-6;
    case GpuArithmetic::bfloat16:
    case GpuArithmetic::float16: return 1e-5; // operands are exact; tensor cores truncate sums
    case GpuArithmetic::tf32: return of_tf32;
    case GpuArithmetic::e4m3: break;
    }
    return 2e-3; // tensor cores keep about 14 bits of such sums
}

std::size_t sets_of(const Row& row, std::size_t bytes) {
    constexpr std::size_t most = 64;
    if (!row.from_memory) return 1;
    const auto each = static_cast<std::size_t>(row.call.bytes());
    return std::clamp<std::size_t>((bytes + each - 1) / each, 2, most);
}

std::string cublas_name(const GpuMatrixCall& call) {
    return call.arithmetic == GpuArithmetic::float32_tensors ? "cuBLAS emulated" : "cuBLAS";
}

} // namespace

double figure_of(const Result& result, const Entry& entry) {
    if (result.group->measure == Measure::gigabytes) return result.row.call.bytes() / entry.seconds() * 1e-9;
    return result.row.call.flops() / entry.seconds() * 1e-12;
}

std::string_view unit_of(const Result& result) {
    return word(result.group->measure == Measure::gigabytes ? Measure::gigabytes : Measure::teraflops);
}

double fraction_of_copy(const Result& result, const Entry& entry, double copy_bandwidth) {
    return result.row.call.bytes() / entry.seconds() / copy_bandwidth;
}

bool reaches_goal(const Result& result, double copy_bandwidth) {
    const auto named = [&](const char* name) {
        return std::find_if(result.entries.begin(), result.entries.end(),
                            [=](const Entry& entry) { return entry.name == name; });
    };
    const auto own = named("swirl"), peer = named("cuBLAS");
    const auto none = result.entries.end();
    if (own == none || is_wrong(result, *own)) return false;
    if (fraction_of_copy(result, *own, copy_bandwidth) < result.row.copy_goal) return false;
    if (result.group->measure != Measure::ratio) return figure_of(result, *own) >= result.row.goal;
    return result.row.goal == 0 || (peer != none && peer->time_over_swirl >= result.row.goal);
}

bool is_wrong(const Result& result, const Entry& entry) {
    if (!entry.error) return false;
    return !(*entry.error <= error_at_most(result.row.call)); // NaN is wrong, too
}

Measurements::Measurements(const runtime::GpuDevice& device, const Options& options)
    : device_(device), stream_(device), options_(options), clock_(device) {
    copy_bandwidth_ = measure_copy();
}

double Measurements::measure_copy() {
    constexpr std::size_t least = 4096;
    const std::size_t bytes = std::max(options_.bytes, least);
    std::vector<runtime::GpuBuffer> arrays;
    for (int k = 0; k < 4; ++k) {
        arrays.emplace_back(device_, bytes);
        fill_on_gpu(stream_, arrays.back().address(), static_cast<std::uint8_t>(k), bytes);
    }
    const CopyArrays pairs{{arrays[0].address(), arrays[1].address()},
                           {arrays[2].address(), arrays[3].address()}};
    return bench::copy_bandwidth(stream_, pairs, bytes, options_.timing);
}

const RandomPattern& Measurements::pattern_for(const GpuMatrixCall& call) {
    if (!pattern_ || !pattern_->serves(stored_operand(call), reach_of(call))) {
        pattern_.reset();
        pattern_.emplace(stream_, stored_operand(call), reach_of(call));
    }
    return *pattern_;
}

void Measurements::add_swirl(Result& result, const Operands& operands,
                             std::vector<Implementation>& implementations) const {
    const GpuMatrixCall& call = result.row.call;
    std::vector<std::string> schedules = options_.schedules;
    try {
        if (options_.candidates > 0) schedules = swirl_schedules(call, options_.candidates, stream_);
        if (schedules.empty() && !result.row.decisions.empty())
            schedules = {swirl_schedules(call, 1, stream_).at(0) + " " + result.row.decisions};
    } catch (const std::exception& error) {
        result.absent["swirl"] = first_line(error.what());
        return;
    }
    if (schedules.empty()) schedules = {""};
    for (std::size_t k = 0; k < schedules.size(); ++k) try {
            Entry entry{.name = swirls_name(k)};
            SwirlProduct product;
            entry.planning_seconds =
                seconds_of([&] { product = swirl_product(call, schedules[k], stream_, options_.use_cache); });
            entry.made_by = product.schedule;
            entry.model_seconds = product.model_seconds;
            implementations.push_back({entry, {[product, &operands](std::size_t execution) {
                                           product.execute(operands.pointers(execution));
                                       }}});
        } catch (const std::exception& error) {
            std::string& reason = result.absent[swirls_name(k)];
            reason = first_line(error.what());
            if (!schedules[k].empty()) reason += fmt::format(" ({})", schedules[k]);
        }
}

void Measurements::add_cublas(const std::string& name, const GpuMatrixCall& call, Result& result,
                              const Operands& operands, std::vector<Implementation>& implementations) const {
    try {
        Entry entry{.name = name};
        std::shared_ptr<const peers::CublasPlan> plan;
        entry.planning_seconds = seconds_of(
            [&] { plan = std::make_shared<const peers::CublasPlan>(call, device_, stream_.handle()); });
        entry.made_by = plan->routine();
        entry.workspace_bytes = plan->workspace_bytes();
        implementations.push_back({entry, {[plan, &operands](std::size_t execution) {
                                       const Operands::Pointers to = operands.pointers(execution);
                                       plan->execute(to.a, to.b, to.c);
                                   }}});
    } catch (const std::exception& error) {
        result.absent[name] = first_line(error.what());
    }
}

void Measurements::compare(const GpuMatrixCall& call, const Operands& operands,
                           std::vector<Implementation>& implementations) const {
    const std::vector<ResultIndex> indices = results_to_compare(call);
    std::vector<ExactResult> exact;
    for (const ResultIndex& at : indices) exact.push_back(exact_result(call, pattern_->numbers(), at));
    for (Implementation& implementation : implementations) {
        operands.fill(*pattern_);
        try {
            implementation.work.launch(0);
            stream_.synchronize();
        } catch (const std::exception&) {
            continue; // timing fails likewise, and reports it
        }
        const std::vector<double> found = operands.results(indices);
        double largest = 0;
        for (std::size_t k = 0; k < found.size(); ++k) {
            const auto error = static_cast<double>(std::abs(found[k] - exact[k].value) / exact[k].magnitude);
            if (!(error <= largest)) largest = error;
            if (std::isnan(error)) break;
        }
        implementation.entry.error = largest;
    }
}

/// Results that differ are wrong.
void Measurements::soak(const Operands& operands, std::vector<Implementation>& implementations) const {
    std::vector<std::byte> expected;
    for (Implementation& implementation : implementations) {
        if (!implementation.entry.name.starts_with("swirl")) continue;
        std::size_t different = 0;
        for (std::size_t k = 0; k < options_.soak; ++k) {
            operands.fill(*pattern_);
            implementation.work.launch(0);
            stream_.synchronize();
            std::vector<std::byte> found = operands.all_results();
            if (expected.empty())
                expected = std::move(found);
            else if (found != expected)
                ++different;
        }
        if (different == 0) continue;
        implementation.entry.error = std::numeric_limits<double>::quiet_NaN();
        std::fprintf(stderr, "bench_gpu_products: %zu of %zu results of %s differ\n", different,
                     options_.soak, implementation.entry.name.c_str());
    }
}

double Measurements::clock_after(const Implementation& implementation, double seconds) const {
    constexpr double load = 0.02;           // seconds
    constexpr double max_executions = 1000; // enqueueing is faster than execution
    const auto executions =
        static_cast<std::size_t>(std::clamp(std::ceil(load / seconds), 1.0, max_executions));
    for (std::size_t k = 0; k < executions; ++k) implementation.work.launch(k);
    return clock_.hertz(stream_);
}

Result Measurements::measure(const Group& group, const Row& row) {
    Result result{&group, row, {}, {}, 0};
    try {
        measure(result);
    } catch (const OutOfMemory& error) {
        for (const char* name : {"swirl", "cuBLAS"}) result.absent[name] = first_line(error.what());
    }
    device_.synchronize(); // if the GPU can no longer run anything, the benchmark ends here
    return result;
}

void Measurements::measure(Result& result) {
    const Row& row = result.row;
    const RandomPattern& pattern = pattern_for(row.call);
    const Operands operands(stream_, row.call, sets_of(row, options_.bytes));
    std::vector<Implementation> implementations;
    add_swirl(result, operands, implementations);
    if (row.call.arithmetic == GpuArithmetic::float32_tensors) {
        GpuMatrixCall plain = row.call;
        plain.arithmetic = GpuArithmetic::float32;
        add_cublas("cuBLAS", plain, result, operands, implementations);
    }
    add_cublas(cublas_name(row.call), row.call, result, operands, implementations);
    if (options_.compare) compare(row.call, operands, implementations);
    if (options_.soak > 0) soak(operands, implementations);
    operands.fill(pattern);
    time_implementations(stream_, implementations, options_.timing, result.entries, result.absent);
    if (!result.entries.empty())
        for (const Implementation& implementation : implementations)
            if (implementation.entry.name == result.entries[0].name)
                result.hertz = clock_after(implementation, result.entries[0].seconds());
}

} // namespace swirl::bench
