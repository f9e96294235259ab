#include "api/access.hpp"
#include "api/c.hpp"
#include "api/executable.hpp"
#include "plan/gemm/values.hpp"
#include "problem/problem.hpp"
#include "problem/syntax.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::api {

/// What a plan says about itself, made when first asked for: a description takes as long as planning.
struct Texts {
    std::once_flag of_schedule, of_description;
    std::string schedule, description;
};

} // namespace swirl::api

struct swirl_plan {
    swirl_plan(swirl::Plan of, bool has_any_layout)
        : plan(std::move(of)),
          executable(swirl::api::PlanAccess::executable(plan)),
          first(executable.now()),
          problem(swirl::to_text(executable.problem())),
          any_layout(has_any_layout) {}

    swirl::api::Texts& texts_of(const swirl::api::Executable& now) const {
        return &now == &first ? of_first : of_second;
    }

    swirl::Plan plan;
    const swirl::api::Executable& executable;
    const swirl::api::Executable& first; ///< executes at first; a search in the background may replace it
    std::string problem;
    bool any_layout; ///< a transform of real data only: both short forms of execute apply
    mutable swirl::api::Texts of_first, of_second;
};

struct swirl_packed_matrix {
    swirl::PackedMatrix matrix;
};

namespace swirl::api {
namespace {

std::string text_in(const char* text) { return text == nullptr ? std::string() : std::string(text); }

swirl_plan* make_plan(const Problem& problem, const swirl_options* options) {
    const auto* const transform = std::get_if<Transform>(&problem);
    const bool is_real =
        transform != nullptr && !is_complex(*transform, Side::input) && !is_complex(*transform, Side::output);
    return new swirl_plan(swirl::plan(problem, options_of(options)), is_real);
}

ScalarValue scalar_at(const MatrixProduct& product, const char* name, const void* pointer) {
    require(pointer, name);
    ScalarValue value;
    std::memcpy(value.bytes.data(), pointer, static_cast<std::size_t>(swirl::bytes_of(product.data_type)));
    value.kind = planning::scalar_kind(product.data_type, value.bytes.data());
    return value;
}

void execute_as(ComplexLayout called, const swirl_plan* plan, const planning::Arguments& arguments) {
    require(plan, "plan");
    if (!plan->any_layout && plan->executable.transform().layout != called)
        throw UserError("{} was called for a plan of {} data\n  problem: {}\n  use {}",
                        called == ComplexLayout::planar ? "swirl_execute_planar" : "swirl_execute",
                        name_of(plan->executable.transform().layout), plan->problem,
                        called == ComplexLayout::planar ? "swirl_execute" : "swirl_execute_planar");
    plan->executable.execute(arguments, {});
}

/// The arrays of an execution, by name.
class NamedArrays {
public:
    NamedArrays(const Executable& executable, const swirl_array* arrays, std::size_t count)
        : executable_(executable) {
        const std::size_t auxiliary = arrays_of(executable.problem()).size();
        constexpr std::size_t most_operands = 5; // alpha, a, b, beta, c
        for (const swirl_array& array :
             list_of(arrays, "arrays", count, auxiliary + most_operands, "an execution of this problem")) {
            require(array.name, "arrays[].name");
            if (array.data == nullptr)
                throw UserError("array {} is null; it must point to the element with index 0", array.name);
            if (const auto* const known = find(array.name))
                throw UserError("array {} is given twice", known->name);
            given_.push_back(&array);
        }
    }

