#include "recipe.hpp"

#include "planning.hpp"

#include <swirl/error.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

namespace swirl::python {
namespace {

/// The type of the result's real numbers.
DataType output_component(const Call& call) {
    return call.output_component.value_or(component_of(call.input_type));
}

/// fft or ifft of real data, whose spectrum is complete.
bool gives_whole_spectrum(const Call& call) {
    return (call.function == Function::fft || call.function == Function::ifft) &&
           !is_complex(call.input_type);
}
/// Whether Mirror completes it: on CPUs.
bool completes_spectrum(const Call& call) {
    return gives_whole_spectrum(call) && !call.device.is_gpu() && bytes_of(component_of(call.input_type)) > 2;
}
/// Whether a complex transform reads the real data.
bool reads_array(const Call& call) { return gives_whole_spectrum(call) && !completes_spectrum(call); }

bool is_real_dft(const Call& call) {
    return takes_half_spectrum(call.function) || gives_half_spectrum(call.function) ||
           completes_spectrum(call);
}

bool is_cosine(Function f) { return f == Function::dct || f == Function::idct; }

/// Elements in memory along an axis, on the side of the input or the output.
Integer stored(const Call& call, std::size_t k, bool is_input) {
    const bool is_half = is_input ? takes_half_spectrum(call.function) : gives_half_spectrum(call.function);
    return is_half && k + 1 == call.axes.size() ? call.lengths[k] / 2 + 1 : call.lengths[k];
}

/// Row-major, in elements.
std::vector<Integer> contiguous_strides(const std::vector<npy_intp>& shape) {
    std::vector<Integer> strides(shape.size());
    Integer elements = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        strides[d] = elements;
        elements *= std::max<Integer>(shape[d], 1);
    }
    return strides;
}

std::vector<Integer> output_strides(const Call& call) {
    switch (call.destination) {
    case Destination::new_array: return contiguous_strides(output_shape(call));
    case Destination::input: return call.strides;
    case Destination::given_array: return call.output_strides;
    }
    return {};
}

/// The dual of a type of cosine or sine transform: its transpose, and its inverse but for the scale.
int dual(int type) { return type == 2 ? 3 : type == 3 ? 2 : type; }
int type_computed(const Call& call) { return is_forward(call.function) ? call.type : dual(call.type); }

TransformKind kind_of(const Call& call) {
    if (!is_cosine_or_sine(call.function))
        return is_real_dft(call) ? TransformKind::real_dft : TransformKind::dft;
    const bool cosine = is_cosine(call.function);
    switch (type_computed(call)) {
    case 1: return cosine ? TransformKind::dct1 : TransformKind::dst1;
    case 2: return cosine ? TransformKind::dct2 : TransformKind::dst2;
    case 3: return cosine ? TransformKind::dct3 : TransformKind::dst3;
    default: return cosine ? TransformKind::dct4 : TransformKind::dst4;
    }
}

double scale_of(const Call& call) {
    const Norm scaled = is_forward(call.function) ? Norm::forward : Norm::backward;
    if (call.norm != Norm::ortho && call.norm != scaled) return 1;
    // A cosine or sine transform is a DFT of twice as many points; of type 1 it shares both ends, or has two more.
    double points = 1;
    for (const Integer n : call.lengths) {
        const Integer shared = call.type != 1 ? 0 : is_cosine(call.function) ? -1 : 1;
        points *=
            is_cosine_or_sine(call.function) ? 2.0 * static_cast<double>(n + shared) : static_cast<double>(n);
    }
    return call.norm == Norm::ortho ? 1 / std::sqrt(points) : 1 / points;
}

/// x, multiplied where the index along an axis is `at`, the first or the last.
Expression scaled_at(const Expression& x, const std::string& index, Integer at, double factor) {
    const Expression i = Expression::index(index), here = Expression::constant(static_cast<double>(at));
    const Expression is_elsewhere = at == 0 ? Expression::less(here, i) : Expression::less(i, here);
    return x * Expression::choose(is_elsewhere, Expression::constant(1), Expression::constant(factor));
}

/// x, multiplied where an entry of a half spectrum of n points stands for itself and for its mirror image.
Expression weighted(const Expression& x, const std::string& index, Integer n, double factor) {
    if (n <= 2) return x;
    const Expression i = Expression::index(index), one = Expression::constant(1);
    Expression inside = Expression::constant(factor);
    if (n % 2 == 0)
        inside = Expression::choose(Expression::less(i, Expression::constant(static_cast<double>(n / 2))),
                                    inside, one);
    return x * Expression::choose(Expression::less(Expression::constant(0), i), inside, one);
}

struct Callbacks {
    Expression load, store;
};

/// `indices` are the callbacks' names of the axes' indices.
Callbacks callbacks_of(const Call& call, const std::vector<std::string>& indices) {
    Expression load = Expression::x(), store = Expression::x();
    bool loads = false, stores = false;
    // Types 2 and 3 are orthogonal but for one element, the first of a cosine transform's spectrum, the last of a sine's.
    // Cosine transforms of type 1 are but for both ends, on both sides.
    if (is_cosine_or_sine(call.function) && call.is_orthogonal) {
        const int type = type_computed(call);
        for (std::size_t k = 0; k < call.axes.size(); ++k) {
            const Integer at = is_cosine(call.function) ? 0 : call.lengths[k] - 1;
            if (type == 2) {
                store = scaled_at(store, indices[k], at, std::numbers::sqrt2 / 2);
                stores = true;
            } else if (type == 3) {
                load = scaled_at(load, indices[k], at, std::numbers::sqrt2);
                loads = true;
            } else if (type == 1 && is_cosine(call.function)) {
                for (const Integer end : {Integer{0}, call.lengths[k] - 1}) {
                    load = scaled_at(load, indices[k], end, std::numbers::sqrt2);
                    store = scaled_at(store, indices[k], end, std::numbers::sqrt2 / 2);
                }
                loads = stores = true;
            }
        }
    }
    // hfft has the sign of a forward transform, and ihfft that of a backward one: conj(DFT(x)) = DFT⁻(conj(x)).
    if (call.function == Function::hfft) {
        load = conj(load);
        loads = true;
    }
    if (call.function == Function::ihfft || (call.function == Function::ifft && is_real_dft(call))) {
        store = conj(store);
        stores = true;
    }
    if (call.is_weighted && takes_half_spectrum(call.function)) {
        load = weighted(load, indices.back(), call.lengths.back(), 0.5);
        loads = true;
    }
    if (call.is_weighted && gives_half_spectrum(call.function)) {
        store = weighted(store, indices.back(), call.lengths.back(), 2);
        stores = true;
    }
    if (call.window != Call::Window::none) {
        const bool is_loaded = call.window == Call::Window::on_load;
        Expression& side = is_loaded ? load : store;
        side = side * Expression::array("window", {indices.back()});
        (is_loaded ? loads : stores) = true;
    }
    for (std::size_t k = 0; k < call.axes.size(); ++k) {
        const Integer given = call.shape[static_cast<std::size_t>(call.axes[k])];
        if (given >= stored(call, k, true)) continue;
        load = load.where(Expression::less(Expression::index(indices[k]),
                                           Expression::constant(static_cast<double>(given))));
        loads = true;
    }
    const DataType in = component_of(call.input_type), out = output_component(call);
    if (in != out && bytes_of(in) == 2) {
        load = load.stored_as(in);
        loads = true;
    }
    if (in != out && bytes_of(out) == 2) {
        store = store.stored_as(out);
        stores = true;
    }
    return {loads ? load : Expression(), stores ? store : Expression()};
}

} // namespace

