#include "plan/transform/gpu/kernels.hpp"

#include "base/error.hpp"
#include "plan/transform/gpu/stored_plan.hpp"
#include "plan/transform/gpu/workspace.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/cuda/compile.hpp"

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

/// Limits the share of the cache that one plan with its tables may take, so that others fit. Tables need about 72 bytes
/// per point if a large prime becomes a complex convolution in double.
constexpr std::uint64_t min_plans = 2;

/// First version of CUDA that captures programmatic dependent launches into graphs.
constexpr int programmatic_launch_version = 12030;

bool fits(std::size_t bytes, const runtime::KernelCache& cache) { return bytes <= cache.limit() / min_plans; }

} // namespace

std::vector<DimensionPass> gpu_passes(const Transform& problem, const Schedule& schedule) {
    validate(problem);
    if (schedule.transform().scalar)
        throw UserError("schedule \"{}\": 'scalar' is for CPUs; leave it out", to_string(schedule));
    std::vector<DimensionPass> result = dimension_passes(problem, Fusion::none);
    const std::size_t passes = schedule.transform().passes.size();
    if (passes < result.size())
        if (const auto first = first_fused_of(problem, result.size() - passes + 1))
            result = dimension_passes(problem, *first);
    require_passes_for(schedule, result);
    return result;
}

GpuKernels::GpuKernels(const Transform& problem, const Schedule& schedule, const runtime::GpuDevice& device,
                       const target::Gpu& gpu, runtime::KernelCache* cache,
                       const GpuKernelsProgress& progress) {
    const std::vector<DimensionPass> passes = gpu_passes(problem, schedule);
    const auto key = cache == nullptr ? std::nullopt : stored_plan_key(problem, schedule, device, gpu);
    if (key) {
        unstored_.emplace(
            Unstored{*cache, *key, {runtime::target_text(device), "plan of " + to_text(problem)}});
        if (lookup(device)) return;
    }
    const std::size_t between = aligned_bytes(intermediate_bytes(problem, passes));
    TableImage image;
    std::vector<runtime::KernelText> texts;
    workspace_bytes_ = between;
    std::vector<ir::Program> programs;
    for (std::size_t k = 0; k < passes.size(); ++k) {
        if (progress.interrupt) progress.interrupt();
        GpuDerivation derivation = derive_for_gpu(problem, passes[k], schedule.transform().passes[k], gpu);
        work_ += work_of(derivation.formula);
        const PassWorkspace workspace(derivation.programs);
        workspace_bytes_ = std::max(workspace_bytes_, between + workspace.bytes());
        for (std::size_t i = 0; i < derivation.programs.size(); ++i) {
            ir::Program& program = derivation.programs[i];
            kernels_.emplace_back(program, passes[k], gpu,
                                  describe_for_gpu(program, schedule.transform().passes[k], i, gpu),
                                  workspace, between, image);
            programs.push_back(std::move(program));
        }
    }
    const bool early = starts_kernels_early(gpu) && device.driver().version() >= programmatic_launch_version;
    const std::vector<emit::PtxOptions> options = ptx_options(gpu, programs, early);
    for (std::size_t k = 0; k < programs.size(); ++k) {
        if (options[k].starts_early) kernels_[k].start_early();
        texts.push_back({.ptx = emit::ptx(programs[k], options[k]),
                         .name = fmt::format("{}: {}", to_text(problem), programs[k].name)});
    }
    if (progress.interrupt) progress.interrupt();
    work_.gpu_kernels = compilation_rounds(runtime::count_missing(device, texts, cache));
    if (progress.before_compilation) progress.before_compilation(work_);
    load(runtime::compiled(device, texts, cache), device);
    copy_tables(image, device);
    if (!unstored_) return;
    if (!fits(image.size(), unstored_->cache)) {
        unstored_.reset();
        return;
    }
    for (const runtime::KernelText& text : texts) unstored_->code.push_back(runtime::code_key(device, text));
    unstored_->tables = image.bytes();
}

