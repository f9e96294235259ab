/// Fourier transforms of memory given by its address and layout, on CPUs and GPUs: for libraries whose arrays cost more to
/// describe than to transform. A call of the same layout as an earlier one finds its recipe by one look-up.
#include "spectral.hpp"

#include "kept_plans.hpp"
#include "memory_call.hpp"
#include "plan.hpp"
#include "plan_cache.hpp"
#include "planning.hpp"
#include "recipe.hpp"
#include "tensor.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace swirl::python {
namespace {

constexpr std::size_t cached_transforms = 1024;

PlanCache<Recipe>& memory_recipes() {
    static auto* const recipes =
        new PlanCache<Recipe>(cached_transforms); // never destroyed: plans may be in use at exit
    return *recipes;
}

Norm norm_of(Function function, int scaled) {
    switch (scaled) {
    case 0: return is_forward(function) ? Norm::backward : Norm::forward;
    case 1: return Norm::ortho;
    default: return is_forward(function) ? Norm::forward : Norm::backward;
    }
}

/// A complex array that multiplies the result.
struct FactorArgument {
    const void* data = nullptr;
    std::span<const Integer> axes;
    bool is_conjugated = false;
};
/// Of a tuple: address, the axes of the result along which it extends, whether it is conjugated.
FactorArgument factor_argument(CallKey& key, nb::handle given) {
    const auto arguments = nb::cast<nb::tuple>(given);
    const bool is_conjugated = nb::cast<bool>(arguments[2]);
    key.add(is_conjugated ? 1 : 0);
    return {reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(arguments[0])),
            key.add_tuple(arguments[1]), is_conjugated};
}

/// A real array that multiplies elements along the only axis.
struct WindowArgument {
    const void* data = nullptr;
    Call::Window side = Call::Window::none;
};
/// Of a tuple: address, whether it multiplies elements as they are loaded.
WindowArgument window_argument(CallKey& key, nb::handle given) {
    const auto arguments = nb::cast<nb::tuple>(given);
    const auto side = nb::cast<bool>(arguments[1]) ? Call::Window::on_load : Call::Window::on_store;
    key.add(static_cast<Integer>(side));
    return {reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(arguments[0])), side};
}