    /// The array of this name, which the caller then has used; null if it is not given.
    const swirl_array* take(std::string_view name) {
        for (auto at = given_.begin(); at != given_.end(); ++at)
            if (name == (*at)->name) {
                const swirl_array* const array = *at;
                given_.erase(at);
                return array;
            }
        return nullptr;
    }
    const void* take_single(std::string_view name) {
        const swirl_array* const array = take(name);
        if (array == nullptr) return nullptr;
        if (array->imaginary != nullptr)
            throw UserError("array {} is given in two components; its elements are in one array", name);
        return array->data;
    }
    /// What is left, as auxiliary arrays.
    BoundArrays bound() const {
        BoundArrays result;
        const std::size_t count = arrays_of(executable_.problem()).size();
        result.arrays.resize(count);
        result.data.resize(count);
        for (const swirl_array* const array : given_) {
            const std::vector<detail::ArrayArgument> components = components_of(*array);
            const NamedArray named = array_named(executable_.problem(), array->name, components);
            result.arrays[named.position] = named.data;
            result.data[named.position] = named.data.data;
        }
        return result;
    }

private:
    const swirl_array* find(std::string_view name) const {
        for (const swirl_array* const array : given_)
            if (name == array->name) return array;
        return nullptr;
    }
    static std::vector<detail::ArrayArgument> components_of(const swirl_array& array) {
        std::vector<detail::ArrayArgument> components = {{.data = const_cast<void*>(array.data)}};
        if (array.imaginary != nullptr) components.push_back({.data = const_cast<void*>(array.imaginary)});
        return components;
    }

    const Executable& executable_;
    std::vector<const swirl_array*> given_;
};

void execute_transform(const Executable& executable, NamedArrays& arrays, const Launch& launch) {
    planning::Arguments arguments;
    const auto take = [&](const char* name, bool is_planar, auto& data, auto& imaginary) {
        const swirl_array* const array = arrays.take(name);
        if (array == nullptr)
            throw UserError("array {} is missing\n  problem: {}", name, to_text(executable.problem()));
        if ((array->imaginary != nullptr) != is_planar)
            throw UserError("array {} is given in {} components\n  problem: {}\n  its elements are in {}",
                            name, array->imaginary == nullptr ? 1 : 2, to_text(executable.problem()),
                            is_planar ? "two arrays" : "one array");
        data = const_cast<void*>(array->data);
        imaginary = const_cast<void*>(array->imaginary);
    };
    const Transform& problem = executable.transform();
    const bool is_planar = problem.layout == ComplexLayout::planar;
    take("input", is_planar && is_complex(problem, Side::input), arguments.input, arguments.input_imaginary);
    take("output", is_planar && is_complex(problem, Side::output), arguments.output,
         arguments.output_imaginary);
    const BoundArrays bound = arrays.bound();
    arguments.arrays = bound.arrays;
    executable.execute(arguments, launch);
}

void execute_product(const Executable& executable, NamedArrays& arrays, Launch launch) {
    const MatrixProduct& product = executable.product();
    const auto scalar = [&](const char* name, double otherwise) {
        const void* const pointer = arrays.take_single(name);
        return pointer == nullptr ? scalar_value(product.data_type, name, otherwise)
                                  : scalar_at(product, name, pointer);
    };
    const auto packed = [&](const char* name) -> const planning::PackedMatrix* {
        const void* const pointer = arrays.take_single(name);
        return pointer == nullptr ? nullptr
                                  : static_cast<const swirl_packed_matrix*>(pointer)->matrix.matrix();
    };
    ProductArguments arguments;
    arguments.alpha = scalar("alpha", 1);
    arguments.beta = scalar("beta", 0);
    arguments.a = arrays.take_single("a");
    arguments.b = arrays.take_single("b");
    arguments.c = const_cast<void*>(arrays.take_single("c"));
    arguments.packed_a = packed("packed_a");
    arguments.packed_b = packed("packed_b");
    const BoundArrays bound = arrays.bound();
    launch.bound = bound.arrays.empty() ? nullptr : &bound;
    if (!product.listed) return executable.execute(arguments, launch);
    const Executable::Group group{&executable.now(),
                                  {arguments.alpha, static_cast<const void* const*>(arguments.a),
                                   static_cast<const void* const*>(arguments.b), arguments.beta,
                                   static_cast<void* const*>(arguments.c), product.batch},
                                  launch.bound};
    group.executable->execute_groups({&group, 1}, launch);
}

} // namespace

Launch launch_of(const swirl_execution* execution) {
    const swirl_execution given =
        versioned<swirl_execution>(execution, SWIRL_EXECUTION_INIT, "argument 'execution'");
    return {gpu::Stream(given.stream), {given.workspace, given.workspace_bytes}};
}

Options options_of(const swirl_options* options) {
    const swirl_options given = versioned<swirl_options>(options, SWIRL_OPTIONS_INIT, "argument 'options'");
    constexpr std::array efforts = {Effort::estimate, Effort::measure, Effort::exhaustive,
                                    Effort::background};
    constexpr std::array accuracies = {Accuracy::ordinary, Accuracy::ordinary_in_range, Accuracy::reduced,
                                       Accuracy::eleven_bits, Accuracy::low};
    Options result;
    result.device = device_of(given.device, given.ordinal);
    result.threads = given.threads;
    result.effort = value_of(given.effort, efforts, "options.effort");
    result.swap_schedule = given.swap_schedule != 0;
    result.accuracy = value_of(given.accuracy, accuracies, "options.accuracy");
    if (!(given.time_budget_seconds < 0)) result.time_budget_seconds = given.time_budget_seconds;
    result.cpu = text_in(given.cpu);
    result.schedule = text_in(given.schedule);
    result.check = given.check != 0;
    result.use_wisdom = given.use_wisdom != 0;
    result.use_kernel_cache = given.use_kernel_cache != 0;
    result.reorder_sass = given.reorder_sass != 0;
    result.memory_limit_bytes = given.memory_limit_bytes;
    result.planning_limit_seconds = given.planning_limit_seconds;
    const auto sink = [context = given.context](void (*function)(const char*, void*)) {
        return function == nullptr
                   ? std::function<void(const std::string&)>()
                   : [function, context](const std::string& line) { function(line.c_str(), context); };
    };
    result.progress = sink(given.progress);
    result.log = sink(given.log);
    if (given.cancelled != nullptr)
        result.cancelled = [function = given.cancelled, context = given.context] {
            return function(context) != 0;
        };
    return result;
}

} // namespace swirl::api

