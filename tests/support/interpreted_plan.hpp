#pragma once

#include "ir/interpreter.hpp"
#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "plan/transform/gpu/plan.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace swirl::support {

/// Runs a plan's programs in sequence in the interpreter, which throws for data races, divergent barriers,
/// out-of-bounds accesses and uninitialised reads.
class InterpretedPlan {
public:
    /// For a GPU or a CPU, as the schedule says; for a CPU it runs the target-specific programs.
    InterpretedPlan(const Transform& problem, const planning::Schedule& schedule)
        : intermediate_(planning::intermediate_bytes(problem) / sizeof(double) + 1) {
        if (planning::is_for_gpu(schedule))
            add_gpu_passes(problem, schedule);
        else
            add_cpu_passes(problem, schedule);
    }

    void execute(const planning::Arguments& call) {
        for (std::size_t k = 0; k < passes_.size(); ++k) {
            std::map<std::string, std::shared_ptr<ir::Memory>> workspace;
            for (const ir::Program& program : programs_[k]) run(program, passes_[k], call, workspace);
        }
    }

private:
    void add_gpu_passes(const Transform& problem, const planning::Schedule& schedule) {
        passes_ = planning::gpu_passes(problem, schedule);
        for (planning::GpuPassDescription& description : planning::describe_passes(problem, schedule))
            programs_.push_back(std::move(description.programs));
    }

    void add_cpu_passes(const Transform& problem, const planning::Schedule& schedule) {
        const target::Cpu& cpu = target::cpu_named(schedule.target);
        passes_ = planning::dimension_passes(problem);
        planning::require_passes_for(schedule, passes_);
        for (std::size_t k = 0; k < passes_.size(); ++k)
            programs_.push_back({planning::derive(problem, passes_[k], schedule.transform().passes[k].tree,
                                                  cpu, {.scalar = schedule.transform().scalar})
                                     .program});
    }

    void run(const ir::Program& program, const planning::DimensionPass& pass, const planning::Arguments& call,
             std::map<std::string, std::shared_ptr<ir::Memory>>& workspace) {
        ir::Arguments arguments(program);
        for (const ir::BufferInfo& buffer : program.buffers) {
            if (void* const data = callers(buffer, pass, call))
                each(buffer, data, [&](auto& element, Integer i) { arguments[buffer.name].set(i, element); });
            else if (buffer.space == ir::Space::argument || buffer.space == ir::Space::scratch) {
                if (const auto known = workspace.find(buffer.name); known != workspace.end())
                    arguments.bind(buffer.name, known->second);
                workspace[buffer.name] = arguments.shared(buffer.name);
            }
        }
        ir::interpret(program, arguments);
        for (const ir::BufferInfo& buffer : program.buffers)
            if (void* const data = callers(buffer, pass, call); data != nullptr && buffer.written)
                each(buffer, data, [&]<class T>(T& element, Integer i) {
                    if constexpr (sizeof(T) == 2)
                        element = T(static_cast<float>(arguments[buffer.name][i]));
                    else
                        element = static_cast<T>(arguments[buffer.name][i]);
                });
    }

    void* callers(const ir::BufferInfo& buffer, const planning::DimensionPass& pass,
                  const planning::Arguments& call) {
        if (buffer.space != ir::Space::argument || buffer.role.argument == ir::ArgumentRole::workspace)
            return nullptr;
        if (buffer.role.argument == ir::ArgumentRole::auxiliary) return auxiliary(buffer, call);
        using Source = planning::Binding::Source;
        switch (planning::source_of(buffer.role, pass)) {
        case Source::input: return const_cast<void*>(call.input);
        case Source::input_imaginary: return const_cast<void*>(call.input_imaginary);
        case Source::output: return call.output;
        case Source::output_imaginary: return call.output_imaginary;
        case Source::intermediate: return intermediate_.data();
        default: return nullptr;
        }
    }

    static void* auxiliary(const ir::BufferInfo& buffer, const planning::Arguments& call) {
        const planning::ArrayArgument& array = call.arrays[static_cast<std::size_t>(buffer.role.index)];
        const bool imaginary = buffer.role.component == ir::Component::imaginary;
        return const_cast<void*>(imaginary ? array.imaginary : array.data);
    }

    template <class Body> static void each(const ir::BufferInfo& buffer, void* data, Body body) {
        for (Integer i = buffer.first; i < buffer.first + buffer.elements; ++i) switch (buffer.element) {
            case DataType::float32: body(static_cast<float*>(data)[i], i); break;
            case DataType::float16: body(static_cast<float16*>(data)[i], i); break;
            case DataType::bfloat16: body(static_cast<bfloat16*>(data)[i], i); break;
            default: body(static_cast<double*>(data)[i], i); break;
            }
    }

    std::vector<planning::DimensionPass> passes_;
    std::vector<std::vector<ir::Program>> programs_; ///< of each pass
    std::vector<double> intermediate_;
};

} // namespace swirl::support
