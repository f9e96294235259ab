/// matmul: matrix multiplication as NumPy has it, planned once for each combination of extents and strides.
#include "products.hpp"

#include "kept_plans.hpp"
#include "memory_call.hpp"
#include "plan_cache.hpp"
#include "planning.hpp"
#include "sides.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::python {
namespace {

constexpr std::size_t cached_products = 512;

/// The product of the last two dimensions, and the offsets of the matrices that one execution does not reach.
struct ProductRecipe {
    Plan plan; ///< empty: the result has no elements
    std::vector<npy_intp> output_shape;
    struct Start {
        npy_intp a, b, c; ///< in bytes
    };
    std::vector<Start> starts; ///< one execution for each
    bool is_long = false;
};

PlanCache<ProductRecipe>& product_cache() {
    static auto* const recipes =
        new PlanCache<ProductRecipe>(cached_products); // never destroyed: plans may be in use at exit
    return *recipes;
}

/// A matrix, or a stack of them, of extents and strides in elements.
struct Operands {
    std::vector<Integer> shape, strides;
    bool is_conjugated = false; ///< memory holds the conjugate
};
Operands operands_of(const Array& array) {
    Operands result;
    for (int d = 0; d < array.dimensions(); ++d) {
        result.shape.push_back(array.shape()[d]);
        result.strides.push_back(array.strides()[d] / array.bytes_of_element());
    }
    return result;
}

[[noreturn]] void refuse_shapes(const Operands& a, const Operands& b) {
    const auto text = [](const std::vector<Integer>& shape) {
        std::string result;
        for (const Integer n : shape) result += (result.empty() ? "" : ", ") + std::to_string(n);
        return "(" + result + ")";
    };
    throw nb::value_error(
        ("matmul: shapes " + text(a.shape) + " and " + text(b.shape) + " do not fit together").c_str());
}

/// The shape that the stacks of two operands broadcast to; strides of missing and repeated dimensions are 0.
struct Loop {
    Integer length, a_stride, b_stride, c_stride = 0;
};
std::vector<Loop> stack_of(const Operands& a, const Operands& b) {
    const std::size_t in_a = a.shape.size() - 2, in_b = b.shape.size() - 2, count = std::max(in_a, in_b);
    std::vector<Loop> loops;
    for (std::size_t d = 0; d < count; ++d) {
        const auto from = [&](const Operands& operand,
                              std::size_t dimensions) -> std::pair<Integer, Integer> {
            if (d + dimensions < count) return {1, 0};
            const std::size_t k = d + dimensions - count;
            return {operand.shape[k], operand.shape[k] == 1 ? 0 : operand.strides[k]};
        };
        const auto [a_length, a_stride] = from(a, in_a);
        const auto [b_length, b_stride] = from(b, in_b);
        if (a_length != b_length && a_length != 1 && b_length != 1) refuse_shapes(a, b);
        loops.push_back({a_length == 1 ? b_length : a_length, a_stride, b_stride});
    }
    return loops;
}

/// A product's data type in memory, and where it runs.
struct Setting {
    DataType type;
    int workers = 1;
    Device device = {};
};

/// 16-bit operands have float32 accumulators.
MatrixProduct product_of(DataType type) {
    MatrixProduct product;
    product.data_type = type;
    if (type == DataType::float16 || type == DataType::bfloat16) {
        product.data_type = DataType::float32;
        product.a_type = product.b_type = product.c_type = type;
    }
    return product;
}

std::shared_ptr<const ProductRecipe> recipe_of(const Setting& setting, Operands a, Operands b) {
    const Operands given_a = a, given_b = b;
    if (a.shape.empty() || b.shape.empty())
        throw nb::value_error("matmul: operands must have at least one dimension");
    const bool is_row = a.shape.size() == 1, is_column = b.shape.size() == 1;
    if (is_row) a = {{1, a.shape[0]}, {0, a.strides[0]}, a.is_conjugated};
    if (is_column) b = {{b.shape[0], 1}, {b.strides[0], 0}, b.is_conjugated};
    const std::size_t in_a = a.shape.size() - 2, in_b = b.shape.size() - 2;
    MatrixProduct product = product_of(setting.type);
    product.rows = a.shape[in_a];
    product.k = a.shape[in_a + 1];
    product.columns = b.shape[in_b + 1];
    if (b.shape[in_b] != product.k) refuse_shapes(given_a, given_b);
    std::vector<Loop> loops = stack_of(a, b);

    auto recipe = std::make_shared<ProductRecipe>();
    for (const Loop& loop : loops) recipe->output_shape.push_back(loop.length);
    if (!is_row) recipe->output_shape.push_back(product.rows);
    if (!is_column) recipe->output_shape.push_back(product.columns);
    if (std::find(recipe->output_shape.begin(), recipe->output_shape.end(), 0) != recipe->output_shape.end())
        return recipe;
    Integer matrices = 1;
    for (std::size_t d = loops.size(); d-- > 0; matrices *= loops[d].length)
        loops[d].c_stride = matrices * product.rows * product.columns;

    // The innermost loops that one stride describes are the batch of one execution.
    Loop batch{1, 0, 0, product.rows * product.columns};
    while (!loops.empty()) {
        const Loop& loop = loops.back();
        const bool continues =
            loop.a_stride == batch.length * batch.a_stride && loop.b_stride == batch.length * batch.b_stride;
        if (loop.length != 1 && batch.length != 1 && !continues) break;
        if (loop.length != 1)
            batch = batch.length == 1
                        ? loop
                        : Loop{batch.length * loop.length, batch.a_stride, batch.b_stride, batch.c_stride};
        loops.pop_back();
    }
    const Integer element = bytes_of(setting.type);
    recipe->starts = {{0, 0, 0}};
    for (const Loop& loop : loops) {
        std::vector<ProductRecipe::Start> all;
        for (const ProductRecipe::Start& start : recipe->starts)
            for (Integer k = 0; k < loop.length; ++k)
                all.push_back({start.a + k * loop.a_stride * element, start.b + k * loop.b_stride * element,
                               start.c + k * loop.c_stride * element});
        recipe->starts = std::move(all);
    }
    product.batch = batch.length;
    product.a = {a.strides[in_a], a.strides[in_a + 1], a.is_conjugated, batch.a_stride};
    product.b = {b.strides[in_b], b.strides[in_b + 1], b.is_conjugated, batch.b_stride};
    product.c = {product.columns, 1, false, batch.c_stride};
    recipe->plan = make_estimated_plan(product, setting.workers, setting.device);
    recipe->is_long =
        recipe->plan.flops() * static_cast<double>(recipe->starts.size()) > least_flops_to_release_lock;
    return recipe;
}

Array operand(nb::handle object) {
    return PyArray_CheckExact(object.ptr())
               ? Array::borrowed(object)
               : Array::taken(PyArray_FromAny(object.ptr(), nullptr, 0, 0, NPY_ARRAY_ENSUREARRAY, nullptr));
}

nb::object matmul(nb::handle a_object, nb::handle b_object, nb::handle out, int workers) {
    Array a = operand(a_object), b = operand(b_object);
    const int type = a.type() == b.type() ? a.type() : PyArray_ObjectType(b.object().ptr(), a.type());
    if (type != NPY_FLOAT && type != NPY_DOUBLE && type != NPY_CFLOAT && type != NPY_CDOUBLE)
        throw nb::type_error(
            "swirl.matmul multiplies float32, float64, complex64 and complex128; use numpy.matmul for "
            "other types, or swirl.plan('gemm …') for products with wider accumulators");
    const auto prepared = [&](Array array) {
        if (array.type() != type)
            array =
                Array::taken(PyArray_FromArray(array.get(), PyArray_DescrFromType(type), NPY_ARRAY_DEFAULT));
        return plain(array);
    };
    a = prepared(std::move(a));
    b = prepared(std::move(b));
    CallKey key;
    key.add(type);
    key.add(workers);
    for (const Array* const array : {&a, &b}) {
        key.add(array->dimensions());
        for (int d = 0; d < array->dimensions(); ++d) {
            key.add(array->shape()[d]);
            key.add(array->strides()[d]);
        }
    }
    std::shared_ptr<const ProductRecipe> recipe = product_cache().find(key);
    if (recipe == nullptr) {
        recipe = recipe_of({*data_type_of(a), workers}, operands_of(a), operands_of(b));
        product_cache().insert(key, recipe);
    }
    const auto is_fitting = [&](const Array& c) {
        return c.type() == type && PyArray_ISCARRAY(c.get()) &&
               std::equal(recipe->output_shape.begin(), recipe->output_shape.end(), c.shape(),
                          c.shape() + c.dimensions());
    };
    Array c;
    if (out.is_none()) {
        c = Array::taken(PyArray_EMPTY(static_cast<int>(recipe->output_shape.size()),
                                       const_cast<npy_intp*>(recipe->output_shape.data()), type, 0));
    } else {
        if (!PyArray_Check(out.ptr())) throw nb::type_error("out must be a NumPy array");
        c = Array::borrowed(out);
        if (!is_fitting(c))
            throw nb::value_error(
                "out must be a contiguous array with the shape and data type of the product");
    }
    if (!recipe->plan) return std::move(c).object();
    with_elements(*data_type_of(c), c.data(), "out", [&](auto* to) {
        using Element = std::remove_pointer_t<decltype(to)>;
        const auto at = [](const Array& array, npy_intp offset) {
            return reinterpret_cast<const Element*>(static_cast<const char*>(array.data()) + offset);
        };
        execute_unlocked(recipe->is_long, [&] {
            for (const ProductRecipe::Start& start : recipe->starts)
                recipe->plan.execute(1, at(a, start.a), at(b, start.b), 0,
                                     const_cast<Element*>(at(c, start.c)));
        });
    });
    return std::move(c).object();
}

/// The cache of products of memory given by address.
PlanCache<ProductRecipe>& memory_cache() {
    static auto* const recipes = new PlanCache<ProductRecipe>(cached_products); // never destroyed, as above
    return *recipes;
}

void multiply_memory(int type, std::uintptr_t a, nb::handle a_shape, nb::handle a_strides,
                     bool a_is_conjugated, std::uintptr_t b, nb::handle b_shape, nb::handle b_strides,
                     bool b_is_conjugated, std::uintptr_t c, const MemoryCall& where) {
    CallKey key;
    key.add(type | static_cast<int>(a_is_conjugated) << 8 | static_cast<int>(b_is_conjugated) << 9);
    key.add(where.threads);
    key.add(where.gpu);
    const auto a_extents = key.add_tuple(a_shape), a_steps = key.add_tuple(a_strides),
               b_extents = key.add_tuple(b_shape), b_steps = key.add_tuple(b_strides);
    std::shared_ptr<const ProductRecipe> recipe = memory_cache().find(key);
    if (recipe == nullptr) {
        if (where.is_capturing) refuse_planning_in_capture();
        const auto operands = [](auto extents, auto steps, bool is_conjugated) {
            return Operands{{extents.begin(), extents.end()}, {steps.begin(), steps.end()}, is_conjugated};
        };
        recipe = kept_while_gpu_runs(recipe_of({data_type_numbered(type), where.threads, where.device()},
                                               operands(a_extents, a_steps, a_is_conjugated),
                                               operands(b_extents, b_steps, b_is_conjugated)));
        memory_cache().insert(key, recipe);
    }
    if (!recipe->plan) return;
    if (where.is_capturing) keep_forever(recipe);
    const TakenWorkspace workspace(where, recipe->plan.workspace_bytes());
    const auto at = [](std::uintptr_t first, npy_intp offset) {
        return reinterpret_cast<void*>(first + static_cast<std::uintptr_t>(offset));
    };
    execute_unlocked(recipe->is_long || where.gpu >= 0, [&] {
        for (const ProductRecipe::Start& start : recipe->starts)
            recipe->plan.execute(1, static_cast<const void*>(at(a, start.a)),
                                 static_cast<const void*>(at(b, start.b)), 0, at(c, start.c), where.queue(),
                                 workspace.memory());
    });
}

} // namespace

void define_products(nb::module_& module) {
    using nb::arg;
    module.def(
        "multiply_memory",
        [](int type, std::uintptr_t a, nb::handle a_shape, nb::handle a_strides, bool a_is_conjugated,
           std::uintptr_t b, nb::handle b_shape, nb::handle b_strides, bool b_is_conjugated, std::uintptr_t c,
           int threads, int gpu, std::uintptr_t stream, bool is_capturing, nb::handle allocate) {
            multiply_memory(type, a, a_shape, a_strides, a_is_conjugated, b, b_shape, b_strides,
                            b_is_conjugated, c, {threads, gpu, stream, is_capturing, allocate});
        },
        arg("type"), arg("a"), arg("a_shape"), arg("a_strides"), arg("a_is_conjugated"), arg("b"),
        arg("b_shape"), arg("b_strides"), arg("b_is_conjugated"), arg("c"), arg("threads"), arg("gpu"),
        arg("stream"), arg("is_capturing"), arg("allocate").none());
    module.def("matmul", matmul, arg("a"), arg("b"), nb::kw_only(), arg("out").none() = nb::none(),
               arg("workers") = 1);
}

} // namespace swirl::python
