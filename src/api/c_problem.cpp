#include "api/c.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace swirl::api {

/// A transform as its builder takes it.
struct TransformDescription {
    TransformKind kind = TransformKind::dft;
    std::vector<Integer> lengths;
    TransformOptions options = {};
};

/// A product whose layouts follow from its extents unless given.
struct ProductDescription {
    MatrixProduct product;
    std::array<bool, 3> has_layout = {};
};

namespace {

constexpr std::array kinds = {
    TransformKind::dft,          TransformKind::real_dft,
    TransformKind::wht,          TransformKind::dct1,
    TransformKind::dct2,         TransformKind::dct3,
    TransformKind::dct4,         TransformKind::dst1,
    TransformKind::dst2,         TransformKind::dst3,
    TransformKind::dst4,         TransformKind::dht,
    TransformKind::r2hc,         TransformKind::hc2r,
    TransformKind::convolution,  TransformKind::dct5,
    TransformKind::dct6,         TransformKind::dct7,
    TransformKind::dct8,         TransformKind::dst5,
    TransformKind::dst6,         TransformKind::dst7,
    TransformKind::dst8,         TransformKind::wht_dyadic,
    TransformKind::wht_sequency, TransformKind::real_convolution,
};
constexpr std::array directions = {Direction::forward, Direction::backward};
constexpr std::array layouts = {ComplexLayout::interleaved, ComplexLayout::planar};
constexpr std::array placements = {Placement::out_of_place, Placement::in_place};
constexpr std::array sharings = {Sharing::shared, Sharing::each};
constexpr std::array sides = {Side::input, Side::output};
constexpr std::array operations = {Reduce::sum, Reduce::maximum, Reduce::minimum};
constexpr std::array overs = {Over::columns, Over::rows, Over::all};
constexpr std::array data_types = {
    DataType::float32,  DataType::float64, DataType::complex64, DataType::complex128, DataType::float16,
    DataType::bfloat16, DataType::int8,    DataType::uint8,     DataType::int32,      DataType::float8_e4m3,
    DataType::unorm8,   DataType::snorm8,  DataType::unorm16,   DataType::snorm16,
};

/// The data type of a formula's elements says whether they are real.
void set_data_type(TransformDescription& transform, int data_type) {
    transform.options.precision = component_named(data_type);
    if (has_formula(transform.kind))
        transform.kind = is_complex(value_of(data_type, data_types, "data_type"))
                             ? TransformKind::formula
                             : TransformKind::real_formula;
}

TransformDescription description_of(const Transform& transform) {
    TransformDescription result{transform.kind, {}, {}};
    TransformOptions& options = result.options;
    options = {.direction = transform.direction,
               .precision = transform.precision,
               .layout = transform.layout,
               .placement = transform.placement,
               .scale = transform.scale,
               .spectrum = transform.spectrum,
               .load = transform.load,
               .store = transform.store,
               .matrix = transform.matrix,
               .kinds = transform.kinds};
    for (const Dimension& dimension : transform.dimensions) {
        result.lengths.push_back(dimension.length);
        options.input_strides.push_back(dimension.input_stride);
        options.output_strides.push_back(dimension.output_stride);
    }
    for (const Dimension& batch : transform.batches)
        options.batches.push_back({batch.length, batch.input_stride, batch.output_stride});
    if (default_dimensions(result.kind, result.lengths,
                           {.direction = options.direction, .placement = options.placement}) ==
        transform.dimensions) {
        options.input_strides.clear();
        options.output_strides.clear();
    }
    return result;
}

MatrixLayout& layout_of(MatrixProduct& product, std::size_t matrix) {
    return matrix == SWIRL_A ? product.a : matrix == SWIRL_B ? product.b : product.c;
}

Expression expression_in(const char* text) {
    return text == nullptr || *text == 0 ? Expression() : Expression(text);
}

} // namespace

DataType component_named(int data_type) {
    const DataType component = component_of(value_of(data_type, data_types, "data_type"));
    if (!is_transform_type(component))
        throw UserError(
            "argument 'data_type' is {}; transforms are of SWIRL_FLOAT32, SWIRL_FLOAT64, "
            "SWIRL_FLOAT16 and SWIRL_BFLOAT16",
            data_type);
    return component;
}

} // namespace swirl::api

struct swirl_problem {
    std::variant<swirl::api::TransformDescription, swirl::api::ProductDescription> description;
};

