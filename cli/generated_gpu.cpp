#include "cli/generated_gpu.hpp"

#include <swirl/version.hpp>

#include "base/error.hpp"
#include "plan/dimension_passes.hpp"
#include "plan/gpu_kernels.hpp"
#include "plan/gpu_plan.hpp"
#include "plan/kernel.hpp"
#include "problem/syntax.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace swirl::cli {
namespace {

using Source = planning::Binding::Source;

/// The memories of a plan: the caller's arrays, by the sides of the problem, and workspace. Workspace holds the
/// intermediate array between steps, and buffers of the same name shared between the kernels of a step. Scratch buffers
/// belong to the kernel text.
class GpuTransformBuilder {
public:
    GpuTransformBuilder(const Transform& problem, const std::string& name) : problem_(problem) {
        transform_.name = name;
    }

    void add(const ir::Program& program, const planning::DimensionPass& pass) {
        emit::GpuTransform::KernelLaunch step{&program, {}};
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::argument) step.memories.push_back(memory(buffer, pass));
        transform_.launches.push_back(std::move(step));
    }

    emit::GpuTransform finished() && { return std::move(transform_); }

private:
    std::size_t memory(const ir::BufferInfo& buffer, const planning::DimensionPass& pass) {
        if (!is_callers(buffer)) return handed_on(buffer);
        Source source = planning::source_of(buffer.name, pass);
        if (problem_.placement == Placement::in_place) source = in_place(source);
        const auto [known, is_new] = memories_.try_emplace(source, transform_.memories.size());
        if (is_new) transform_.memories.push_back(made(buffer, source));
        emit::GpuTransform::Memory& memory = transform_.memories[known->second];
        memory.written = memory.written || buffer.written;
        return known->second;
    }

    static bool is_callers(const ir::BufferInfo& buffer) {
        const std::string_view stem = std::string_view(buffer.name).substr(0, buffer.name.find('_'));
        return stem == "in" || stem == "out" || stem == "data" || stem == "with";
    }

    /// A buffer passed from one kernel of a step to another; buffers of the same name are shared.
    std::size_t handed_on(const ir::BufferInfo& buffer) {
        const auto [known, is_new] = handed_on_.try_emplace(buffer.name, transform_.memories.size());
        if (is_new)
            transform_.memories.push_back({.name = buffer.name,
                                           .element = buffer.element,
                                           .written = true,
                                           .workspace = true,
                                           .elements = 0});
        emit::GpuTransform::Memory& memory = transform_.memories[known->second];
        memory.elements = std::max(memory.elements, buffer.first + buffer.elements);
        return known->second;
    }

    static Source in_place(Source source) {
        if (source == Source::input) return Source::output;
        return source == Source::input_imaginary ? Source::output_imaginary : source;
    }

    emit::GpuTransform::Memory made(const ir::BufferInfo& buffer, Source source) const {
        if (source == Source::intermediate) {
            const auto bytes = static_cast<Integer>(planning::intermediate_bytes(problem_));
            return {.name = "between",
                    .element = buffer.element,
                    .written = true,
                    .workspace = true,
                    .elements = ceil_divide(bytes, bytes_of(buffer.element))};
        }
        if (source >= Source::arrays)
            return {.name = buffer.name.substr(std::string_view("with_").size()), .element = buffer.element};
        const bool is_input = source == Source::input || source == Source::input_imaginary;
        const char* stem = problem_.placement == Placement::in_place ? "data" : is_input ? "in" : "out";
        const std::size_t part = buffer.name.find('_'); // "_re" or "_im"
        return {.name = stem + (part == std::string::npos ? "" : buffer.name.substr(part)),
                .element = buffer.element,
                .written = false,
                .workspace = false,
                .elements = 0};
    }

    const Transform& problem_;
    emit::GpuTransform transform_;
    std::map<Source, std::size_t> memories_;
    std::map<std::string, std::size_t> handed_on_;
};

/// Sorts arguments by the problem's sides, then its arrays, regardless of the order in the kernels.
void sort_arguments(emit::GpuTransform& transform, const std::vector<AuxiliaryArray>& arrays) {
    std::map<std::string, std::size_t> by_name; // "between", "data", "in", "out"; "_im" before "_re"
    /// Index of a name among the auxiliary arrays.
    const auto index_of_auxiliary = [&](const std::string& name) -> std::optional<std::size_t> {
        for (std::size_t k = 0; k < arrays.size(); ++k)
            for (const char* part : {"", "_re", "_im"})
                if (name == arrays[k].name + part) return k;
        return std::nullopt;
    };
    std::vector<std::size_t> order(transform.memories.size());
    for (std::size_t m = 0; m < order.size(); ++m) {
        std::string key = transform.memories[m].name;
        if (const auto index = index_of_auxiliary(key))
            key = fmt::format("~{:02}{}", *index, key); // after all others
        if (key.ends_with("_im")) key.replace(key.size() - 3, 3, "_second");
        by_name[key] = m;
    }
    std::vector<emit::GpuTransform::Memory> sorted;
    for (const auto& [key, m] : by_name) {
        order[m] = sorted.size();
        sorted.push_back(std::move(transform.memories[m]));
    }
    transform.memories = std::move(sorted);
    for (emit::GpuTransform::KernelLaunch& step : transform.launches)
        for (std::size_t& memory : step.memories) memory = order[memory];
}

} // namespace

target::Gpu gpu_in(emit::GpuLanguage language, target::Gpu gpu) {
    if (!emit::has_clusters(language)) gpu.portable_cluster = gpu.largest_cluster = 0;
    if (!emit::has_tensor_cores(language)) gpu.tensor = {};
    gpu.has_tma = false; // no language other than PTX can express TMA
    gpu.has_cooperative_groups = language == emit::GpuLanguage::cuda;
    return gpu;
}

StandaloneGpu recipe_as_gpu_source(const Transform& problem, const planning::Recipe& recipe,
                                   emit::GpuLanguage language, const std::string& function) {
    const std::vector<planning::GpuPassDescription> passes_of_plan =
        planning::describe_passes(problem, recipe);
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, recipe);
    GpuTransformBuilder builder(problem, function);
    for (std::size_t s = 0; s < passes.size(); ++s)
        for (const ir::Program& program : passes_of_plan[s].programs) builder.add(program, passes[s]);
    emit::GpuTransform transform = std::move(builder).finished();
    sort_arguments(transform, arrays_of(problem));
    const emit::GpuSourceOptions options{
        .language = language,
        .comment = fmt::format("{}\nrecipe: {}\nGenerated by swirl {}.", to_text(problem),
                               planning::to_string(recipe), version())};
    return {emit::emit_gpu(transform, options), emit::emit_gpu_header(transform, options)};
}

} // namespace swirl::cli
