/// The class Plan: a problem as text, planned once, executed on arrays of any library.
#include "plan.hpp"

#include "planning.hpp"
#include "reports.hpp"
#include "sides.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace swirl::python {
namespace {

/// A plan and how it was made.
struct PlanObject {
    Plan plan;
    PlanOptions options;
};

/// Sides of the problem, one for each array that an execution takes: planar complex data are two arrays.
struct Sides {
    std::vector<Side> inputs, outputs;
};
Sides sides_of(const Problem& problem) {
    if (const auto* const product = std::get_if<MatrixProduct>(&problem))
        return {{a_of(*product), b_of(*product)}, {c_of(*product)}};
    const auto& transform = std::get<Transform>(problem);
    const auto arrays = [&](const Side& side, bool is_complex) -> std::vector<Side> {
        if (!is_complex || transform.layout == ComplexLayout::interleaved) return {side};
        Side real = side, imaginary = side;
        real.name = "the real components of the " + side.name;
        imaginary.name = "the imaginary components of the " + side.name;
        return {real, imaginary};
    };
    const bool is_real_dft = transform.kind == TransformKind::real_dft;
    const bool is_forward = transform.direction == Direction::forward;
    return {
        arrays(input_of(transform), !is_real_dft || !is_forward),
        arrays(output_of(transform), (!is_real_dft || is_forward) && !transform.store.is_stored_as_real())};
}

/// The arrays given for some sides: one object, or a tuple of two for planar data.
std::vector<Tensor> arrays_for(const std::vector<Side>& sides, nb::handle given, Device device,
                               void* stream) {
    std::vector<Tensor> arrays;
    if (sides.size() == 1) {
        arrays.push_back(tensor_of(given, sides[0].name, stream));
    } else {
        if (!PyTuple_Check(given.ptr()) || PyTuple_Size(given.ptr()) != static_cast<Py_ssize_t>(sides.size()))
            throw nb::type_error("planar data are a tuple of two arrays: real and imaginary components");
        for (std::size_t k = 0; k < sides.size(); ++k)
            arrays.push_back(tensor_of(nb::handle(PyTuple_GetItem(given.ptr(), static_cast<Py_ssize_t>(k))),
                                       sides[k].name, stream));
    }
    for (std::size_t k = 0; k < sides.size(); ++k) check_layout(arrays[k], sides[k], device);
    return arrays;
}

void check_writable(const Tensor& tensor) {
    if (!tensor.is_writable) throw nb::value_error("output array is read-only");
}

/// The plan with the arrays that callbacks, epilogues and reductions name.
Plan with_arrays(Plan plan, const nb::kwargs& named, void* stream, std::vector<Tensor>& kept) {
    for (const auto& [key, value] : named) {
        const std::string name = nb::str(key).c_str();
        const Tensor& array = kept.emplace_back(tensor_of(value, name, stream));
        if (!array.is_contiguous()) throw nb::value_error((name + " must be contiguous").c_str());
        if (array.device != plan.device() && !array.is_managed)
            throw nb::value_error((name + " must be in the memory of the plan's device").c_str());
        const auto count = static_cast<std::size_t>(array.size());
        plan =
            with_elements(array, name, [&](auto* data) { return plan.with(name, std::span(data, count)); });
    }
    return plan;
}

/// Executes with the interpreter's lock released if that can take long: on a GPU, where a full queue makes the caller wait,
/// too.
template <class Execute> void execute_released(const Plan& plan, Execute&& execute) {
    execute_unlocked(plan.device().is_gpu() || plan.flops() > least_flops_to_release_lock,
                     std::forward<Execute>(execute));
}

nb::object execute_transform(const Plan& plan, const Transform& problem, nb::handle x, nb::handle out,
                             gpu::Stream stream) {
    const Sides sides = sides_of(problem);
    const Device device = plan.device();
    const std::vector<Tensor> inputs = arrays_for(sides.inputs, x, device, stream.handle());
    std::vector<Tensor> outputs;     // none in place
    std::vector<nb::object> results; // of a plan in place: its input, or views of it
    if (problem.placement == Placement::in_place) {
        if (!out.is_none()) throw nb::value_error("the plan works in place: it takes no `out`");
        for (const Tensor& input : inputs) check_writable(input);
        for (std::size_t k = 0; k < sides.outputs.size(); ++k) {
            Tensor memory = inputs[std::min(k, inputs.size() - 1)];
            const bool is_same = sides.inputs[0].type == sides.outputs[k].type &&
                                 sides.inputs[0].shape == sides.outputs[k].shape;
            results.push_back(is_same ? memory.object : view_of(memory, sides.outputs[k]));
            memory.type = sides.outputs[k].type;
            outputs.push_back(std::move(memory));
        }
    } else {
        if (out.is_none())
            for (const Side& side : sides.outputs)
                outputs.push_back(new_array(side, inputs[0], stream.handle()));
        else
            outputs = arrays_for(sides.outputs, out, device, stream.handle());
        for (const Tensor& output : outputs) check_writable(output);
    }
    std::vector<Input> reads;
    std::vector<Output> writes;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        reads.push_back(input_elements(inputs[k], sides.inputs[k].name));
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        writes.push_back(output_elements(outputs[k], sides.outputs[k].name));
        reads.push_back(input_elements(outputs[k], sides.outputs[k].name));
    }
    execute_released(plan, [&] {
        switch (reads.size()) {
        case 2: return plan.execute(reads[0], writes[0], stream);
        case 3: return plan.execute(reads[0], reads[1], writes.back(), stream);
        default: return plan.execute(reads[0], reads[1], writes[0], writes[1], stream);
        }
    });
    if (results.empty())
        for (const Tensor& output : outputs)
            results.push_back(out.is_none() ? handed_over(output, inputs[0]) : output.object);
    if (results.size() == 1) return results[0];
    return nb::make_tuple(results[0], results[1]);
}

