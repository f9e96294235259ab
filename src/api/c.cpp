#include <swirl/swirl.h>
#include <swirl/version.hpp>

#include "api/c.hpp"
#include "api/plan.hpp"
#include "base/error.hpp"
#include "problem/syntax.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

struct swirl_plan {
    std::shared_ptr<const swirl::planning::Plan> plan;
    std::string problem;
    std::string recipe;
    bool any_layout; ///< real data only: both forms of execute apply
};

namespace swirl::api {
namespace {

thread_local std::string last_error;

} // namespace

swirl_status failed(swirl_status status, const char* message) noexcept {
    try {
        last_error = message;
    } catch (...) {
        last_error.clear(); // no memory for the message; the status is still returned
    }
    return status;
}

Transform problem_of(const swirl_problem& description) {
    return Transform::make(description.kind, description.lengths, description.options);
}

namespace {

/// The C++ value of a C enumerator, by its index in `values`.
template <class Value, std::size_t count>
Value value_of(int enumerator, const Value (&values)[count], const char* name) {
    if (enumerator < 0 || enumerator >= static_cast<int>(count))
        throw UserError("argument '{}' is {}; it has values from 0 to {}", name, enumerator, count - 1);
    return values[enumerator];
}

constexpr TransformKind kinds[] = {
    TransformKind::dft,  TransformKind::real_dft,    TransformKind::wht,  TransformKind::dct2,
    TransformKind::dct3, TransformKind::dct4,        TransformKind::dst2, TransformKind::dst3,
    TransformKind::dst4, TransformKind::convolution,
};
constexpr Direction directions[] = {Direction::forward, Direction::backward};
constexpr DataType precisions[] = {DataType::float32, DataType::float64, DataType::float16,
                                   DataType::bfloat16};
constexpr ComplexLayout layouts[] = {ComplexLayout::interleaved, ComplexLayout::planar};
constexpr Placement placements[] = {Placement::out_of_place, Placement::in_place};
constexpr Sharing sharings[] = {Sharing::shared, Sharing::each};
constexpr Side sides[] = {Side::input, Side::output};

PlanOptions options_of(unsigned flags) {
    constexpr unsigned known = SWIRL_MEASURE | SWIRL_NO_WISDOM | SWIRL_NO_CHECK | SWIRL_EXHAUSTIVE;
    if ((flags & ~known) != 0)
        throw UserError("argument 'flags' is {:#x}, of which {:#x} has no meaning", flags, flags & ~known);
    PlanOptions options;
    options.effort = (flags & SWIRL_EXHAUSTIVE) != 0 ? Effort::exhaustive
                     : (flags & SWIRL_MEASURE) != 0  ? Effort::measure
                                                     : Effort::estimate;
    options.use_wisdom = (flags & SWIRL_NO_WISDOM) == 0;
    options.check = (flags & SWIRL_NO_CHECK) == 0;
    return options;
}

swirl_plan* make_plan(const Transform& problem, unsigned flags, int threads) {
    PlanOptions options = options_of(flags);
    options.threads = threads;
    auto plan = build(problem, options);
    std::string recipe = planning::to_string(plan->recipe());
    const bool real = !is_complex(problem, Side::input) && !is_complex(problem, Side::output);
    return new swirl_plan{std::move(plan), to_text(problem), std::move(recipe), real};
}

Expression expression_in(const char* text) {
    return text == nullptr || *text == 0 ? Expression() : Expression(text);
}

void add_batch(swirl_problem* problem, const Batch& batch) {
    require(problem, "problem");
    check_rank(problem->lengths.size(), problem->options.batches.size() + 1);
    problem->options.batches.push_back(batch);
}

void execute_as(ComplexLayout called, const swirl_plan* plan, const planning::Arguments& arguments,
                const Workspace& workspace) {
    require(plan, "plan");
    const Transform& problem = plan->plan->problem();
    if (!plan->any_layout && problem.layout != called)
        throw UserError("{} was called for a plan of {} data\n  problem: {}\n  use {}",
                        called == ComplexLayout::planar ? "swirl_execute_planar" : "swirl_execute",
                        name_of(problem.layout), plan->problem,
                        called == ComplexLayout::planar ? "swirl_execute" : "swirl_execute_planar");
    execute(*plan->plan, arguments, workspace);
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

extern "C" {

const char* swirl_last_error(void) { return last_error.c_str(); }

const char* swirl_version(void) {
    return swirl::version().data(); // a literal, thus null-terminated
}

swirl_status swirl_problem_create(int kind, size_t rank, const int64_t* lengths, swirl_problem** problem) {
    return guarded([&] {
        require(problem, "problem");
        *problem = nullptr;
        if (rank == 0) throw swirl::UserError("argument 'rank' is 0; a transform has at least one dimension");
        if (rank > swirl::most_dimensions)
            throw swirl::UserError("argument 'rank' is {}; a transform has at most {} dimensions", rank,
                                   swirl::most_dimensions);
        require(lengths, "lengths");
        *problem = new swirl_problem{value_of(kind, kinds, "kind"), {lengths, lengths + rank}, {}};
    });
}

void swirl_problem_destroy(swirl_problem* problem) { delete problem; }

swirl_status swirl_problem_set_direction(swirl_problem* problem, int direction) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.direction = value_of(direction, directions, "direction");
    });
}

swirl_status swirl_problem_set_precision(swirl_problem* problem, int precision) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.precision = value_of(precision, precisions, "precision");
    });
}