DataType output_type(const Call& call) {
    if (is_cosine_or_sine(call.function)) return call.input_type;
    return takes_half_spectrum(call.function) ? output_component(call) : complex_of(output_component(call));
}

std::vector<npy_intp> output_shape(const Call& call) {
    std::vector<npy_intp> shape(call.shape.begin(), call.shape.end());
    for (std::size_t k = 0; k < call.axes.size(); ++k)
        shape[static_cast<std::size_t>(call.axes[k])] = stored(call, k, false);
    return shape;
}

namespace {

/// A batch loop's index in callbacks.
std::string batch_name(const Transform& problem, std::size_t b) {
    return problem.batches.size() == 1 ? "b" : "b" + std::to_string(b);
}

bool factor_has(const Call& call, int axis) {
    return call.factor && std::binary_search(call.factor->axes.begin(), call.factor->axes.end(), axis);
}

/// A store callback, its result multiplied by an array over the loops that are given with their axes.
Expression multiplied(const Expression& store, const Call::Factor& factor,
                      std::vector<std::pair<int, std::string>> loops) {
    std::sort(loops.begin(), loops.end());
    std::vector<std::string> names;
    for (const auto& [axis, name] : loops) names.push_back(name);
    const Expression array = Expression::complex_array("factor", std::move(names));
    return (store.is_identity() ? Expression::x() : store) * (factor.is_conjugated ? conj(array) : array);
}

/// Lets the load callback read contiguous reals by the names of all loops, in the order of memory. The input itself is not
/// read: all of its elements are one.
void read_array(Transform& problem, const Call& call, const std::vector<std::string>& indices) {
    std::vector<std::pair<Integer, std::string>> loops; // by stride
    for (std::size_t k = 0; k < call.axes.size(); ++k) {
        const auto axis = static_cast<std::size_t>(call.axes[k]);
        if (call.shape[axis] != call.lengths[k])
            throw InternalError("an array of real numbers is neither cropped nor padded");
        if (call.lengths[k] > 1) loops.emplace_back(call.strides[axis], indices[k]);
    }
    for (std::size_t b = 0; b < problem.batches.size(); ++b)
        loops.emplace_back(problem.batches[b].input_stride, batch_name(problem, b));
    std::sort(loops.begin(), loops.end(), std::greater<>());
    std::string text = component_of(call.input_type) == DataType::bfloat16  ? "bfloat16 reals["
                       : component_of(call.input_type) == DataType::float16 ? "float16 reals["
                                                                            : "reals[";
    for (const auto& [stride, name] : loops) text += (text.back() == '[' ? "" : ", ") + name;
    problem.load = Expression(text + "]");
    for (Dimension& dimension : problem.dimensions) dimension.input_stride = 0;
    for (Dimension& batch : problem.batches) batch.input_stride = 0;
}

} // namespace