nb::object execute_product(const Plan& plan, const MatrixProduct& product, nb::handle a, nb::handle b,
                           nb::handle out, std::complex<double> alpha, std::complex<double> beta,
                           gpu::Stream stream) {
    const Side sides[] = {a_of(product), b_of(product), c_of(product)};
    const Device device = plan.device();
    const Tensor a_array = tensor_of(a, "A", stream.handle()), b_array = tensor_of(b, "B", stream.handle());
    check_layout(a_array, sides[0], device);
    check_layout(b_array, sides[1], device);
    if (out.is_none() && beta != 0.0) throw nb::value_error("beta is not zero: give C as `out`");
    const Tensor c_array =
        out.is_none() ? new_array(sides[2], a_array, stream.handle()) : tensor_of(out, "C", stream.handle());
    check_layout(c_array, sides[2], device);
    check_writable(c_array);
    const Output c_elements = output_elements(c_array, "C");
    const auto operand = [](const Tensor& array) {
        return with_elements(array, "", [](const auto* data) { return Operand(data); });
    };
    const Operand a_operand = operand(a_array), b_operand = operand(b_array);
    execute_released(plan, [&] { plan.execute(alpha, a_operand, b_operand, beta, c_elements, stream); });
    return out.is_none() ? handed_over(c_array, a_array) : c_array.object;
}

/// The stream of a GPU's execution: the given one, else that on which the caller's library enqueues work.
gpu::Stream stream_of(const Plan& plan, nb::handle given, nb::handle array) {
    if (!plan.device().is_gpu()) {
        if (!given.is_none()) throw nb::type_error("the plan is for the CPU: it takes no stream");
        return {};
    }
    if (given.is_none())
        return gpu::Stream(current_stream(
            PyTuple_Check(array.ptr()) ? PyTuple_GetItem(array.ptr(), 0) : array.ptr(), plan.device()));
    for (const char* const name : {"cuda_stream", "ptr"}) // of PyTorch, of CuPy
        if (nb::hasattr(given, name))
            return gpu::Stream(reinterpret_cast<void*>(nb::cast<std::uintptr_t>(nb::getattr(given, name))));
    return gpu::Stream(reinterpret_cast<void*>(nb::cast<std::uintptr_t>(given)));
}

nb::object execute(const PlanObject& self, const nb::args& arrays, nb::handle out, std::complex<double> alpha,
                   std::complex<double> beta, nb::handle stream_object, const nb::kwargs& named) {
    const Problem& problem = self.plan.problem();
    const bool is_product = std::holds_alternative<MatrixProduct>(problem);
    const std::size_t inputs = is_product ? 2 : 1;
    if (arrays.size() == inputs + 1 && out.is_none())
        out = arrays[inputs];
    else if (arrays.size() != inputs)
        throw nb::type_error(is_product ? "a matrix product takes A, B and perhaps C"
                                        : "a transform takes its input and perhaps its output");
    const gpu::Stream stream = stream_of(self.plan, stream_object, arrays[0]);
    std::vector<Tensor> kept;
    const Plan plan = with_arrays(self.plan, named, stream.handle(), kept);
    if (is_product)
        return execute_product(plan, std::get<MatrixProduct>(problem), arrays[0], arrays[1], out, alpha, beta,
                               stream);
    if (alpha != 1.0 || beta != 0.0) throw nb::type_error("alpha and beta are arguments of matrix products");
    return execute_transform(plan, std::get<Transform>(problem), arrays[0], out, stream);
}

