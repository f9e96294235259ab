#include "plan/gpu_sequence.hpp"

#include "base/error.hpp"
#include "plan/gpu_stored_plan.hpp"
#include "plan/gpu_workspace.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/cuda_compile.hpp"

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

/// Of the cache, what one plan with its tables may take: it should leave room for others. Tables are for about 72 bytes a
/// point where a large prime is a convolution of complex numbers in double.
constexpr std::uint64_t largest_share = 2;

} // namespace

std::vector<Stage> gpu_stages(const Problem& problem, const Recipe& recipe) {
    validate(problem);
    if (recipe.scalar)
        throw UserError("recipe \"{}\": 'scalar' is for CPUs; a GPU's threads work on scalars anyway",
                        to_string(recipe));
    std::vector<Stage> result = stages(problem, Fusion::none);
    if (recipe.steps.size() < result.size() && !recipe.steps.empty())
        result = stages(problem, recipe.steps.front().dimension);
    require_steps_for(recipe, result);
    return result;
}

GpuSequence::GpuSequence(const Problem& problem, const Recipe& recipe, const runtime::GpuDevice& device,
                         const target::Gpu& gpu, runtime::KernelCache* cache) {
    const std::vector<Stage> parts = gpu_stages(problem, recipe);
    const auto key = cache == nullptr ? std::nullopt : stored_plan_key(problem, recipe, device, gpu);
    if (key) {
        unkept_.emplace(Unkept{*cache, *key, {runtime::target_text(device), "plan of " + to_text(problem)}});
        if (recall(device)) return;
    }
    const std::size_t between = bytes_of_part(intermediate_bytes(problem));
    TableImage image;
    std::vector<runtime::KernelText> texts;
    workspace_bytes_ = between;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const GpuDerivation derivation = derive_for_gpu(problem, parts[k], recipe.steps[k], gpu);
        const StepWorkspace workspace(derivation.programs);
        workspace_bytes_ = std::max(workspace_bytes_, between + workspace.bytes());
        for (std::size_t i = 0; i < derivation.programs.size(); ++i) {
            const ir::Program& program = derivation.programs[i];
            kernels_.emplace_back(program, parts[k], gpu, describe_for_gpu(program, recipe.steps[k], i, gpu),
                                  workspace, between, image);
            texts.push_back({.ptx = emit::ptx(program, ptx_options(gpu, program)),
                             .name = fmt::format("{}: {}", to_text(problem), program.name)});
        }
    }
    load(runtime::compiled(device, texts, cache), image.bytes(), device);
    if (!unkept_) return;
    for (const runtime::KernelText& text : texts) unkept_->code.push_back(runtime::code_key(device, text));
    unkept_->tables = image.bytes();
}

bool GpuSequence::recall(const runtime::GpuDevice& device) {
    const runtime::KernelCache& cache = unkept_->cache;
    auto found = cache.read(unkept_->key);
    if (!found) return false;
    auto plan = StoredGpuPlan::decode(found->code);
    if (!plan) {
        cache.drop(unkept_->key);
        return false;
    }
    const auto modules = runtime::cached(device, plan->code, unkept_->cache);
    if (!modules) return false;
    kernels_ = std::move(plan->kernels);
    workspace_bytes_ = plan->workspace_bytes;
    load(*modules, plan->tables, device);
    is_checked_ = plan->checked;
    if (is_checked_) {
        unkept_.reset();
        return true;
    }
    unkept_->code = std::move(plan->code);
    unkept_->found = std::move(found);
    return true;
}

void GpuSequence::keep(bool checked) {
    if (!unkept_ || (unkept_->found && !checked)) return;
    const Unkept entry = *std::exchange(unkept_, std::nullopt);
    const auto known = entry.found ? StoredGpuPlan::decode(entry.found->code) : std::nullopt;
    const StoredGpuPlan plan{kernels_, entry.code, known ? known->tables : entry.tables, workspace_bytes_,
                             checked};
    const runtime::Bytes bytes = plan.encode();
    if (bytes.size() <= entry.cache.limit() / largest_share) entry.cache.store(entry.key, entry.label, bytes);
}

void GpuSequence::load(std::span<const runtime::GpuModule> modules, std::span<const std::byte> tables,
                       const runtime::GpuDevice& device) {
    for (std::size_t k = 0; k < kernels_.size(); ++k) kernels_[k].load(modules[k], device);
    tables_.emplace(device, tables.size());
    if (tables.empty()) return;
    runtime::copy_to_gpu(device, tables_->address(), tables.data(), tables.size());
    device.synchronize(); // the last bytes of a small copy may still be on their way
}

std::array<std::size_t, Binding::sources> GpuSequence::alignments() const {
    std::array<std::size_t, Binding::sources> result{};
    for (std::size_t source = 0; source < result.size(); ++source)
        for (const LaunchedKernel& kernel : kernels_)
            result[source] =
                std::max(result[source], kernel.alignment_of(static_cast<Binding::Source>(source)));
    return result;
}

void GpuSequence::launch(const Arguments& arguments, runtime::cuda::Address workspace,
                         const runtime::GpuStream& stream) const {
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
    for (const LaunchedKernel& kernel : kernels_) kernel.launch(addresses, stream);
}

} // namespace swirl::planning
