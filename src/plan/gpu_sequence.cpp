#include "plan/gpu_sequence.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/cuda_compile.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

constexpr Integer intermediate_alignment = 256; ///< bytes

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
    const auto between = static_cast<std::size_t>(
        ceil_divide(static_cast<Integer>(intermediate_bytes(problem)), intermediate_alignment) *
        intermediate_alignment);
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
            texts.push_back({.ptx = emit::ptx(program, ptx_options(gpu)),
                             .name = fmt::format("{}: {}", to_text(problem), program.name)});
        }
    }
    const std::vector<runtime::GpuModule> modules = runtime::compiled(device, texts, cache);
    for (std::size_t k = 0; k < kernels_.size(); ++k) kernels_[k].load(modules[k]);
    upload(device, image);
}

void GpuSequence::upload(const runtime::GpuDevice& device, const TableImage& image) {
    tables_.emplace(device, image.bytes().size());
    if (image.bytes().empty()) return;
    runtime::copy_to_gpu(device, tables_->address(), image.bytes().data(), image.bytes().size());
    device.synchronize(); // the last bytes of a small copy may still be on their way
}

std::array<std::size_t, 4> GpuSequence::alignments() const {
    std::array<std::size_t, 4> result{};
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
    for (const LaunchedKernel& kernel : kernels_) kernel.launch(addresses, stream);
}

} // namespace swirl::planning