Transform problem_of(const Call& call) {
    Transform problem;
    problem.kind = kind_of(call);
    const DataType in = component_of(call.input_type), out = output_component(call);
    problem.precision = bytes_of(in) < bytes_of(out) ? out : in;
    problem.scale = scale_of(call);
    if (call.destination == Destination::input) problem.placement = Placement::in_place;
    if (problem.kind == TransformKind::dft ? !is_forward(call.function) : takes_half_spectrum(call.function))
        problem.direction = Direction::backward;

    // Complex data as pairs of reals.
    const Integer per_element = is_cosine_or_sine(call.function) && is_complex(call.input_type) ? 2 : 1;
    const std::vector<Integer> to = output_strides(call);
    const auto dimension = [&](int axis, Integer length) {
        const auto d = static_cast<std::size_t>(axis);
        return Dimension{length, per_element * call.strides[d], per_element * to[d]};
    };

    // The last axis is that of the half spectrum; the order of the others does not matter.
    std::vector<std::size_t> order(call.axes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto last = is_real_dft(call) ? order.end() - 1 : order.end();
    std::sort(order.begin(), last, [&](std::size_t a, std::size_t b) { return call.axes[a] < call.axes[b]; });
    std::vector<std::string> indices(order.size());
    for (std::size_t position = 0; position < order.size(); ++position) {
        const std::size_t k = order[position];
        problem.dimensions.push_back(dimension(call.axes[k], call.lengths[k]));
        indices[k] = order.size() == 1 ? "i" : "i" + std::to_string(position);
    }
    std::vector<bool> batch_has_factor;
    std::vector<int> batch_axes; ///< the first of each loop
    for (int axis = 0; axis < static_cast<int>(call.shape.size()); ++axis) {
        const Integer length = call.shape[static_cast<std::size_t>(axis)];
        if (length == 1 || std::find(call.axes.begin(), call.axes.end(), axis) != call.axes.end()) continue;
        const Dimension loop = dimension(axis, length);
        Dimension* const outer = problem.batches.empty() ? nullptr : &problem.batches.back();
        const bool has_factor = factor_has(call, axis);
        if (outer != nullptr && outer->input_stride == length * loop.input_stride &&
            outer->output_stride == length * loop.output_stride && batch_has_factor.back() == has_factor) {
            *outer = {outer->length * length, loop.input_stride, loop.output_stride};
        } else {
            problem.batches.push_back(loop);
            batch_has_factor.push_back(has_factor);
            batch_axes.push_back(axis);
        }
    }
    if (per_element == 2) problem.batches.push_back({2, 1, 1});
    if (reads_array(call)) {
        read_array(problem, call, indices);
        return problem;
    }
    Callbacks callbacks = callbacks_of(call, indices);
    if (call.factor) {
        std::vector<std::pair<int, std::string>> loops; // by axis
        for (std::size_t k = 0; k < call.axes.size(); ++k)
            if (factor_has(call, call.axes[k])) loops.emplace_back(call.axes[k], indices[k]);
        for (std::size_t b = 0; b < batch_axes.size(); ++b)
            if (batch_has_factor[b]) loops.emplace_back(batch_axes[b], batch_name(problem, b));
        callbacks.store = multiplied(callbacks.store, *call.factor, std::move(loops));
    }
    problem.load = std::move(callbacks.load);
    problem.store = std::move(callbacks.store);
    return problem;
}

namespace {

Mirror mirror_of(const Call& call) {
    const std::vector<npy_intp> shape = output_shape(call);
    const std::vector<Integer> strides = output_strides(call);
    std::vector<Mirror::Axis> axes;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const auto found = std::find(call.axes.begin(), call.axes.end(), static_cast<int>(d));
        const auto role = found == call.axes.end()       ? Mirror::Role::batch
                          : found + 1 == call.axes.end() ? Mirror::Role::half
                                                         : Mirror::Role::transformed;
        axes.push_back({shape[d], strides[d], role});
    }
    std::stable_sort(axes.begin(), axes.end(), [](const Mirror::Axis& a, const Mirror::Axis& b) {
        return std::abs(a.stride) > std::abs(b.stride);
    });
    return {output_type(call), std::move(axes)};
}

} // namespace

