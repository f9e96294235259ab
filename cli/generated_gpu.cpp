#include "cli/generated_gpu.hpp"

#include <swirl/version.hpp>

#include "ir/role.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace swirl::cli {
namespace {

using Source = planning::Binding::Source;

/// The memories of a plan: the caller's arrays, by their roles, and workspace. Workspace holds the
/// intermediate array between passes, and buffers of the same name shared between the kernels of a pass. Scratch
/// buffers belong to the kernel text.
class GpuTransformBuilder {
public:
    GpuTransformBuilder(const Transform& problem, const std::string& name)
        : problem_(problem), arrays_(arrays_of(problem)) {
        transform_.name = name;
    }

    void add(const ir::Program& program, const planning::DimensionPass& pass) {
        emit::GpuTransform::KernelLaunch launch{&program, {}};
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::argument) launch.memories.push_back(memory(buffer, pass));
        transform_.launches.push_back(std::move(launch));
    }

    /// With the memories in an order that does not depend on the kernels.
    emit::GpuTransform finished() && {
        sort_memories();
        return std::move(transform_);
    }

private:
    std::size_t memory(const ir::BufferInfo& buffer, const planning::DimensionPass& pass) {
        if (buffer.role.argument == ir::ArgumentRole::workspace) return handed_on(buffer);
        Source source = planning::source_of(buffer.role, pass);
        if (problem_.placement == Placement::in_place) source = in_place(source);
        const auto [known, is_new] = memories_.try_emplace(source, transform_.memories.size());
        if (is_new) add_memory(buffer, source);
        emit::GpuTransform::Memory& memory = transform_.memories[known->second];
        memory.written = memory.written || buffer.written;
        return known->second;
    }

    /// A buffer passed from one kernel of a pass to another; buffers of the same name are shared.
    std::size_t handed_on(const ir::BufferInfo& buffer) {
        const auto [known, is_new] = handed_on_.try_emplace(buffer.name, transform_.memories.size());
        if (is_new)
            add_memory({.stem = buffer.name},
                       {.name = {}, .element = buffer.element, .written = true, .workspace = true});
        emit::GpuTransform::Memory& memory = transform_.memories[known->second];
        memory.elements = std::max(memory.elements, buffer.first + buffer.elements);
        return known->second;
    }

    static Source in_place(Source source) {
        if (source == Source::input) return Source::output;
        return source == Source::input_imaginary ? Source::output_imaginary : source;
    }

    void add_memory(const ir::BufferInfo& buffer, Source source) {
        if (source == Source::intermediate) {
            const auto bytes = static_cast<Integer>(planning::intermediate_bytes(problem_));
            return add_memory({.stem = "intermediate"},
                              {.name = {},
                               .element = buffer.element,
                               .written = true,
                               .workspace = true,
                               .elements = ceil_divide(bytes, bytes_of(buffer.element))});
        }
        emit::GpuTransform::Memory memory{.name = {}, .element = buffer.element};
        if (buffer.role.argument == ir::ArgumentRole::auxiliary) {
            const auto index = static_cast<std::size_t>(buffer.role.index);
            return add_memory({1 + index, arrays_.at(index).name, buffer.role.component}, std::move(memory));
        }
        const bool is_input = source == Source::input || source == Source::input_imaginary;
        const char* stem = problem_.placement == Placement::in_place ? "data" : is_input ? "input" : "output";
        add_memory({0, stem, buffer.role.component}, std::move(memory));
    }

    /// Order of the memories: the sides of the problem and workspace by name, then its arrays.
    struct Key {
        std::size_t array = 0; ///< 1 + index of an auxiliary array
        std::string stem = {};
        ir::Component component = ir::Component::both;
        auto operator<=>(const Key&) const = default;
    };

    void add_memory(Key key, emit::GpuTransform::Memory memory) {
        memory.name = key.stem;
        memory.name += ir::suffix_of(key.component);
        keys_.emplace(std::move(key), transform_.memories.size());
        transform_.memories.push_back(std::move(memory));
    }

    void sort_memories() {
        std::vector<std::size_t> order(transform_.memories.size());
        std::vector<emit::GpuTransform::Memory> sorted;
        for (const auto& [key, m] : keys_) {
            order[m] = sorted.size();
            sorted.push_back(std::move(transform_.memories[m]));
        }
        transform_.memories = std::move(sorted);
        for (emit::GpuTransform::KernelLaunch& launch : transform_.launches)
            for (std::size_t& memory : launch.memories) memory = order[memory];
    }

    const Transform& problem_;
    std::vector<AuxiliaryArray> arrays_;
    emit::GpuTransform transform_;
    std::map<Source, std::size_t> memories_;
    std::map<std::string, std::size_t> handed_on_;
    std::multimap<Key, std::size_t> keys_; ///< of the memories
};

} // namespace

target::Gpu gpu_in(emit::GpuLanguage language, target::Gpu gpu) {
    if (!emit::has_clusters(language)) gpu.portable_cluster = gpu.largest_cluster = 0;
    if (!emit::has_tensor_cores(language)) gpu.tensor = {};
    gpu.has_tma = false; // no language other than PTX can express TMA
    gpu.has_cooperative_groups = language == emit::GpuLanguage::cuda;
    gpu.has_conditional_barriers = language != emit::GpuLanguage::opencl;
    return gpu;
}

StandaloneGpu schedule_as_gpu_source(const Transform& problem, const planning::Schedule& schedule,
                                     emit::GpuLanguage language, const std::string& function) {
    const std::vector<planning::GpuPassDescription> passes_of_plan =
        planning::describe_passes(problem, schedule);
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, schedule);
    GpuTransformBuilder builder(problem, function);
    for (std::size_t s = 0; s < passes.size(); ++s)
        for (const ir::Program& program : passes_of_plan[s].programs) builder.add(program, passes[s]);
    const emit::GpuTransform transform = std::move(builder).finished();
    const emit::GpuSourceOptions options{
        .language = language,
        .comment = fmt::format("{}\nschedule: {}\nGenerated by swirl {}.", to_text(problem),
                               planning::to_string(schedule), version())};
    return {emit::emit_gpu(transform, options), emit::emit_gpu_header(transform, options)};
}

} // namespace swirl::cli