swirl_status swirl_problem_set_layout(swirl_problem* problem, int layout) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.layout = value_of(layout, layouts, "layout");
    });
}

swirl_status swirl_problem_set_placement(swirl_problem* problem, int placement) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.placement = value_of(placement, placements, "placement");
    });
}

swirl_status swirl_problem_set_scale(swirl_problem* problem, double scale) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.scale = scale;
    });
}

swirl_status swirl_problem_set_spectrum(swirl_problem* problem, int sharing) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.spectrum = value_of(sharing, sharings, "sharing");
    });
}

swirl_status swirl_problem_set_load(swirl_problem* problem, const char* expression) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.load = expression_in(expression);
    });
}

swirl_status swirl_problem_set_store(swirl_problem* problem, const char* expression) {
    return guarded([&] {
        require(problem, "problem");
        problem->options.store = expression_in(expression);
    });
}

swirl_status swirl_problem_set_strides(swirl_problem* problem, int side, const int64_t* strides) {
    return guarded([&] {
        require(problem, "problem");
        require(strides, "strides");
        const bool is_input = value_of(side, sides, "side") == swirl::Side::input;
        std::vector<swirl::Integer> list(strides, strides + problem->lengths.size());
        (is_input ? problem->options.input_strides : problem->options.output_strides) = std::move(list);
    });
}

swirl_status swirl_problem_add_batch(swirl_problem* problem, int64_t count) {
    return guarded([&] { add_batch(problem, {.count = count}); });
}

swirl_status swirl_problem_add_strided_batch(swirl_problem* problem, int64_t count, int64_t input_stride,
                                             int64_t output_stride) {
    return guarded([&] { add_batch(problem, {count, input_stride, output_stride}); });
}

swirl_status swirl_problem_text(const swirl_problem* problem, char* text, size_t size, size_t* length) {
    return guarded([&] {
        require(problem, "problem");
        if (size > 0) require(text, "text");
        const std::string whole = swirl::to_text(problem_of(*problem));
        if (length != nullptr) *length = whole.size();
        if (size == 0) return;
        const std::size_t copied = std::min(whole.size(), size - 1);
        std::memcpy(text, whole.data(), copied);
        text[copied] = '\0';
    });
}

swirl_status swirl_plan_create(const swirl_problem* problem, unsigned flags, swirl_plan** plan) {
    return swirl_plan_create_for_threads(problem, flags, 1, plan);
}

swirl_status swirl_plan_create_for_threads(const swirl_problem* problem, unsigned flags, int threads,
                                           swirl_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(problem, "problem");
        *plan = make_plan(problem_of(*problem), flags, threads);
    });
}

swirl_status swirl_plan_from_text(const char* problem, unsigned flags, swirl_plan** plan) {
    return swirl_plan_from_text_for_threads(problem, flags, 1, plan);
}

swirl_status swirl_plan_from_text_for_threads(const char* problem, unsigned flags, int threads,
                                              swirl_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(problem, "problem");
        *plan = make_plan(swirl::parse_transform(problem), flags, threads);
    });
}

void swirl_plan_destroy(swirl_plan* plan) { delete plan; }

const char* swirl_plan_problem(const swirl_plan* plan) {
    return plan == nullptr ? nullptr : plan->problem.c_str();
}
const char* swirl_plan_recipe(const swirl_plan* plan) {
    return plan == nullptr ? nullptr : plan->recipe.c_str();
}
int swirl_plan_threads(const swirl_plan* plan) { return plan == nullptr ? 0 : plan->plan->threads(); }
size_t swirl_plan_workspace_bytes(const swirl_plan* plan) {
    return plan == nullptr ? 0 : plan->plan->workspace_bytes();
}
double swirl_plan_flops(const swirl_plan* plan) { return plan == nullptr ? 0 : plan->plan->flops(); }
double swirl_plan_bytes(const swirl_plan* plan) { return plan == nullptr ? 0 : plan->plan->bytes(); }

swirl_status swirl_execute(const swirl_plan* plan, const void* input, void* output) {
    return swirl_execute_with_workspace(plan, input, output, nullptr, 0);
}

swirl_status swirl_execute_with_workspace(const swirl_plan* plan, const void* input, void* output,
                                          void* workspace, size_t bytes) {
    return guarded([&] {
        execute_as(swirl::ComplexLayout::interleaved, plan, {.input = input, .output = output},
                   {workspace, bytes});
    });
}

swirl_status swirl_execute_planar(const swirl_plan* plan, const void* input_real, const void* input_imaginary,
                                  void* output_real, void* output_imaginary) {
    return swirl_execute_planar_with_workspace(plan, input_real, input_imaginary, output_real,
                                               output_imaginary, nullptr, 0);
}

swirl_status swirl_execute_planar_with_workspace(const swirl_plan* plan, const void* input_real,
                                                 const void* input_imaginary, void* output_real,
                                                 void* output_imaginary, void* workspace, size_t bytes) {
    return guarded([&] {
        execute_as(swirl::ComplexLayout::planar, plan,
                   {input_real, output_real, input_imaginary, output_imaginary}, {workspace, bytes});
    });
}

} // extern "C"
