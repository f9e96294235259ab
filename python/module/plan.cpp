/// The class Plan: a problem as text, planned once, executed on NumPy arrays.
#include "plan.hpp"

#include "planning.hpp"
#include "sides.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
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
    return {arrays(input_of(transform), !is_real_dft || !is_forward),
            arrays(output_of(transform), !is_real_dft || is_forward)};
}

Array array_of(nb::handle object, const std::string& name) {
    if (!PyArray_Check(object.ptr())) throw nb::type_error((name + " must be a NumPy array").c_str());
    return Array::borrowed(object);
}

/// The arrays given for some sides: one object, or a tuple of two for planar data.
std::vector<Array> arrays_for(const std::vector<Side>& sides, nb::handle given) {
    std::vector<Array> arrays;
    if (sides.size() == 1) {
        arrays = {array_of(given, sides[0].name)};
    } else {
        if (!PyTuple_Check(given.ptr()) || PyTuple_Size(given.ptr()) != static_cast<Py_ssize_t>(sides.size()))
            throw nb::type_error("planar data are a tuple of two arrays: real and imaginary components");
        for (std::size_t k = 0; k < sides.size(); ++k)
            arrays.push_back(array_of(nb::handle(PyTuple_GetItem(given.ptr(), static_cast<Py_ssize_t>(k))),
                                      sides[k].name));
    }
    for (std::size_t k = 0; k < sides.size(); ++k) check_layout(arrays[k], sides[k]);
    return arrays;
}

void check_writable(const std::vector<Array>& arrays) {
    for (const Array& array : arrays)
        if (!PyArray_ISWRITEABLE(array.get())) throw nb::value_error("output array is read-only");
}

/// What the caller gets: its own output arrays, or new ones.
nb::object returned(std::vector<Array> outputs) {
    if (outputs.size() == 1) return std::move(outputs[0]).object();
    return nb::make_tuple(outputs[0].object(), outputs[1].object());
}

/// The plan with the arrays that callbacks, epilogues and reductions name.
Plan with_arrays(Plan plan, const nb::kwargs& named, std::vector<Array>& kept) {
    for (const auto& [key, value] : named) {
        const std::string name = nb::str(key).c_str();
        const Array array = array_of(value, name);
        if (!PyArray_IS_C_CONTIGUOUS(array.get()))
            throw nb::value_error((name + " must be contiguous").c_str());
        kept.push_back(array);
        const std::size_t count = static_cast<std::size_t>(array.size());
        plan =
            with_elements(array, name, [&](auto* data) { return plan.with(name, std::span(data, count)); });
    }
    return plan;
}

nb::object execute_transform(const Plan& plan, const Transform& problem, nb::handle x, nb::handle out) {
    const Sides sides = sides_of(problem);
    const std::vector<Array> inputs = arrays_for(sides.inputs, x);
    const bool is_in_place = problem.placement == Placement::in_place;
    std::vector<Array> outputs;
    if (is_in_place) {
        if (!out.is_none()) throw nb::value_error("the plan works in place: it takes no `out`");
        check_writable(inputs);
        for (std::size_t k = 0; k < sides.outputs.size(); ++k) {
            const Array& memory = inputs[std::min(k, inputs.size() - 1)];
            const bool is_same = sides.inputs[0].type == sides.outputs[k].type &&
                                 sides.inputs[0].shape == sides.outputs[k].shape;
            outputs.push_back(is_same ? memory : view_of(memory, sides.outputs[k]));
        }
    } else if (out.is_none()) {
        for (const Side& side : sides.outputs) outputs.push_back(new_array(side));
    } else {
        outputs = arrays_for(sides.outputs, out);
        check_writable(outputs);
    }
    std::vector<Input> reads;
    std::vector<Output> writes;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        reads.push_back(input_elements(inputs[k], sides.inputs[k].name));
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        writes.push_back(output_elements(outputs[k], sides.outputs[k].name));
        reads.push_back(input_elements(outputs[k], sides.outputs[k].name));
    }
    execute_unlocked(plan.flops() > least_flops_to_release_lock, [&] {
        switch (reads.size()) {
        case 2: return plan.execute(reads[0], writes[0]);
        case 3: return plan.execute(reads[0], reads[1], writes.back());
        default: return plan.execute(reads[0], reads[1], writes[0], writes[1]);
        }
    });
    return returned(std::move(outputs));
}

nb::object execute_product(const Plan& plan, const MatrixProduct& product, nb::handle a, nb::handle b,
                           nb::handle out, std::complex<double> alpha, std::complex<double> beta) {
    const Side sides[] = {a_of(product), b_of(product), c_of(product)};
    const Array a_array = array_of(a, "A"), b_array = array_of(b, "B");
    check_layout(a_array, sides[0]);
    check_layout(b_array, sides[1]);
    if (out.is_none() && beta != 0.0) throw nb::value_error("beta is not zero: give C as `out`");
    const Array c_array = out.is_none() ? new_array(sides[2]) : array_of(out, "C");
    check_layout(c_array, sides[2]);
    check_writable({c_array});
    const Output c_elements = output_elements(c_array, "C");
    const auto operand = [](const Array& array) {
        return with_elements(array, "", [](const auto* data) { return Operand(data); });
    };
    const Operand a_operand = operand(a_array), b_operand = operand(b_array);
    execute_unlocked(plan.flops() > least_flops_to_release_lock,
                     [&] { plan.execute(alpha, a_operand, b_operand, beta, c_elements); });
    return c_array.object();
}