using namespace swirl::api;

extern "C" {

swirl_status swirl_options_init(swirl_options* options, size_t struct_size) {
    return guarded([&] {
        require(options, "options");
        if (struct_size < sizeof(size_t) || struct_size > 16 * sizeof(swirl_options))
            throw swirl::UserError("struct_size is {}; use sizeof(swirl_options)", struct_size);
        const swirl_options defaults = SWIRL_OPTIONS_INIT;
        std::memset(static_cast<void*>(options), 0, struct_size);
        std::memcpy(static_cast<void*>(options), &defaults, std::min(struct_size, sizeof defaults));
        options->struct_size = struct_size;
    });
}

swirl_status swirl_plan_create(const swirl_problem* problem, const swirl_options* options,
                               swirl_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(problem, "problem");
        *plan = make_plan(problem_of(*problem), options);
    });
}

swirl_status swirl_plan_from_text(const char* problem, const swirl_options* options, swirl_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(problem, "problem");
        *plan = make_plan(swirl::parse_problem(problem), options);
    });
}

void swirl_plan_destroy(swirl_plan* plan) { delete plan; }

const char* swirl_plan_problem(const swirl_plan* plan) {
    return plan == nullptr ? nullptr : plan->problem.c_str();
}
const char* swirl_plan_schedule(const swirl_plan* plan) {
    if (plan == nullptr) return nullptr;
    const Executable& now = plan->executable.now();
    Texts& texts = plan->texts_of(now);
    const swirl_status status =
        guarded([&] { std::call_once(texts.of_schedule, [&] { texts.schedule = now.schedule(); }); });
    return status == SWIRL_OK ? texts.schedule.c_str() : "";
}
const char* swirl_plan_description(const swirl_plan* plan) {
    if (plan == nullptr) return nullptr;
    const Executable& now = plan->executable.now();
    Texts& texts = plan->texts_of(now);
    const swirl_status status = guarded(
        [&] { std::call_once(texts.of_description, [&] { texts.description = now.description(); }); });
    return status == SWIRL_OK ? texts.description.c_str() : "";
}
int swirl_plan_device(const swirl_plan* plan) {
    return plan != nullptr && plan->executable.device().is_gpu() ? SWIRL_GPU : SWIRL_CPU;
}
int swirl_plan_ordinal(const swirl_plan* plan) {
    return plan == nullptr ? 0 : plan->executable.device().ordinal();
}
int swirl_plan_threads(const swirl_plan* plan) { return plan == nullptr ? 0 : plan->executable.threads(); }
int swirl_plan_accuracy(const swirl_plan* plan) {
    return plan == nullptr ? 0 : static_cast<int>(plan->executable.accuracy());
}
size_t swirl_plan_workspace_bytes(const swirl_plan* plan) {
    return plan == nullptr ? 0 : plan->executable.workspace_bytes();
}
double swirl_plan_flops(const swirl_plan* plan) { return plan == nullptr ? 0 : plan->executable.flops(); }
double swirl_plan_bytes(const swirl_plan* plan) { return plan == nullptr ? 0 : plan->executable.bytes(); }

