/// The functions of swirl.fft: arguments as SciPy has them. A call that was made before, with the same extents and strides,
/// finds its recipe by one look-up.
#include "fourier.hpp"

#include "plan.hpp"
#include "plan_cache.hpp"
#include "planning.hpp"
#include "recipe.hpp"
#include "sides.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>

namespace swirl::python {
namespace {

constexpr std::size_t cached_calls = 512;

PlanCache<Recipe>& cached_recipes() {
    static auto* const recipes =
        new PlanCache<Recipe>(cached_calls); // never destroyed: plans may be in use at exit
    return *recipes;
}

thread_local int default_workers = 1;

[[noreturn]] void refuse_size(Integer n) {
    throw nb::value_error(("invalid number of data points (" + std::to_string(n) + ") specified").c_str());
}

[[noreturn]] void refuse_axis(Integer axis, int dimensions) {
    const nb::object error = nb::module_::import_("numpy").attr("exceptions").attr("AxisError");
    PyErr_SetObject(error.ptr(), nb::make_tuple(axis, dimensions).ptr());
    throw nb::python_error();
}

std::string text_of(nb::handle object) { return nb::repr(object).c_str(); }

/// An integer argument; without one the Python exception is thrown.
Integer integer(nb::handle number) {
    const Py_ssize_t value = PyLong_CheckExact(number.ptr())
                                 ? PyLong_AsSsize_t(number.ptr())
                                 : PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

/// None, an integer, or several.
struct Integers {
    bool is_given = false;
    int count = 0;
    std::array<Integer, CallKey::most_dimensions> values;
};
/// An argument that is None or an integer.
Integers one_integer(nb::handle argument) {
    Integers result;
    if (argument.is_none()) return result;
    result.is_given = true;
    result.count = 1;
    result.values[0] = integer(argument);
    return result;
}
/// An argument that is None, an integer, or a sequence of integers.
Integers integers(nb::handle argument, const char* name) {
    Integers result;
    if (argument.is_none()) return result;
    result.is_given = true;
    if (PyLong_Check(argument.ptr())) {
        result.values[result.count++] = integer(argument);
        return result;
    }
    const auto refuse = [&] {
        PyErr_Clear();
        throw nb::value_error((std::string(name) + " must be a scalar or iterable of integers").c_str());
    };
    if (PyIndex_Check(argument.ptr()) && !PySequence_Check(argument.ptr())) {
        result.values[result.count++] = integer(argument);
        return result;
    }
    const nb::object iterator = nb::steal(PyObject_GetIter(argument.ptr()));
    if (!iterator.is_valid()) refuse();
    while (PyObject* const next = PyIter_Next(iterator.ptr())) {
        const nb::object item = nb::steal(next);
        if (!PyIndex_Check(item.ptr())) refuse();
        if (result.count == static_cast<int>(result.values.size()))
            throw nb::value_error((std::string(name) + " has more than 64 entries").c_str());
        result.values[result.count++] = integer(item);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    return result;
}

Norm norm_of(nb::handle norm) {
    if (norm.is_none()) return Norm::backward;
    if (PyUnicode_Check(norm.ptr())) {
        constexpr std::pair<const char*, Norm> norms[] = {
            {"backward", Norm::backward}, {"ortho", Norm::ortho}, {"forward", Norm::forward}};
        for (const auto& [word, value] : norms)
            if (PyUnicode_CompareWithASCIIString(norm.ptr(), word) == 0) return value;
    }
    throw nb::value_error(
        ("Invalid norm value " + text_of(norm) + ", should be \"backward\", \"ortho\" or \"forward\"")
            .c_str());
}

int checked_workers(Integer workers) {
    const auto processors = static_cast<Integer>(std::max(1U, std::thread::hardware_concurrency()));
    if (workers == 0) throw nb::value_error("workers must not be zero");
    if (workers < -processors)
        throw nb::value_error(("workers value out of range; got " + std::to_string(workers) +
                               ", must not be less than " + std::to_string(-processors))
                                  .c_str());
    return static_cast<int>(workers < 0 ? workers + 1 + processors : std::min<Integer>(workers, 1 << 16));
}
int workers_of(nb::handle workers) {
    return workers.is_none() ? default_workers : checked_workers(integer(workers));
}

bool is_floating_type(int type) {
    return type == NPY_DOUBLE || type == NPY_CDOUBLE || type == NPY_FLOAT || type == NPY_CFLOAT;
}

/// The input as an array of float32, float64 or complex numbers of these, plain. `is_copy`: nobody else has it.
struct Intake {
    Array array;
    bool is_copy = false;
};
Intake intake(nb::handle x) {
    Intake result;
    if (PyArray_CheckExact(x.ptr())) {
        result.array = Array::borrowed(x);
    } else {
        result.array = Array::taken(PyArray_FromAny(x.ptr(), nullptr, 0, 0, NPY_ARRAY_ENSUREARRAY, nullptr));
    }
    int type = result.array.type();
    if (type == NPY_LONGDOUBLE || type == NPY_CLONGDOUBLE)
        throw nb::type_error(
            "swirl computes in float32 and float64, not in longdouble: convert the array, or use "
            "scipy.fft or numpy.fft");
    if (is_floating_type(type)) {
        if (is_plain(result.array)) return result;
        result.array = plain(result.array);
    } else {
        type = type == NPY_HALF ? NPY_FLOAT : NPY_DOUBLE;
        result.array = Array::taken(PyArray_FromArray(result.array.get(), PyArray_DescrFromType(type),
                                                      NPY_ARRAY_DEFAULT | NPY_ARRAY_FORCECAST));
    }
    result.is_copy = true;
    return result;
}

/// The complex type of a floating type.
Intake with_complex_elements(Intake given) {
    const int type = given.array.type() == NPY_FLOAT    ? NPY_CFLOAT
                     : given.array.type() == NPY_DOUBLE ? NPY_CDOUBLE
                                                        : given.array.type();
    if (type == given.array.type()) return given;
    return {
        Array::taken(PyArray_FromArray(given.array.get(), PyArray_DescrFromType(type), NPY_ARRAY_DEFAULT)),
        true};
}

/// What a function was given.
struct Arguments {
    Function function = Function::fft;
    int type = 0; ///< of cosine and sine transforms
    bool is_one_dimensional = true;
    nb::handle x, lengths, axes, norm, overwrite_x, workers;
    nb::handle orthogonalize = {}, plan = {}, out = {}; ///< null where the function has no such argument
};

bool is_absent(nb::handle argument) { return !argument.is_valid() || argument.is_none(); }

bool is_true(nb::handle flag) {
    if (flag.ptr() == Py_False) return false;
    if (flag.ptr() == Py_True) return true;
    const int value = PyObject_IsTrue(flag.ptr());
    if (value < 0) throw nb::python_error();
    return value == 1;
}

/// Lengths and axes of a one-dimensional transform.
void resolve_one(const Array& x, const Integers& lengths, const Integers& axes, Call& call) {
    const Integer axis = axes.values[0];
    if (axis < -x.dimensions() || axis >= x.dimensions()) refuse_axis(axis, x.dimensions());
    call.axes = {static_cast<int>(axis < 0 ? axis + x.dimensions() : axis)};
    const Integer extent = x.shape()[call.axes[0]];
    call.lengths = {lengths.is_given                     ? lengths.values[0]
                    : takes_half_spectrum(call.function) ? 2 * (extent - 1)
                                                         : extent};
    if (call.lengths[0] < 1) refuse_size(call.lengths[0]);
}

/// Those of a transform in several dimensions, by the rules of SciPy.
void resolve_many(const Array& x, const Integers& lengths, const Integers& axes, Call& call) {
    const int dimensions = x.dimensions();
    for (int k = 0; k < axes.count; ++k) {
        const Integer axis = axes.values[k] < 0 ? axes.values[k] + dimensions : axes.values[k];
        if (axis < 0 || axis >= dimensions) throw nb::value_error("axes exceeds dimensionality of input");
        call.axes.push_back(static_cast<int>(axis));
    }
    std::vector<int> sorted = call.axes;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        throw nb::value_error("all axes must be unique");
    if (lengths.is_given && axes.count > 0 && axes.count != lengths.count)
        throw nb::value_error("when given, axes and shape arguments have to be of the same length");
    if (!axes.is_given) {
        const int count = lengths.is_given ? lengths.count : dimensions;
        if (count > dimensions) throw nb::value_error("shape requires more axes than are present");
        for (int k = 0; k < count; ++k) call.axes.push_back(dimensions - count + k);
    }
    for (std::size_t k = 0; k < call.axes.size(); ++k) {
        const Integer extent = x.shape()[call.axes[k]];
        const bool is_given = lengths.is_given && lengths.values[k] != -1;
        call.lengths.push_back(is_given ? lengths.values[k] : extent);
    }
    if (std::any_of(call.lengths.begin(), call.lengths.end(), [](Integer n) { return n < 1; })) {
        std::string text;
        for (const Integer n : call.lengths) text += (text.empty() ? "" : ", ") + std::to_string(n);
        throw nb::value_error(("invalid number of data points ([" + text + "]) specified").c_str());
    }
    if (takes_half_spectrum(call.function) && !lengths.is_given && !call.lengths.empty()) {
        Integer& last = call.lengths.back();
        last = std::max<Integer>(2 * (last - 1), 1); // of one entry SciPy makes one number
    }
}

/// Cosine transforms of type 1 have at least two points.
bool is_cosine_of_one_point(const Call& call) {
    return (call.function == Function::dct || call.function == Function::idct) &&
           std::find(call.lengths.begin(), call.lengths.end(), 1) != call.lengths.end();
}

/// Whether two arrays may share memory.
bool may_overlap(const Array& a, const Array& b) {
    const auto bounds = [](const Array& array) {
        auto low = reinterpret_cast<std::intptr_t>(array.data()), high = low + array.bytes_of_element();
        for (int d = 0; d < array.dimensions(); ++d) {
            const npy_intp reach = (array.shape()[d] - 1) * array.strides()[d];
            (reach < 0 ? low : high) += reach;
        }
        return std::pair(low, high);
    };
    const auto [low_a, high_a] = bounds(a);
    const auto [low_b, high_b] = bounds(b);
    return low_a < high_b && low_b < high_a;
}

/// Whether the result can replace the input, if it has the same extents.
bool has_room_for_result(Function function, const Array& x) {
    const bool is_same_type =
        is_cosine_or_sine(function) ||
        ((function == Function::fft || function == Function::ifft) && PyTypeNum_ISCOMPLEX(x.type()));
    return is_same_type && PyArray_ISONESEGMENT(x.get()) && PyArray_ISWRITEABLE(x.get());
}

/// The array given for the result.
struct Result {
    Array array;
    Destination destination = Destination::new_array;
    bool is_copied = false; ///< the result is computed in a new array, then copied to this one
};
Result result_array(nb::handle out, const Array& x, Function function) {
    Result result;
    if (is_absent(out)) return result;
    if (!PyArray_Check(out.ptr())) throw nb::type_error("out must be of ArrayType, a NumPy array");
    result.array = Array::borrowed(out);
    const DataType real = component_of(*data_type_of(x));
    const bool gives_reals =
        is_cosine_or_sine(function) ? !PyTypeNum_ISCOMPLEX(x.type()) : takes_half_spectrum(function);
    result.is_copied = data_type_of(result.array) != (gives_reals ? real : complex_of(real)) ||
                       !is_plain(result.array) || !PyArray_ISWRITEABLE(result.array.get()) ||
                       may_overlap(result.array, x);
    if (!result.is_copied) result.destination = Destination::given_array;
    return result;
}

void execute_recipe(const Recipe& recipe, void* input, void* output) {
    if (!recipe.plan) return;
    execute_unlocked(recipe.is_long, [&] {
        recipe.plan.execute(static_cast<const void*>(input), output);
        if (recipe.mirror) recipe.mirror->complete(output);
    });
}

/// Checks the array given for the result.
void check_result(const Array& given, DataType type, const std::vector<npy_intp>& shape) {
    if (!std::equal(shape.begin(), shape.end(), given.shape(), given.shape() + given.dimensions()))
        throw nb::value_error("output array has wrong shape.");
    const nb::object result_type =
        nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type_of(type))));
    if (!PyArray_CanCastTypeTo(reinterpret_cast<PyArray_Descr*>(result_type.ptr()),
                               PyArray_DESCR(given.get()), NPY_SAME_KIND_CASTING))
        throw nb::type_error(
            ("Cannot cast the result, " + dtype_name_of(type) + ", to the data type of out").c_str());
    if (!PyArray_ISWRITEABLE(given.get())) throw nb::value_error("output array is read-only");
}

nb::object run(const Arguments& given) {
    Intake input = intake(given.x);
    const bool is_given_real = PyTypeNum_ISFLOAT(input.array.type());
    if (takes_half_spectrum(given.function))
        input = with_complex_elements(std::move(input));
    else if (gives_half_spectrum(given.function) && !is_given_real)
        throw nb::type_error("x must be a real sequence");
    const Array& x = input.array;
    Result result = result_array(given.out, x, given.function);

    Call call;
    call.function = given.function;
    call.type = given.type;
    call.norm = norm_of(given.norm);
    call.is_orthogonal =
        is_absent(given.orthogonalize) ? call.norm == Norm::ortho : is_true(given.orthogonalize);
    call.workers = workers_of(given.workers);
    const bool may_overwrite = (input.is_copy || is_true(given.overwrite_x)) &&
                               has_room_for_result(given.function, x) && is_absent(given.out);

    const Integers axes = given.is_one_dimensional ? one_integer(given.axes) : integers(given.axes, "axes"),
                   lengths = given.is_one_dimensional ? one_integer(given.lengths)
                                                      : integers(given.lengths, "shape");
    CallKey key;
    key.add(static_cast<Integer>(given.function) | given.type << 8 | static_cast<Integer>(call.norm) << 16 |
            static_cast<Integer>(call.is_orthogonal) << 24 | static_cast<Integer>(may_overwrite) << 25 |
            static_cast<Integer>(result.destination) << 26 |
            static_cast<Integer>(given.is_one_dimensional) << 28);
    key.add(call.workers);
    key.add(x.type() | x.dimensions() << 16);
    key.add(axes.is_given ? axes.count : -1);
    for (int k = 0; k < axes.count; ++k) key.add(axes.values[k]);
    key.add(lengths.is_given ? lengths.count : -1);
    for (int k = 0; k < lengths.count; ++k) key.add(lengths.values[k]);
    for (int d = 0; d < x.dimensions(); ++d) {
        key.add(x.shape()[d]);
        key.add(x.strides()[d]);
    }
    if (result.destination == Destination::given_array)
        for (int d = 0; d < result.array.dimensions(); ++d) key.add(result.array.strides()[d]);

    const bool has_plan = !is_absent(given.plan);
    std::shared_ptr<const Recipe> recipe = has_plan ? nullptr : cached_recipes().find(key);
    if (recipe == nullptr) {
        if (given.is_one_dimensional)
            resolve_one(x, lengths, axes, call);
        else
            resolve_many(x, lengths, axes, call);
        if (call.axes.empty()) {
            if (is_cosine_or_sine(call.function) ||
                !(takes_half_spectrum(call.function) || gives_half_spectrum(call.function)))
                return nb::borrow(given.x);
            throw nb::value_error("at least 1 axis must be transformed");
        }
        if (call.type == 1 && is_cosine_of_one_point(call)) refuse_size(1);
        call.input_type = *data_type_of(x);
        call.shape.assign(x.shape(), x.shape() + x.dimensions());
        for (int d = 0; d < x.dimensions(); ++d)
            call.strides.push_back(x.strides()[d] / x.bytes_of_element());
        const auto shape = output_shape(call);
        const bool is_in_place = may_overwrite && std::equal(shape.begin(), shape.end(), x.shape());
        call.destination = is_in_place ? Destination::input : result.destination;
        if (result.destination == Destination::given_array) {
            for (int d = 0; d < result.array.dimensions(); ++d)
                call.output_strides.push_back(result.array.strides()[d] / result.array.bytes_of_element());
            check_result(result.array, output_type(call), shape);
        }
        recipe = recipe_of(call, has_plan ? &plan_of(given.plan) : nullptr);
        if (!has_plan) cached_recipes().insert(key, recipe);
    }
    if (result.destination == Destination::given_array) {
        check_result(result.array, recipe->output_type, recipe->output_shape);
        execute_recipe(*recipe, x.data(), result.array.data());
        return std::move(result.array).object();
    }
    if (recipe->is_in_place) {
        execute_recipe(*recipe, x.data(), x.data());
        return std::move(input.array).object();
    }
    if (result.array) check_result(result.array, recipe->output_type, recipe->output_shape);
    Array fresh =
        Array::taken(PyArray_EMPTY(static_cast<int>(recipe->output_shape.size()), recipe->output_shape.data(),
                                   numpy_type_of(recipe->output_type), 0));
    execute_recipe(*recipe, x.data(), fresh.data());
    if (!result.array) return std::move(fresh).object();
    if (PyArray_CopyInto(result.array.get(), fresh.get()) < 0) throw nb::python_error();
    return std::move(result.array).object();
}

} // namespace

