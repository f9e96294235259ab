#include <swirl/swirl.h>
#include <swirl/gpu_matrix_product.hpp>

#include "api/c.hpp"
#include "api/gpu.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gpu_matrix_plan.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

struct swirl_gpu_matrix_plan {
    std::shared_ptr<const swirl::planning::GpuMatrixPlan> plan;
    std::string schedule;
};

namespace swirl::api {
namespace {

swirl_gpu_matrix_plan* make_plan(const MatrixProduct& product, const char* schedule, int device,
                                 unsigned flags, Accuracy accuracy = Accuracy::ordinary) {
    constexpr unsigned known = SWIRL_MEASURE | SWIRL_NO_WISDOM | SWIRL_NO_CHECK | SWIRL_EXHAUSTIVE |
                               SWIRL_NO_CACHE | SWIRL_REORDER_SASS;
    if ((flags & ~known) != 0)
        throw UserError("argument 'flags' is {:#x}, of which {:#x} has no meaning for a product on a GPU",
                        flags, flags & ~known);
    auto plan =
        build(product, gpu::MatrixPlanOptions{.device = device,
                                              .effort = (flags & SWIRL_EXHAUSTIVE) != 0 ? Effort::exhaustive
                                                        : (flags & SWIRL_MEASURE) != 0  ? Effort::measure
                                                                                        : Effort::estimate,
                                              .accuracy = accuracy,
                                              .reorder_sass = (flags & SWIRL_REORDER_SASS) != 0,
                                              .use_wisdom = (flags & SWIRL_NO_WISDOM) == 0,
                                              .check = (flags & SWIRL_NO_CHECK) == 0,
                                              .use_cache = (flags & SWIRL_NO_CACHE) == 0,
                                              .schedule = schedule == nullptr ? "" : schedule});
    std::string text = to_string(plan->schedule());
    return new swirl_gpu_matrix_plan{std::move(plan), std::move(text)};
}

planning::GpuMatrixArguments lists(const void* alpha, const void* const* a, const void* const* b,
                                   const void* beta, void* const* c) {
    require(alpha, "alpha");
    require(beta, "beta");
    return {alpha, a, b, beta, const_cast<void**>(c)};
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

extern "C" {

swirl_status swirl_gpu_matrix_plan_create(const swirl_matrix_product* product, int device, unsigned flags,
                                          swirl_gpu_matrix_plan** plan) {
    return swirl_gpu_matrix_plan_create_by_schedule(product, nullptr, device, flags, plan);
}

swirl_status swirl_gpu_matrix_plan_create_by_schedule(const swirl_matrix_product* product,
                                                      const char* schedule, int device, unsigned flags,
                                                      swirl_gpu_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        return make_plan(wanted, schedule, device, flags);
    });
}

swirl_status swirl_gpu_matrix_plan_create_stored(const swirl_matrix_product* product, int a_type, int b_type,
                                                 int c_type, const char* schedule, int device, unsigned flags,
                                                 swirl_gpu_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        wanted.a_type = data_type_of("a_number", a_type);
        wanted.b_type = data_type_of("b_number", b_type);
        wanted.c_type = data_type_of("c_number", c_type);
        return make_plan(wanted, schedule, device, flags);
    });
}

swirl_status swirl_gpu_matrix_plan_create_with(const swirl_matrix_product* product,
                                               const swirl_gpu_matrix_options* options,
                                               swirl_gpu_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        require(options, "options");
        set_data_types(wanted, options->types);
        add_reductions(wanted, options->reductions, options->reduction_count);
        wanted.listed = options->listed != 0;
        wanted.list_alignment = options->list_alignment;
        return make_plan(wanted, options->schedule, options->device, options->flags,
                         accuracy_of(options->accuracy));
    });
}

void swirl_gpu_matrix_plan_destroy(swirl_gpu_matrix_plan* plan) { delete plan; }

const char* swirl_gpu_matrix_plan_schedule(const swirl_gpu_matrix_plan* plan) {
    return plan == nullptr ? nullptr : plan->schedule.c_str();
}
int swirl_gpu_matrix_plan_device(const swirl_gpu_matrix_plan* plan) {
    return plan == nullptr ? -1 : plan->plan->device().properties().index;
}
size_t swirl_gpu_matrix_plan_workspace_bytes(const swirl_gpu_matrix_plan* plan) {
    return plan == nullptr ? 0 : plan->plan->workspace_bytes();
}
double swirl_gpu_matrix_plan_flops(const swirl_gpu_matrix_plan* plan) {
    return plan == nullptr ? 0 : plan->plan->flops();
}

swirl_status swirl_gpu_matrix_execute(const swirl_gpu_matrix_plan* plan, const void* alpha, const void* a,
                                      const void* b, const void* beta, void* c, void* stream) {
    return swirl_gpu_matrix_execute_with_arrays(plan, nullptr, 0, alpha, a, b, beta, c, stream, nullptr, 0);
}

swirl_status swirl_gpu_matrix_execute_with_arrays(const swirl_gpu_matrix_plan* plan,
                                                  const swirl_array* arrays, size_t count, const void* alpha,
                                                  const void* a, const void* b, const void* beta, void* c,
                                                  void* stream, void* workspace, size_t bytes) {
    return guarded([&] {
        require(plan, "plan");
        require(alpha, "alpha");
        require(beta, "beta");
        require_lists(plan->plan->product(), false);
        const auto given = arrays_named(plan->plan->product(), arrays, count);
        plan->plan->execute({alpha, a, b, beta, c, given}, static_cast<swirl::runtime::cuda::Stream>(stream),
                            {workspace, bytes});
    });
}

swirl_status swirl_gpu_matrix_execute_each(const swirl_gpu_matrix_plan* plan, const swirl_array* arrays,
                                           size_t count, const void* alpha, const void* const* a,
                                           const void* const* b, const void* beta, void* const* c,
                                           void* stream, void* workspace, size_t bytes) {
    return guarded([&] {
        require(plan, "plan");
        require_lists(plan->plan->product(), true);
        const auto given = arrays_named(plan->plan->product(), arrays, count);
        swirl::planning::GpuMatrixArguments arguments = lists(alpha, a, b, beta, c);
        arguments.arrays = given;
        plan->plan->execute(arguments, static_cast<swirl::runtime::cuda::Stream>(stream), {workspace, bytes});
    });
}

swirl_status swirl_gpu_matrix_execute_groups(const swirl_gpu_matrix_group* groups, size_t count,
                                             void* stream) {
    return guarded([&] {
        std::vector<GpuMatrixGroup> all;
        for (const swirl_gpu_matrix_group& group : list_of(groups, "groups", count)) {
            require(group.plan, "groups[].plan");
            require_lists(group.plan->plan->product(), true);
            all.push_back(
                {group.plan->plan.get(), lists(group.alpha, group.a, group.b, group.beta, group.c)});
        }
        execute_groups(all, swirl::gpu::Stream(stream));
    });
}

} // extern "C"