PlanObject made(const std::string& problem, nb::handle device, int threads, const std::string& effort,
                std::optional<double> time_budget, const std::string& accuracy, const std::string& schedule,
                const std::string& cpu, std::size_t memory_limit, double planning_limit, bool check,
                bool use_wisdom, bool use_kernel_cache, nb::handle progress) {
    PlanOptions options{.device = device_named(device),
                        .threads = threads,
                        .effort = effort,
                        .time_budget = time_budget.value_or(-1),
                        .accuracy = accuracy,
                        .schedule = schedule,
                        .cpu = cpu,
                        .memory_limit = memory_limit,
                        .planning_limit = planning_limit,
                        .check = check,
                        .use_wisdom = use_wisdom,
                        .use_kernel_cache = use_kernel_cache};
    const Problem parsed = parse_problem(problem);
    return {make_plan(parsed, options, progress), std::move(options)};
}

/// What a pickled plan is: the function that makes plans, the problem, and the schedule, which is not searched for again.
nb::object reduced(const PlanObject& self) {
    nb::dict options;
    if (self.plan.device().is_gpu()) options["device"] = self.plan.device().ordinal();
    options["threads"] = self.options.threads;
    options["accuracy"] = self.options.accuracy;
    options["schedule"] = self.plan.schedule();
    options["cpu"] = self.options.cpu;
    options["memory_limit"] = self.options.memory_limit;
    options["planning_limit"] = self.options.planning_limit;
    options["check"] = self.options.check;
    options["use_kernel_cache"] = self.options.use_kernel_cache;
    const nb::object make = nb::module_::import_("swirl").attr("_plan_from");
    return nb::make_tuple(make, nb::make_tuple(to_text(self.plan.problem()), options));
}

/// A schedule for another kind of device than the language's is chosen anew.
std::string emitted(const PlanObject& self, const std::string& language, const std::string& gpu,
                    const std::string& function, bool header) {
    Report report = report_of(self.plan, self.options);
    const bool is_for_gpu = language != "c++" && language != "cpp";
    if (is_for_gpu || self.plan.device().is_gpu()) report.schedule.clear();
    return source_of(std::move(report), {language, gpu, function, header});
}

constexpr const char* explain_text =
    R"(How the problem is computed, as text: what `swirl explain` prints.

The formula and the rules that broke it down, merged loops and their tags, operations and code of each kernel, predicted and
measured time of each pass (it is executed for some hundredths of a second), floors, and what was not taken and why. Of a
matrix product blocks, loops and kernels.

Args:
    full: Also the intermediate representation and the code of the kernels; not of products on GPUs.

Returns:
    Lines of text.)";

constexpr const char* emit_text =
    R"(The problem as source text that needs no swirl: what `swirl emit` writes.

C++ has the plan's own algorithm if the plan is for the CPU. Kernels in a language for GPUs are chosen by the model for a
kind of GPU, as these languages lack some of its instructions; with them comes a function of the host that runs them.

Args:
    language: "c++" (or "cpp"), "cuda", "hip" or "opencl".
    gpu: Of a language for GPUs, the kind that kernels are chosen for: "generic", "sm_80" or "sm_90".
    function: Name of the function; "" for one made from the problem.
    header: Return the function's declaration for C and C++ instead.

Returns:
    The text of a file.

Raises:
    ValueError: No such language or kind of GPU, no identifier, or the language cannot express the problem.
    Unsupported: The emitter lacks the problem's data types.)";

constexpr const char* execute_text =
    R"(Executes the plan. Releases the interpreter's lock, but for plans of less than some microseconds.

On a GPU the work is enqueued and the call returns at once, so a CUDA graph can capture it. The plan must outlive that work.

A transform takes one array. It must have the shape of the problem (batches first, then dimensions) and its strides, or be
contiguous memory with enough elements. Planar complex data are a tuple of two arrays, real and imaginary components.

A matrix product takes A and B, and computes alpha·A·B + beta·C with C in `out`.