std::shared_ptr<const Recipe> recipe_of(const Call& call, const Plan* plan) {
    auto recipe = std::make_shared<Recipe>();
    recipe->output_type = output_type(call);
    recipe->output_shape = output_shape(call);
    recipe->reads_array = reads_array(call);
    recipe->has_factor = call.factor.has_value();
    recipe->has_window = call.window != Call::Window::none;
    recipe->is_in_place = call.destination == Destination::input;
    const bool is_empty =
        std::find(recipe->output_shape.begin(), recipe->output_shape.end(), 0) != recipe->output_shape.end();
    if (is_empty) return recipe;
    const Transform problem = problem_of(call);
    if (plan == nullptr) {
        recipe->plan = make_estimated_plan(problem, call.workers, call.device);
    } else {
        if (plan->problem() != Problem(problem))
            throw UserError("plan computes '" + to_text(plan->problem()) + "', but this call needs '" +
                            to_text(problem) + "'");
        recipe->plan = *plan;
    }
    recipe->is_long = recipe->plan.flops() > least_flops_to_release_lock;
    if (completes_spectrum(call)) {
        recipe->mirror = mirror_of(call);
        recipe->is_long = recipe->is_long || call.lengths.size() > 1;
    }
    return recipe;
}

} // namespace swirl::python