bool GpuKernels::lookup(const runtime::GpuDevice& device) {
    const runtime::KernelCache& cache = unstored_->cache;
    auto found = cache.read(unstored_->key);
    if (!found) return false;
    auto plan = StoredGpuPlan::decode(found->code);
    if (!plan) {
        cache.drop(unstored_->key);
        return false;
    }
    const auto modules = runtime::cached(device, plan->code, unstored_->cache);
    if (!modules) return false;
    kernels_ = std::move(plan->kernels);
    workspace_bytes_ = plan->workspace_bytes;
    load(*modules, device);
    tables_.emplace(device, plan->tables.size());
    copy_table(plan->tables, 0, device);
    is_checked_ = plan->checked;
    if (is_checked_) {
        unstored_.reset();
        return true;
    }
    unstored_->code = std::move(plan->code);
    unstored_->found = std::move(found);
    return true;
}

void GpuKernels::store(bool checked) {
    if (!unstored_ || (unstored_->found && !checked)) return;
    const Unstored entry = *std::exchange(unstored_, std::nullopt);
    const auto known = entry.found ? StoredGpuPlan::decode(entry.found->code) : std::nullopt;
    const StoredGpuPlan plan{kernels_, entry.code, known ? known->tables : entry.tables, workspace_bytes_,
                             checked};
    const runtime::Bytes bytes = plan.encode();
    if (fits(bytes.size(), entry.cache)) entry.cache.store(entry.key, entry.label, bytes);
}

void GpuKernels::load(std::span<const runtime::GpuModule> modules, const runtime::GpuDevice& device) {
    for (std::size_t k = 0; k < kernels_.size(); ++k) kernels_[k].load(modules[k], device);
}

void GpuKernels::copy_tables(const TableImage& image, const runtime::GpuDevice& device) {
    tables_.emplace(device, image.size());
    for (const TableImage::Table& table : image.tables()) copy_table(table.bytes(), table.offset, device);
}

void GpuKernels::copy_table(std::span<const std::byte> bytes, std::size_t offset,
                            const runtime::GpuDevice& device) {
    if (bytes.empty()) return;
    runtime::copy_to_gpu(device, tables_->address() + offset, bytes.data(), bytes.size());
    device.synchronize(); // a small copy may still be in flight
}

std::array<std::size_t, Binding::sources> GpuKernels::alignments() const {
    std::array<std::size_t, Binding::sources> result{};
    for (std::size_t source = 0; source < result.size(); ++source)
        for (const LaunchedKernel& kernel : kernels_)
            result[source] =
                std::max(result[source], kernel.alignment_of(static_cast<Binding::Source>(source)));
    return result;
}

GpuAddresses GpuKernels::addresses_of(const Arguments& arguments, runtime::cuda::Address workspace) const {
    const auto address = [](const void* pointer) {
        return reinterpret_cast<runtime::cuda::Address>(pointer);
    };
    GpuAddresses addresses{};
    const auto at = [&](Binding::Source source) -> runtime::cuda::Address& {
        return addresses[static_cast<std::size_t>(source)];
    };
    at(Binding::Source::input) = address(arguments.input);
    at(Binding::Source::input_imaginary) = address(arguments.input_imaginary);
    at(Binding::Source::output) = address(arguments.output);
    at(Binding::Source::output_imaginary) = address(arguments.output_imaginary);
    at(Binding::Source::intermediate) = workspace;
    at(Binding::Source::workspace) = workspace;
    at(Binding::Source::table) = tables_->address();
    for (std::size_t k = 0; k < arguments.arrays.size(); ++k) {
        at(Binding::array_source(k, false)) = address(arguments.arrays[k].data);
        at(Binding::array_source(k, true)) = address(arguments.arrays[k].imaginary);
    }
    return addresses;
}

void GpuKernels::launch(const Arguments& arguments, runtime::cuda::Address workspace,
                        const runtime::GpuStream& stream) const {
    const GpuAddresses addresses = addresses_of(arguments, workspace);
    for (const LaunchedKernel& kernel : kernels_) kernel.launch(addresses, stream);
}

void GpuKernels::launch_one(std::size_t kernel, const Arguments& arguments, runtime::cuda::Address workspace,
                            const runtime::GpuStream& stream) const {
    kernels_.at(kernel).launch(addresses_of(arguments, workspace), stream);
}

} // namespace swirl::planning
