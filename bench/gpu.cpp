#include "bench/gpu.hpp"

#include "base/error.hpp"
#include "bench/row.hpp"
#include "bench/support/gpu_copy.hpp"
#include "bench/support/setting.hpp"
#include "cli/run_record.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace swirl::bench {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
constexpr std::size_t bytes_to_copy = 256 * mebibyte;    // on a side, less where memory is scarce
constexpr std::size_t beyond_the_cache = 256 * mebibyte; // of all sets together
constexpr std::size_t most_sets = 64;

double measured_copy(const runtime::GpuStream& stream) {
    const std::size_t bytes = std::min(bytes_to_copy, stream.device().memory().free / 8 / 4096 * 4096);
    std::vector<runtime::GpuBuffer> arrays;
    for (std::uint8_t k = 0; k < 4; ++k) {
        arrays.emplace_back(stream.device(), bytes);
        fill_on_gpu(stream, arrays.back().address(), k, bytes);
    }
    const CopyArrays pairs{{arrays[0].address(), arrays[1].address()},
                           {arrays[2].address(), arrays[3].address()}};
    return copy_bandwidth(stream, pairs, bytes, {});
}

search::InterleavedTimingOptions timing_options(const Options& options) {
    search::InterleavedTimingOptions result{.seconds = options.seconds};
    if (options.sample > 0) result.sample = options.sample;
    return result;
}

class Gpu : public Device {
public:
    explicit Gpu(const Options& options) : options_(options), gpu_(in_use(options)) {}

    std::unique_ptr<Measurement> prepare(const Problem& problem) override {
        return std::visit([&](const auto& one) { return measurement_on_gpu(one, options_, gpu_); }, problem);
    }

    cli::Json machine() const override {
        const target::Gpu& gpu = gpu_.device.target();
        cli::Json json = {{"gpu", gpu_.device.properties().name},
                          {"driver", driver_text(gpu_.device.driver())},
                          {"multiprocessors", gpu.multiprocessors},
                          {"hertz", cli::rounded(gpu.rates.hertz)},
                          {"memory_bytes_per_second", cli::rounded(gpu.rates.memory_bytes)},
                          {"copy_bytes_per_second", cli::rounded(gpu_.copy_bytes_per_second)}};
        for (const DataType type : {DataType::float64, DataType::float32})
            json[fmt::format("flops_{}", name_of(type))] = cli::rounded(peak_flops(gpu, bytes_of(type)));
        for (const DataType type : {DataType::float64, DataType::float32, DataType::float16})
            if (const double peak = peak_tensor_flops(gpu, bytes_of(type)); peak > 0)
                json[fmt::format("tensor_flops_{}", name_of(type))] = cli::rounded(peak);
        return json;
    }

private:
    static GpuInUse in_use(const Options& options) {
        setenv("CUDA_CACHE_DISABLE", "1",
               1); // the driver's own cache would serve plans that were made before
        const runtime::GpuDevice device(options.planning.device.ordinal());
        runtime::GpuStream stream(device);
        const double copy = measured_copy(stream);
        return {device, std::move(stream), copy};
    }

    Options options_;
    GpuInUse gpu_;
};

} // namespace

GpuMeasurement::GpuMeasurement(const Options& options, const GpuInUse& gpu,
                               std::vector<std::span<std::byte>> arrays)
    : options_(options), gpu_(gpu), arrays_(std::move(arrays)) {
    std::size_t each = 1;
    for (const auto& array : arrays_) each += array.size();
    const std::size_t sets =
        options.cold ? std::clamp<std::size_t>((beyond_the_cache + each - 1) / each, 2, most_sets) : 1;
    for (std::size_t k = 0; k < sets; ++k) {
        auto& set = sets_.emplace_back();
        for (const auto& array : arrays_) set.emplace_back(gpu.device, array.size());
    }
}

void* GpuMeasurement::address(const void* on_host, std::size_t execution) const {
    if (on_host == nullptr) return nullptr;
    const auto* const byte = static_cast<const std::byte*>(on_host);
    for (std::size_t k = 0; k < arrays_.size(); ++k)
        if (byte >= arrays_[k].data() && byte < arrays_[k].data() + arrays_[k].size())
            return reinterpret_cast<void*>(sets_[execution % sets_.size()][k].address() +
                                           static_cast<std::size_t>(byte - arrays_[k].data()));
    throw InternalError("an address outside of the benchmark's arrays");
}

void GpuMeasurement::upload() const {
    for (const auto& set : sets_)
        for (std::size_t k = 0; k < arrays_.size(); ++k)
            copy_to_gpu(gpu_.device, set[k].address(), arrays_[k].data(), arrays_[k].size());
    gpu_.device.synchronize();
}

void GpuMeasurement::download() const {
    for (std::size_t k = 0; k < arrays_.size(); ++k)
        copy_from_gpu(gpu_.device, arrays_[k].data(), sets_[0][k].address(), arrays_[k].size());
}

GpuMeasurement::SwirlPlan GpuMeasurement::swirl_plan(const Problem& problem,
                                                     const swirl::Options& planning) const {
    Plan plan = swirl::plan(problem, planning);
    const auto memory = std::make_shared<const runtime::GpuBuffer>(gpu_.device, plan.workspace_bytes());
    const Workspace workspace{reinterpret_cast<void*>(memory->address()), memory->bytes()};
    return {std::move(plan), memory, workspace, swirl::gpu::Stream(static_cast<void*>(gpu_.stream.handle()))};
}

Work GpuMeasurement::work(std::string made_by, double flops, std::function<void(std::size_t)> launch) {
    return {std::move(made_by), flops, [launch = std::move(launch)](std::size_t first, std::size_t count) {
                for (std::size_t k = 0; k < count; ++k) launch(first + k);
            }};
}

/// In place values overflow soon, with all libraries alike: times on a GPU hardly depend on them.
std::vector<Times> GpuMeasurement::time(std::span<const Work> works) {
    std::vector<search::GpuWork> launches;
    for (const Work& work : works)
        launches.push_back({[&run = work.run](std::size_t execution) { run(execution, 1); }});
    std::vector<Times> times;
    for (const search::InterleavedTimes& one :
         search::time_interleaved(gpu_.stream, launches, timing_options(options_)))
        times.push_back({one.time.median, one.time.minimum, one.failed_because});
    gpu_.device.synchronize(); // if the GPU can no longer run anything, the benchmark ends here
    return times;
}

std::unique_ptr<Device> open_gpu(const Options& options) { return std::make_unique<Gpu>(options); }

} // namespace swirl::bench
