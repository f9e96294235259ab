#pragma once

#include "ir/interpreter.hpp"
#include "plan/gpu_plan.hpp"
#include "plan/gpu_sequence.hpp"
#include "plan/kernel.hpp"
#include "plan/problem_data.hpp"
#include "plan/steps.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace swirl::support {

/// A plan's programs, one after the other, in the interpreter, which throws for races, barriers that not all threads
/// reach, accesses out of bounds and reads of what nobody has written.
class InterpretedPlan {
public:
    /// For a GPU or a CPU, as the recipe says; of a CPU what goes to the machine.
    InterpretedPlan(const Problem& problem, const planning::Recipe& recipe)
        : intermediate_(planning::intermediate_bytes(problem) / sizeof(double) + 1) {
        if (is_for_gpu(recipe))
            add_steps_of_gpu(problem, recipe);
        else
            add_steps_of_cpu(problem, recipe);
    }

    void execute(const planning::Arguments& call) {
        for (std::size_t k = 0; k < stages_.size(); ++k) {
            std::map<std::string, std::shared_ptr<ir::Memory>> workspace;
            for (const ir::Program& program : programs_[k]) run(program, stages_[k], call, workspace);
        }
    }

private:
    static bool is_for_gpu(const planning::Recipe& recipe) {
        const auto cpus = target::cpus();
        return std::none_of(cpus.begin(), cpus.end(),
                            [&](const target::Cpu* cpu) { return cpu->name == recipe.machine; });
    }

    void add_steps_of_gpu(const Problem& problem, const planning::Recipe& recipe) {
        stages_ = planning::gpu_stages(problem, recipe);
        for (planning::GpuStepDescription& step : planning::describe_steps(problem, recipe))
            programs_.push_back(std::move(step.programs));
    }

    void add_steps_of_cpu(const Problem& problem, const planning::Recipe& recipe) {
        const target::Cpu& cpu = target::cpu_named(recipe.machine);
        stages_ = planning::stages(problem);
        planning::require_steps_for(recipe, stages_);
        for (std::size_t k = 0; k < stages_.size(); ++k)
            programs_.push_back(
                {planning::derive(problem, stages_[k], recipe.steps[k].tree, cpu, recipe.scalar).machine});
    }

    void run(const ir::Program& program, const planning::Stage& stage, const planning::Arguments& call,
             std::map<std::string, std::shared_ptr<ir::Memory>>& workspace) {
        ir::Arguments arguments(program);
        for (const ir::BufferInfo& buffer : program.buffers) {
            if (void* const data = callers(buffer, stage, call))
                each(buffer, data, [&](auto& element, Integer i) { arguments[buffer.name].set(i, element); });
            else if (buffer.space == ir::Space::argument || buffer.space == ir::Space::scratch) {
                if (const auto known = workspace.find(buffer.name); known != workspace.end())
                    arguments.bind(buffer.name, known->second);
                workspace[buffer.name] = arguments.shared(buffer.name);
            }
        }
        ir::interpret(program, arguments);
        for (const ir::BufferInfo& buffer : program.buffers)
            if (void* const data = callers(buffer, stage, call); data != nullptr && buffer.written)
                each(buffer, data, [&]<class T>(T& element, Integer i) {
                    if constexpr (sizeof(T) == 2)
                        element = T(static_cast<float>(arguments[buffer.name][i]));
                    else
                        element = static_cast<T>(arguments[buffer.name][i]);
                });
    }

    void* callers(const ir::BufferInfo& buffer, const planning::Stage& stage,
                  const planning::Arguments& call) {
        if (buffer.space != ir::Space::argument || buffer.name.starts_with("t")) return nullptr;
        if (buffer.name.starts_with("with_")) return beside(buffer, stage, call);
        using Source = planning::Binding::Source;
        switch (planning::source_of(buffer.name, stage)) {
        case Source::input: return const_cast<void*>(call.input);
        case Source::input_imaginary: return const_cast<void*>(call.input_imaginary);
        case Source::output: return call.output;
        case Source::output_imaginary: return call.output_imaginary;
        case Source::intermediate: return intermediate_.data();
        default: return nullptr;
        }
    }

    static void* beside(const ir::BufferInfo& buffer, const planning::Stage& stage,
                        const planning::Arguments& call) {
        const auto source = static_cast<std::size_t>(planning::source_of(buffer.name, stage)) -
                            static_cast<std::size_t>(planning::Binding::Source::arrays);
        const planning::ArrayArgument& array = call.arrays[source / 2];
        return const_cast<void*>(source % 2 == 0 ? array.data : array.imaginary);
    }

    template <class Body> static void each(const ir::BufferInfo& buffer, void* data, Body body) {
        for (Integer i = buffer.first; i < buffer.first + buffer.elements; ++i) switch (buffer.element) {
            case ir::Scalar::float32: body(static_cast<float*>(data)[i], i); break;
            case ir::Scalar::float16: body(static_cast<float16*>(data)[i], i); break;
            case ir::Scalar::bfloat16: body(static_cast<bfloat16*>(data)[i], i); break;
            default: body(static_cast<double*>(data)[i], i); break;
            }
    }

    std::vector<planning::Stage> stages_;
    std::vector<std::vector<ir::Program>> programs_; ///< of each stage
    std::vector<double> intermediate_;
};

} // namespace swirl::support
