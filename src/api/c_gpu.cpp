#include <swirl/swirl.h>

#include "api/arguments.hpp"
#include "api/c.hpp"
#include "api/gpu.hpp"
#include "problem/syntax.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

struct swirl_gpu_plan {
    std::shared_ptr<const swirl::planning::GpuPlan> plan;
    std::string problem;
    std::string recipe;
    bool any_layout; ///< real data only: both forms of execute apply
};

namespace swirl::api {
namespace {

swirl_gpu_plan* make_plan(const Transform& problem, int device, unsigned flags) {
    constexpr unsigned known =
        SWIRL_MEASURE | SWIRL_NO_WISDOM | SWIRL_NO_CHECK | SWIRL_EXHAUSTIVE | SWIRL_NO_CACHE;
    if ((flags & ~known) != 0)
        throw UserError("argument 'flags' is {:#x}, of which {:#x} has no meaning for a GPU", flags,
                        flags & ~known);
    auto plan = build(problem, {.device = device,
                                .effort = (flags & SWIRL_EXHAUSTIVE) != 0 ? Effort::exhaustive
                                          : (flags & SWIRL_MEASURE) != 0  ? Effort::measure
                                                                          : Effort::estimate,
                                .use_wisdom = (flags & SWIRL_NO_WISDOM) == 0,
                                .check = (flags & SWIRL_NO_CHECK) == 0,
                                .use_cache = (flags & SWIRL_NO_CACHE) == 0});
    std::string recipe = planning::to_string(plan->recipe());
    const bool real = !is_complex(problem, Side::input) && !is_complex(problem, Side::output);
    return new swirl_gpu_plan{std::move(plan), to_text(problem), std::move(recipe), real};
}

void execute_as(ComplexLayout called, const swirl_gpu_plan* plan, const planning::Arguments& arguments,
                void* stream, const planning::GpuWorkspace& workspace) {
    require(plan, "plan");
    const Transform& problem = plan->plan->problem();
    if (!plan->any_layout && problem.layout != called)
        throw UserError("{} was called for a plan of {} data\n  problem: {}\n  use {}",
                        called == ComplexLayout::planar ? "swirl_gpu_execute_planar" : "swirl_gpu_execute",
                        name_of(problem.layout), plan->problem,
                        called == ComplexLayout::planar ? "swirl_gpu_execute" : "swirl_gpu_execute_planar");
    plan->plan->execute(arguments, static_cast<runtime::cuda::Stream>(stream), workspace);
}

std::vector<planning::ArrayArgument> arrays_named(const Transform& problem, const swirl_array* arrays,
                                                  std::size_t count) {
    std::vector<planning::ArrayArgument> result(arrays_of(problem).size());
    for (const swirl_array& array : list_of(arrays, "arrays", count, result.size(), "this problem")) {
        require(array.name, "arrays[].name");
        result[array_named(problem, array.name)] = {array.data, array.imaginary};
    }
    return result;
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

extern "C" {

swirl_status swirl_gpu_plan_create(const swirl_problem* problem, int device, unsigned flags,
                                   swirl_gpu_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(problem, "problem");
        *plan = make_plan(problem_of(*problem), device, flags);
    });
}

swirl_status swirl_gpu_plan_from_text(const char* problem, int device, unsigned flags,
                                      swirl_gpu_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(problem, "problem");
        *plan = make_plan(swirl::parse_transform(problem), device, flags);
    });
}

void swirl_gpu_plan_destroy(swirl_gpu_plan* plan) { delete plan; }

const char* swirl_gpu_plan_problem(const swirl_gpu_plan* plan) {
    return plan == nullptr ? nullptr : plan->problem.c_str();
}
const char* swirl_gpu_plan_recipe(const swirl_gpu_plan* plan) {
    return plan == nullptr ? nullptr : plan->recipe.c_str();
}
int swirl_gpu_plan_device(const swirl_gpu_plan* plan) {
    return plan == nullptr ? -1 : plan->plan->device().properties().index;
}
size_t swirl_gpu_plan_workspace_bytes(const swirl_gpu_plan* plan) {
    return plan == nullptr ? 0 : plan->plan->workspace_bytes();
}
double swirl_gpu_plan_flops(const swirl_gpu_plan* plan) { return plan == nullptr ? 0 : plan->plan->flops(); }
double swirl_gpu_plan_bytes(const swirl_gpu_plan* plan) { return plan == nullptr ? 0 : plan->plan->bytes(); }

swirl_status swirl_gpu_execute(const swirl_gpu_plan* plan, const void* input, void* output, void* stream) {
    return swirl_gpu_execute_with_workspace(plan, input, output, stream, nullptr, 0);
}

swirl_status swirl_gpu_execute_with_workspace(const swirl_gpu_plan* plan, const void* input, void* output,
                                              void* stream, void* workspace, size_t bytes) {
    return guarded([&] {
        execute_as(swirl::ComplexLayout::interleaved, plan, {.input = input, .output = output}, stream,
                   {workspace, bytes});
    });
}

swirl_status swirl_gpu_execute_planar(const swirl_gpu_plan* plan, const void* input_real,
                                      const void* input_imaginary, void* output_real, void* output_imaginary,
                                      void* stream) {
    return swirl_gpu_execute_planar_with_workspace(plan, input_real, input_imaginary, output_real,
                                                   output_imaginary, stream, nullptr, 0);
}

swirl_status swirl_gpu_execute_planar_with_workspace(const swirl_gpu_plan* plan, const void* input_real,
                                                     const void* input_imaginary, void* output_real,
                                                     void* output_imaginary, void* stream, void* workspace,
                                                     size_t bytes) {
    return guarded([&] {
        execute_as(swirl::ComplexLayout::planar, plan,
                   {input_real, output_real, input_imaginary, output_imaginary}, stream, {workspace, bytes});
    });
}

swirl_status swirl_gpu_execute_with_arrays(const swirl_gpu_plan* plan, const swirl_array* arrays,
                                           size_t count, const void* input, const void* input_imaginary,
                                           void* output, void* output_imaginary, void* stream,
                                           void* workspace, size_t bytes) {
    return guarded([&] {
        require(plan, "plan");
        const auto auxiliary = arrays_named(plan->plan->problem(), arrays, count);
        plan->plan->execute({input, output, input_imaginary, output_imaginary, auxiliary},
                            static_cast<swirl::runtime::cuda::Stream>(stream), {workspace, bytes});
    });
}

} // extern "C"