void define_transforms(nb::module_& module) {
    constexpr std::pair<const char*, Function> functions[] = {
        {"FFT", Function::fft},     {"IFFT", Function::ifft}, {"RFFT", Function::rfft},
        {"IRFFT", Function::irfft}, {"HFFT", Function::hfft}, {"IHFFT", Function::ihfft},
        {"DCT", Function::dct},     {"IDCT", Function::idct}, {"DST", Function::dst},
        {"IDST", Function::idst}};
    for (const auto& [name, value] : functions) module.attr(name) = static_cast<int>(value);

    static constexpr auto transform = [](bool is_one_dimensional) {
        return [is_one_dimensional](int function, nb::handle x, nb::handle lengths, nb::handle axes,
                                    nb::handle norm, nb::handle overwrite_x, nb::handle workers,
                                    nb::handle plan, nb::handle out) {
            return run({.function = static_cast<Function>(function),
                        .is_one_dimensional = is_one_dimensional,
                        .x = x,
                        .lengths = lengths,
                        .axes = axes,
                        .norm = norm,
                        .overwrite_x = overwrite_x,
                        .workers = workers,
                        .plan = plan,
                        .out = out});
        };
    };
    static constexpr auto cosine_transform = [](bool is_one_dimensional) {
        return [is_one_dimensional](int function, nb::handle x, int type, nb::handle lengths, nb::handle axes,
                                    nb::handle norm, nb::handle overwrite_x, nb::handle workers,
                                    nb::handle orthogonalize) {
            if (type < 1 || type > 4)
                throw nb::value_error(
                    ("invalid type " + std::to_string(type) + " of transform: types are 1 to 4").c_str());
            return run({.function = static_cast<Function>(function),
                        .type = type,
                        .is_one_dimensional = is_one_dimensional,
                        .x = x,
                        .lengths = lengths,
                        .axes = axes,
                        .norm = norm,
                        .overwrite_x = overwrite_x,
                        .workers = workers,
                        .orthogonalize = orthogonalize});
        };
    };
    using nb::arg;
    const auto none = [](const char* name) { return arg(name).none(); };
    module.def("transform", transform(true), arg("function"), none("x"), none("n"), none("axis"),
               none("norm"), none("overwrite_x"), none("workers"), none("plan"), none("out"));
    module.def("transform_many", transform(false), arg("function"), none("x"), none("s"), none("axes"),
               none("norm"), none("overwrite_x"), none("workers"), none("plan"), none("out"));
    module.def("cosine_transform", cosine_transform(true), arg("function"), none("x"), arg("type"), none("n"),
               none("axis"), none("norm"), none("overwrite_x"), none("workers"), none("orthogonalize"));
    module.def("cosine_transform_many", cosine_transform(false), arg("function"), none("x"), arg("type"),
               none("s"), none("axes"), none("norm"), none("overwrite_x"), none("workers"),
               none("orthogonalize"));
    module.def("floating", [](nb::handle x) { return intake(x).array.object(); });
    module.def("set_workers", [](Integer workers) {
        const int former = default_workers;
        default_workers = checked_workers(workers);
        return former;
    });
    module.def("get_workers", [] { return default_workers; });
    module.def("clear_cache", [] { cached_recipes().clear(); });
    module.def("cached_plans", [] { return cached_recipes().size(); });
}

} // namespace swirl::python