swirl_status swirl_execute(const swirl_plan* plan, const void* input, void* output) {
    if (plan != nullptr && plan->executable.two_array_call().run(input, output)) return SWIRL_OK;
    return guarded(
        [&] { execute_as(swirl::ComplexLayout::interleaved, plan, {.input = input, .output = output}); });
}

swirl_status swirl_execute_planar(const swirl_plan* plan, const void* input_real, const void* input_imaginary,
                                  void* output_real, void* output_imaginary) {
    return guarded([&] {
        execute_as(swirl::ComplexLayout::planar, plan,
                   {input_real, output_real, input_imaginary, output_imaginary});
    });
}

swirl_status swirl_execute_product(const swirl_plan* plan, const void* alpha, const void* a, const void* b,
                                   const void* beta, void* c) {
    return guarded([&] {
        require(plan, "plan");
        const swirl::MatrixProduct& product = plan->executable.product();
        plan->executable.execute(
            ProductArguments{scalar_at(product, "alpha", alpha), a, b, scalar_at(product, "beta", beta), c},
            {});
    });
}

swirl_status swirl_execute_arrays(const swirl_plan* plan, const swirl_array* arrays, size_t count,
                                  const swirl_execution* execution) {
    return guarded([&] {
        require(plan, "plan");
        const Executable& executable = plan->executable;
        NamedArrays named(executable, arrays, count);
        const Launch launch = launch_of(execution);
        if (std::holds_alternative<swirl::Transform>(executable.problem()))
            execute_transform(executable, named, launch);
        else
            execute_product(executable, named, launch);
    });
}

swirl_status swirl_execute_groups(const swirl_group* groups, size_t count, const swirl_execution* execution) {
    return guarded([&] {
        std::vector<Executable::Group> all;
        for (const swirl_group& group : list_of(groups, "groups", count)) {
            require(group.plan, "groups[].plan");
            const swirl::MatrixProduct& product = group.plan->executable.product();
            all.push_back({&group.plan->executable.now(),
                           {scalar_at(product, "groups[].alpha", group.alpha), group.a, group.b,
                            scalar_at(product, "groups[].beta", group.beta), group.c, group.count},
                           nullptr});
        }
        if (!all.empty()) all.front().executable->execute_groups(all, launch_of(execution));
    });
}

swirl_status swirl_packed_matrix_create(const swirl_plan* plan, int matrix, const void* data,
                                        swirl_packed_matrix** packed) {
    return guarded([&] {
        require(packed, "packed");
        *packed = nullptr;
        require(plan, "plan");
        plan->executable.product();
        constexpr std::array operands = {swirl::gemm::Operand::a, swirl::gemm::Operand::b};
        const swirl::gemm::Operand operand = value_of(matrix, operands, "matrix");
        *packed = new swirl_packed_matrix{plan->executable.pack(operand, data)};
    });
}

void swirl_packed_matrix_destroy(swirl_packed_matrix* packed) { delete packed; }
size_t swirl_packed_matrix_bytes(const swirl_packed_matrix* packed) {
    return packed == nullptr ? 0 : packed->matrix.bytes();
}

} // extern "C"