namespace swirl::api {

Problem problem_of(const swirl_problem& problem) {
    if (const auto* const transform = std::get_if<TransformDescription>(&problem.description))
        return Transform::make(transform->kind, transform->lengths, transform->options);
    const auto& [product, has_layout] = std::get<ProductDescription>(problem.description);
    MatrixProduct result = product;
    const std::array<std::pair<Integer, Integer>, 3> extents = {
        {{product.rows, product.k}, {product.k, product.columns}, {product.rows, product.columns}}};
    for (std::size_t matrix = 0; matrix < has_layout.size(); ++matrix) {
        if (has_layout[matrix]) continue;
        const auto [rows, columns] = extents[matrix];
        const auto elements = checked_multiply(rows, columns);
        if (!elements)
            throw UserError("matrix {} has {} by {} elements; their count does not fit in 64 bits",
                            "abc"[matrix], rows, columns);
        layout_of(result, matrix) = {1, rows, false, product.batch == 1 ? 0 : *elements};
    }
    return result;
}

namespace {

TransformDescription& transform_of(swirl_problem* problem, const char* function) {
    require(problem, "problem");
    auto* const transform = std::get_if<TransformDescription>(&problem->description);
    if (transform == nullptr) throw UserError("the problem is a product; {} is for transforms", function);
    return *transform;
}

ProductDescription& product_of(swirl_problem* problem, const char* function) {
    require(problem, "problem");
    auto* const product = std::get_if<ProductDescription>(&problem->description);
    if (product == nullptr) throw UserError("the problem is a transform; {} is for products", function);
    return *product;
}

void require_rank(std::size_t rank) {
    if (rank == 0) throw UserError("argument 'rank' is 0; a transform has at least one dimension");
    if (rank > most_dimensions)
        throw UserError("argument 'rank' is {}; a transform has at most {} dimensions", rank,
                        most_dimensions);
}

std::size_t matrix_of(int matrix) {
    constexpr std::array<std::size_t, 3> matrices = {SWIRL_A, SWIRL_B, SWIRL_C};
    return value_of(matrix, matrices, "matrix");
}

void add_batch(swirl_problem* problem, const Batch& batch, const char* function) {
    TransformDescription& transform = transform_of(problem, function);
    check_rank(transform.lengths.size(), transform.options.batches.size() + 1);
    transform.options.batches.push_back(batch);
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

extern "C" {

swirl_status swirl_problem_create_transform(int kind, size_t rank, const int64_t* lengths,
                                            swirl_problem** problem) {
    return guarded([&] {
        require(problem, "problem");
        *problem = nullptr;
        require_rank(rank);
        require(lengths, "lengths");
        *problem = new swirl_problem{
            TransformDescription{value_of(kind, kinds, "kind"), {lengths, lengths + rank}, {}}};
    });
}

swirl_status swirl_problem_create_mixed(size_t rank, const int* kinds_of_dimensions, const int64_t* lengths,
                                        swirl_problem** problem) {
    return guarded([&] {
        require(problem, "problem");
        *problem = nullptr;
        require_rank(rank);
        require(kinds_of_dimensions, "kinds");
        require(lengths, "lengths");
        std::vector<swirl::TransformKind> list;
        for (std::size_t i = 0; i < rank; ++i)
            list.push_back(value_of(kinds_of_dimensions[i], kinds, "kinds"));
        *problem =
            new swirl_problem{description_of(swirl::Transform::mixed(list, {lengths, lengths + rank}))};
    });
}

swirl_status swirl_problem_create_formula(const char* formula, swirl_problem** problem) {
    return guarded([&] {
        require(problem, "problem");
        *problem = nullptr;
        require(formula, "formula");
        *problem = new swirl_problem{description_of(swirl::Transform::formula(formula))};
    });
}

swirl_status swirl_problem_create_product(int data_type, int64_t m, int64_t n, int64_t k,
                                          swirl_problem** problem) {
    return guarded([&] {
        require(problem, "problem");
        *problem = nullptr;
        ProductDescription description;
        description.product.data_type = value_of(data_type, data_types, "data_type");
        description.product.rows = m;
        description.product.columns = n;
        description.product.k = k;
        *problem = new swirl_problem{std::move(description)};
    });
}

swirl_status swirl_problem_from_text(const char* text, swirl_problem** problem) {
    return guarded([&] {
        require(problem, "problem");
        *problem = nullptr;
        require(text, "text");
        const swirl::Problem parsed = swirl::parse_problem(text);
        if (const auto* const transform = std::get_if<swirl::Transform>(&parsed))
            *problem = new swirl_problem{description_of(*transform)};
        else
            *problem = new swirl_problem{
                ProductDescription{std::get<swirl::MatrixProduct>(parsed), {true, true, true}}};
    });
}

void swirl_problem_destroy(swirl_problem* problem) { delete problem; }

swirl_status swirl_problem_text(const swirl_problem* problem, char* text, size_t size, size_t* length) {
    return guarded([&] {
        require(problem, "problem");
        copy_text(swirl::to_text(problem_of(*problem)), text, size, length);
    });
}

swirl_status swirl_problem_set_data_type(swirl_problem* problem, int data_type) {
    return guarded([&] {
        require(problem, "problem");
        if (auto* const transform = std::get_if<TransformDescription>(&problem->description))
            set_data_type(*transform, data_type);
        else
            std::get<ProductDescription>(problem->description).product.data_type =
                value_of(data_type, data_types, "data_type");
    });
}

swirl_status swirl_problem_set_direction(swirl_problem* problem, int direction) {
    return guarded([&] {
        transform_of(problem, __func__).options.direction = value_of(direction, directions, "direction");
    });
}

swirl_status swirl_problem_set_layout(swirl_problem* problem, int layout) {
    return guarded(
        [&] { transform_of(problem, __func__).options.layout = value_of(layout, layouts, "layout"); });
}

swirl_status swirl_problem_set_placement(swirl_problem* problem, int placement) {
    return guarded([&] {
        transform_of(problem, __func__).options.placement = value_of(placement, placements, "placement");
    });
}

swirl_status swirl_problem_set_scale(swirl_problem* problem, double scale) {
    return guarded([&] { transform_of(problem, __func__).options.scale = scale; });
}

swirl_status swirl_problem_set_spectrum(swirl_problem* problem, int sharing) {
    return guarded(
        [&] { transform_of(problem, __func__).options.spectrum = value_of(sharing, sharings, "sharing"); });
}

swirl_status swirl_problem_set_load(swirl_problem* problem, const char* expression) {
    return guarded([&] { transform_of(problem, __func__).options.load = expression_in(expression); });
}

swirl_status swirl_problem_set_store(swirl_problem* problem, const char* expression) {
    return guarded([&] { transform_of(problem, __func__).options.store = expression_in(expression); });
}

swirl_status swirl_problem_set_strides(swirl_problem* problem, int side, const int64_t* strides) {
    return guarded([&] {
        TransformDescription& transform = transform_of(problem, __func__);
        require(strides, "strides");
        const bool is_input = value_of(side, sides, "side") == swirl::Side::input;
        std::vector<swirl::Integer> list(strides, strides + transform.lengths.size());
        (is_input ? transform.options.input_strides : transform.options.output_strides) = std::move(list);
    });
}

swirl_status swirl_problem_add_batch(swirl_problem* problem, int64_t count) {
    return guarded([&] { add_batch(problem, {.count = count}, __func__); });
}

swirl_status swirl_problem_add_strided_batch(swirl_problem* problem, int64_t count, int64_t input_stride,
                                             int64_t output_stride) {
    return guarded([&] { add_batch(problem, {count, input_stride, output_stride}, __func__); });
}

swirl_status swirl_problem_set_matrix(swirl_problem* problem, int matrix, const swirl_matrix_layout* layout) {
    return guarded([&] {
        ProductDescription& description = product_of(problem, __func__);
        require(layout, "layout");
        const std::size_t which = matrix_of(matrix);
        layout_of(description.product, which) = {layout->row_stride, layout->column_stride,
                                                 layout->conjugated != 0, layout->batch_stride};
        description.has_layout[which] = true;
    });
}

swirl_status swirl_problem_set_matrix_type(swirl_problem* problem, int matrix, int data_type) {
    return guarded([&] {
        swirl::MatrixProduct& product = product_of(problem, __func__).product;
        const swirl::DataType type = value_of(data_type, data_types, "data_type");
        const std::size_t which = matrix_of(matrix);
        (which == SWIRL_A ? product.a_type : which == SWIRL_B ? product.b_type : product.c_type) = type;
    });
}

swirl_status swirl_problem_set_batch(swirl_problem* problem, int64_t count) {
    return guarded([&] { product_of(problem, __func__).product.batch = count; });
}

swirl_status swirl_problem_set_pointer_arrays(swirl_problem* problem, int alignment) {
    return guarded([&] {
        swirl::MatrixProduct& product = product_of(problem, __func__).product;
        product.listed = true;
        product.list_alignment = alignment;
    });
}

swirl_status swirl_problem_set_epilogue(swirl_problem* problem, const char* expression) {
    return guarded([&] { product_of(problem, __func__).product.epilogue = expression_in(expression); });
}

swirl_status swirl_problem_add_reduction(swirl_problem* problem, const char* name, int operation, int over,
                                         const char* of) {
    return guarded([&] {
        swirl::MatrixProduct& product = product_of(problem, __func__).product;
        require(name, "name");
        if (product.reductions.size() == swirl::most_reductions)
            throw swirl::UserError("the product has {} reductions; it may have no more",
                                   swirl::most_reductions);
        product.reductions.push_back({name, value_of(operation, operations, "operation"),
                                      value_of(over, overs, "over"), expression_in(of)});
    });
}

} // extern "C"