nb::object execute(const PlanObject& self, const nb::args& arrays, nb::handle out, std::complex<double> alpha,
                   std::complex<double> beta, const nb::kwargs& named) {
    std::vector<Array> kept;
    const Plan plan = with_arrays(self.plan, named, kept);
    const Problem& problem = plan.problem();
    const bool is_product = std::holds_alternative<MatrixProduct>(problem);
    const std::size_t inputs = is_product ? 2 : 1;
    if (arrays.size() == inputs + 1 && out.is_none())
        out = arrays[inputs];
    else if (arrays.size() != inputs)
        throw nb::type_error(is_product ? "a matrix product takes A, B and perhaps C"
                                        : "a transform takes its input and perhaps its output");
    if (is_product)
        return execute_product(plan, std::get<MatrixProduct>(problem), arrays[0], arrays[1], out, alpha,
                               beta);
    if (alpha != 1.0 || beta != 0.0) throw nb::type_error("alpha and beta are arguments of matrix products");
    return execute_transform(plan, std::get<Transform>(problem), arrays[0], out);
}

PlanObject made(const std::string& problem, int threads, const std::string& effort,
                std::optional<double> time_budget, const std::string& accuracy, const std::string& schedule,
                const std::string& cpu, std::size_t memory_limit, double planning_limit, bool check,
                bool use_wisdom, nb::handle progress) {
    PlanOptions options{threads, effort,       time_budget.value_or(-1), accuracy, schedule,
                        cpu,     memory_limit, planning_limit,           check,    use_wisdom};
    const Problem parsed = parse_problem(problem);
    return {make_plan(parsed, options, progress), std::move(options)};
}

/// What a pickled plan is: the function that makes plans, the problem, and the schedule, which is not searched for again.
nb::object reduced(const PlanObject& self) {
    nb::dict options;
    options["threads"] = self.options.threads;
    options["accuracy"] = self.options.accuracy;
    options["schedule"] = self.plan.schedule();
    options["cpu"] = self.options.cpu;
    options["memory_limit"] = self.options.memory_limit;
    options["planning_limit"] = self.options.planning_limit;
    options["check"] = self.options.check;
    const nb::object make = nb::module_::import_("swirl").attr("_plan_from");
    return nb::make_tuple(make, nb::make_tuple(to_text(self.plan.problem()), options));
}

constexpr const char* execute_text =
    R"(Executes the plan. Releases the interpreter's lock, but for plans of less than some microseconds.

A transform takes one array. It must have the shape of the problem (batches first, then dimensions) and its strides, or be
contiguous memory with enough elements. Planar complex data are a tuple of two arrays, real and imaginary components.

A matrix product takes A and B, and computes alpha·A·B + beta·C with C in `out`.

Arrays that callbacks, convolutions, epilogues and reductions name are given by name.

Args:
    *arrays: The input, or A and B; after them perhaps `out`. NumPy arrays, of the problem's data type.
    out: Array for the result, of the output's shape and strides or contiguous. A new array if None. A plan in place takes none.
    alpha, beta: Factors of a matrix product.
    **named: Contiguous arrays, such as spectrum=h, window=w, bias=b.

Returns:
    The result: `out`, the input of a plan in place, or a new array. A tuple of two arrays for planar results.

Raises:
    TypeError: An argument is not a NumPy array, or of a wrong number.
    ValueError: Data type, shape, strides, alignment or overlap do not fit the problem. Nothing was written.)";

} // namespace

const Plan& plan_of(nb::handle object) {
    if (!nb::isinstance<PlanObject>(object)) throw nb::type_error("plan must be a swirl.Plan");
    return nb::cast<const PlanObject&>(object).plan;
}

void define_plan(nb::module_& module) {
    using nb::arg;
    const nb::object make = nb::cpp_function(
        made, arg("problem"), nb::kw_only(), arg("threads") = 1, arg("effort") = "estimate",
        arg("time_budget") = nb::none(), arg("accuracy") = "ordinary", arg("schedule") = "", arg("cpu") = "",
        arg("memory_limit") = 0, arg("planning_limit") = 0.0, arg("check") = true, arg("use_wisdom") = true,
        arg("progress").none() = nb::none(), nb::name("plan"), nb::scope(module));
    module.attr("plan") = make;
    nb::class_<PlanObject>(module, "Plan",
                           "A problem ready to run: immutable, safe to use from any number of threads.")
        .def("execute", execute, arg("arrays"), arg("out").none() = nb::none(),
             arg("alpha") = std::complex<double>(1), arg("beta") = std::complex<double>(0), arg("named"),
             execute_text)
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
            "threads", [](const PlanObject& self) { return self.plan.threads(); }, "Threads of an execution.")
        .def_prop_ro(
            "workspace_bytes", [](const PlanObject& self) { return self.plan.workspace_bytes(); },
            "Memory that an execution takes besides its arrays.")
        .def_prop_ro(
            "flops", [](const PlanObject& self) { return self.plan.flops(); },
            "Real additions and multiplications of one execution.")
        .def("__repr__",
             [](const PlanObject& self) {
                 return "swirl.plan('" + to_text(self.plan.problem()) + "', schedule='" +
                        self.plan.schedule() + "')";
             })
        .def("__reduce__", reduced);
}

} // namespace swirl::python