void transform(int function_number, int scaled, bool is_weighted, std::uintptr_t data, int type,
               nb::handle shape, nb::handle strides, nb::handle lengths, nb::handle axes, std::uintptr_t out,
               int out_component, nb::handle out_strides, nb::handle factor_arguments,
               nb::handle window_arguments, nb::handle given_plan, const MemoryCall& where) {
    CallKey key;
    key.add(function_number | scaled << 8 | static_cast<int>(is_weighted) << 16 | type << 20);
    key.add(static_cast<Integer>(out_component) << 32 | where.threads);
    key.add(where.gpu);
    const auto of_input = key.add_tuple(shape), of_strides = key.add_tuple(strides),
               of_lengths = key.add_tuple(lengths), of_axes = key.add_tuple(axes),
               of_output = key.add_tuple(out_strides);
    FactorArgument factor;
    if (!factor_arguments.is_none()) factor = factor_argument(key, factor_arguments);
    WindowArgument window;
    if (window_arguments.is_valid() && !window_arguments.is_none())
        window = window_argument(key, window_arguments);
    const Plan* const plan_to_take =
        given_plan.is_valid() && !given_plan.is_none() ? &plan_of(given_plan) : nullptr;
    if (plan_to_take != nullptr && plan_to_take->device() != where.device())
        throw UserError("plan is for " + name_of(plan_to_take->device()) + ", but the array is on " +
                        name_of(where.device()));
    std::shared_ptr<const Recipe> recipe = plan_to_take != nullptr ? nullptr : memory_recipes().find(key);
    if (recipe == nullptr) {
        if (where.is_capturing && plan_to_take == nullptr) refuse_planning_in_capture();
        Call call;
        call.function = static_cast<Function>(function_number);
        call.norm = norm_of(call.function, scaled);
        call.is_weighted = is_weighted;
        call.workers = where.threads;
        call.device = where.device();
        call.input_type = data_type_numbered(type);
        call.output_component = data_type_numbered(out_component);
        call.shape.assign(of_input.begin(), of_input.end());
        call.strides.assign(of_strides.begin(), of_strides.end());
        call.lengths.assign(of_lengths.begin(), of_lengths.end());
        for (const Integer axis : of_axes) call.axes.push_back(static_cast<int>(axis));
        call.destination = Destination::given_array;
        call.output_strides.assign(of_output.begin(), of_output.end());
        if (factor.data != nullptr)
            call.factor = Call::Factor{{factor.axes.begin(), factor.axes.end()}, factor.is_conjugated};
        call.window = window.side;
        if (window.data != nullptr && (call.axes.size() != 1 || factor.data != nullptr))
            throw nb::value_error("a window is for transforms along one axis, without a factor");
        recipe = kept_while_gpu_runs(recipe_of(call, plan_to_take));
        if (plan_to_take == nullptr) memory_recipes().insert(key, recipe);
    }
    if (!recipe->plan) return;
    void* const to = reinterpret_cast<void*>(out);
    const void* const from = reinterpret_cast<const void*>(data);
    if (where.gpu < 0 && !recipe->reads_array && !recipe->has_factor && !recipe->has_window)
        return execute_unlocked(recipe->is_long, [&] {
            recipe->plan.execute(from, to);
            if (recipe->mirror) recipe->mirror->complete(to);
        });
    if (where.is_capturing) keep_forever(recipe);
    const TakenWorkspace workspace(where, recipe->plan.workspace_bytes());
    nb::gil_scoped_release released;
    Plan plan = recipe->plan;
    if (recipe->reads_array) plan = plan.with("reals", Input(from));
    if (recipe->has_factor) plan = plan.with("factor", Input(factor.data));
    if (recipe->has_window) plan = plan.with("window", Input(window.data));
    plan.execute(from, to, where.queue(), workspace.memory());
}

} // namespace

void define_memory_transforms(nb::module_& module) {
    using nb::arg;
    module.def(
        "transform_memory",
        [](int function, int scaled, bool is_weighted, std::uintptr_t data, int type, nb::handle shape,
           nb::handle strides, nb::handle lengths, nb::handle axes, std::uintptr_t out, int out_component,
           nb::handle out_strides, nb::handle factor, int threads, int gpu, std::uintptr_t stream,
           bool is_capturing, nb::handle allocate, nb::handle window, nb::handle plan) {
            transform(function, scaled, is_weighted, data, type, shape, strides, lengths, axes, out,
                      out_component, out_strides, factor, window, plan,
                      {threads, gpu, stream, is_capturing, allocate});
        },
        arg("function"), arg("scaled"), arg("is_weighted"), arg("data"), arg("type"), arg("shape"),
        arg("strides"), arg("lengths"), arg("axes"), arg("out"), arg("out_component"), arg("out_strides"),
        arg("factor").none(), arg("threads"), arg("gpu"), arg("stream"), arg("is_capturing"),
        arg("allocate").none(), arg("window").none() = nb::none(), arg("plan").none() = nb::none());
    nb::dict types;
    constexpr std::pair<const char*, DataType> names[] = {
        {"float16", DataType::float16},     {"bfloat16", DataType::bfloat16},
        {"float32", DataType::float32},     {"float64", DataType::float64},
        {"complex32", DataType::complex32}, {"complex_bfloat16", DataType::complex_bfloat16},
        {"complex64", DataType::complex64}, {"complex128", DataType::complex128}};
    for (const auto& [name, type] : names) types[name] = static_cast<int>(type);
    module.attr("data_types") = types;
    module.def("memory_plans", [] { return memory_recipes().size(); });
    module.def("clear_memory_plans", [] { memory_recipes().clear(); });
}

} // namespace swirl::python