Arrays that callbacks, convolutions, epilogues and reductions name are given by name.

Args:
    *arrays: The input, or A and B; after them perhaps `out`. Of the problem's data type, in the memory of the plan's device:
        NumPy arrays, or what has __dlpack__ or __cuda_array_interface__. None is copied.
    out: Array for the result, of the output's shape and strides or contiguous. If None a new array of the input's library:
        NumPy, PyTorch, CuPy, and on CPUs any with a namespace of the array API. A plan in place takes none.
    alpha, beta: Factors of a matrix product.
    stream: On a GPU the CUDA stream: an address, or an object of PyTorch or CuPy. None for the current stream of the
        input's library, the default stream if it has no such notion.
    **named: Contiguous arrays, such as spectrum=h, window=w, bias=b.

Returns:
    The result: `out`, the input of a plan in place, or a new array. A tuple of two arrays for planar results.

Raises:
    TypeError: An argument is not an array, or the number of arguments is wrong.
    ValueError: Device, data type, shape, strides, alignment or overlap do not fit the problem. Nothing was written.)";

} // namespace

const Plan& plan_of(nb::handle object) {
    if (!nb::isinstance<PlanObject>(object)) throw nb::type_error("plan must be a swirl.Plan");
    return nb::cast<const PlanObject&>(object).plan;
}

void define_plan(nb::module_& module) {
    using nb::arg;
    const nb::object make = nb::cpp_function(
        made, arg("problem"), nb::kw_only(), arg("device").none() = nb::none(), arg("threads") = 1,
        arg("effort") = "estimate", arg("time_budget") = nb::none(), arg("accuracy") = "ordinary",
        arg("schedule") = "", arg("cpu") = "", arg("memory_limit") = 0, arg("planning_limit") = 0.0,
        arg("check") = true, arg("use_wisdom") = true, arg("use_kernel_cache") = true,
        arg("progress").none() = nb::none(), nb::name("plan"), nb::scope(module));
    module.attr("plan") = make;
    nb::class_<PlanObject>(module, "Plan",
                           "A problem ready to run: immutable, safe to use from any number of threads.")
        .def("execute", execute, arg("arrays"), arg("out").none() = nb::none(),
             arg("alpha") = std::complex<double>(1), arg("beta") = std::complex<double>(0),
             arg("stream").none() = nb::none(), arg("named"), execute_text)
        .def_prop_ro(
            "problem", [](const PlanObject& self) { return to_text(self.plan.problem()); },
            "The problem as text.")
        .def_prop_ro(
            "schedule", [](const PlanObject& self) { return self.plan.schedule(); },
            "Every choice, as one line, which `plan(problem, schedule=…)` takes back.")
        .def_prop_ro(
            "description", [](const PlanObject& self) { return self.plan.description(); },
            "Lines of text about the kernels, and whether the plan was checked.")
        .def_prop_ro(
            "device", [](const PlanObject& self) { return name_of(self.plan.device()); },
            "Where it runs: \"cpu\", or \"cuda:0\" and so on.")
        .def_prop_ro(
            "threads", [](const PlanObject& self) { return self.plan.threads(); }, "Threads of an execution.")
        .def_prop_ro(
            "workspace_bytes", [](const PlanObject& self) { return self.plan.workspace_bytes(); },
            "Memory that an execution takes besides its arrays.")
        .def_prop_ro(
            "flops", [](const PlanObject& self) { return self.plan.flops(); },
            "Real additions and multiplications of one execution.")
        .def("__repr__",
             [](const PlanObject& self) {
                 const Device device = self.plan.device();
                 return "swirl.plan('" + to_text(self.plan.problem()) +
                        (device.is_gpu() ? "', device='" + name_of(device) : "") + "', schedule='" +
                        self.plan.schedule() + "')";
             })
        .def(
            "explain",
            [](const PlanObject& self, bool full) {
                return explanation_of(report_of(self.plan, self.options), full);
            },
            arg("full") = false, explain_text)
        .def("emit", emitted, arg("language") = "c++", nb::kw_only(), arg("gpu") = "generic",
             arg("function") = "", arg("header") = false, emit_text)
        .def(
            "_repr_markdown_",
            [](const PlanObject& self) { return markdown_of(report_of(self.plan, self.options)); },
            "What a notebook shows: the problem, its derivation in mathematics, floors and predicted time.")
        .def("__reduce__", reduced);
}

} // namespace swirl::python
