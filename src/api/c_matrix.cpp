#include "api/c.hpp"
#include "api/matrix_arrays.hpp"
#include "api/plan.hpp"
#include "plan/matrix_groups.hpp"
#include "plan/matrix_values.hpp"
#include "problem/matrix_product.hpp"

#include <memory>
#include <vector>

struct swirl_matrix_plan {
    swirl_matrix_plan(const swirl::MatrixProduct& product, int threads, swirl::Accuracy accuracy)
        : plan(product, threads, accuracy) {}
    swirl::planning::MatrixPlan plan;
};

struct swirl_packed_matrix {
    std::shared_ptr<const swirl::planning::PackedMatrix> matrix;
};

namespace swirl::api {
namespace {

using planning::scalar_kind;
using planning::ScalarKind;
using Operand = planning::MatrixKernels::Operand;

swirl_status packed(const swirl_matrix_plan* plan, Operand operand, const void* data,
                    swirl_packed_matrix** result) {
    return guarded([&] {
        require(result, "packed");
        *result = nullptr;
        require(plan, "plan");
        *result = std::make_unique<swirl_packed_matrix>(swirl_packed_matrix{plan->plan.pack(operand, data)})
                      .release();
    });
}

MatrixLayout layout_of(const swirl_matrix_layout& layout) {
    return {layout.row_stride, layout.column_stride, layout.conjugated != 0, layout.batch_stride};
}

swirl_matrix_plan* create(const MatrixProduct& wanted, int threads, Accuracy accuracy = Accuracy::ordinary) {
    swirl::validate(wanted);
    swirl::validate_for_cpus(wanted);
    return std::make_unique<swirl_matrix_plan>(wanted, threads_asked_for(threads), accuracy).release();
}

} // namespace

DataType data_type_of(const char* name, int data_type) {
    switch (data_type) {
    case SWIRL_REAL32: return DataType::float32;
    case SWIRL_REAL64: return DataType::float64;
    case SWIRL_COMPLEX32: return DataType::complex64;
    case SWIRL_COMPLEX64: return DataType::complex128;
    case SWIRL_TYPE_BFLOAT16: return DataType::bfloat16;
    case SWIRL_TYPE_FLOAT16: return DataType::float16;
    case SWIRL_TYPE_INT8: return DataType::int8;
    case SWIRL_TYPE_UINT8: return DataType::uint8;
    case SWIRL_TYPE_INT32: return DataType::int32;
    case SWIRL_TYPE_FLOAT8_E4M3: return DataType::float8_e4m3;
    case SWIRL_TYPE_UNORM8: return DataType::unorm8;
    case SWIRL_TYPE_SNORM8: return DataType::snorm8;
    case SWIRL_TYPE_UNORM16: return DataType::unorm16;
    case SWIRL_TYPE_SNORM16: return DataType::snorm16;
    default:
        throw UserError("{} is {}; it has values from {} to {}", name, data_type,
                        static_cast<int>(SWIRL_REAL32), static_cast<int>(SWIRL_TYPE_SNORM16));
    }
}

Accuracy accuracy_of(int accuracy) {
    if (accuracy < SWIRL_ACCURACY_ORDINARY || accuracy > SWIRL_ACCURACY_LOW)
        throw UserError("accuracy is {}; it has values from {} to {}", accuracy,
                        static_cast<int>(SWIRL_ACCURACY_ORDINARY), static_cast<int>(SWIRL_ACCURACY_LOW));
    return static_cast<Accuracy>(accuracy);
}

std::vector<const void*> arrays_named(const MatrixProduct& product, const swirl_array* arrays,
                                      std::size_t count) {
    std::vector<const void*> result(given_arrays_of(product).size());
    for (const swirl_array& array : list_of(arrays, "arrays", count, result.size(), "this product")) {
        require(array.name, "arrays[].name");
        if (array.imaginary != nullptr)
            throw UserError("array {} is given in two parts; its elements are in one array", array.name);
        result[array_named(product, array.name)] = array.data;
    }
    return result;
}

MatrixProduct product_of(const swirl_matrix_product& description) {
    const bool has_epilogue = description.epilogue != nullptr && *description.epilogue != 0;
    return {.data_type = data_type_of("data_type", description.data_type),
            .rows = description.rows,
            .columns = description.columns,
            .k = description.k,
            .a = layout_of(description.a),
            .b = layout_of(description.b),
            .c = layout_of(description.c),
            .batch = description.batch == 0 ? 1 : description.batch,
            .epilogue = has_epilogue ? Expression(description.epilogue) : Expression()};
}

void add_reductions(MatrixProduct& product, const swirl_reduction* reductions, std::size_t count) {
    for (const swirl_reduction& reduction :
         list_of(reductions, "reductions", count, most_reductions, "a product")) {
        require(reduction.name, "reductions[].name");
        const auto value = [](const char* name, int given, int last) {
            if (given < 0 || given > last)
                throw UserError("{} is {}; it has values from 0 to {}", name, given, last);
            return given;
        };
        const int operation = value("reductions[].operation", reduction.operation, SWIRL_REDUCE_MINIMUM);
        const int over = value("reductions[].over", reduction.over, SWIRL_OVER_ALL);
        const bool has_expression = reduction.of != nullptr && *reduction.of != 0;
        product.reductions.push_back({reduction.name, static_cast<Reduce>(operation), static_cast<Over>(over),
                                      has_expression ? Expression(reduction.of) : Expression()});
    }
}

void set_data_types(MatrixProduct& product, const int* types) {
    if (types == nullptr) return;
    product.a_type = data_type_of("types[0]", types[0]);
    product.b_type = data_type_of("types[1]", types[1]);
    product.c_type = data_type_of("types[2]", types[2]);
}

} // namespace swirl::api

using namespace swirl::api;

swirl_status swirl_matrix_plan_create(const swirl_matrix_product* product, int threads,
                                      swirl_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan,
                                      [&](swirl::MatrixProduct& wanted) { return create(wanted, threads); });
}

swirl_status swirl_matrix_plan_create_low_precision(const swirl_matrix_product* product, int a_type,
                                                    int b_type, int threads, swirl_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        wanted.a_type = data_type_of("a_number", a_type);
        wanted.b_type = data_type_of("b_number", b_type);
        return create(wanted, threads);
    });
}

swirl_status swirl_matrix_plan_create_stored(const swirl_matrix_product* product, int a_type, int b_type,
                                             int c_type, int threads, swirl_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        wanted.a_type = data_type_of("a_number", a_type);
        wanted.b_type = data_type_of("b_number", b_type);
        wanted.c_type = data_type_of("c_number", c_type);
        return create(wanted, threads);
    });
}

swirl_status swirl_matrix_plan_create_for_accuracy(const swirl_matrix_product* product, int accuracy,
                                                   int threads, swirl_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        return create(wanted, threads, accuracy_of(accuracy));
    });
}

swirl_status swirl_matrix_plan_create_with(const swirl_matrix_product* product,
                                           const swirl_matrix_options* options, swirl_matrix_plan** plan) {
    return plan_matrix_multiplication(product, plan, [&](swirl::MatrixProduct& wanted) {
        require(options, "options");
        set_data_types(wanted, options->types);
        add_reductions(wanted, options->reductions, options->reduction_count);
        return create(wanted, options->threads, accuracy_of(options->accuracy));
    });
}

int swirl_matrix_plan_accuracy(const swirl_matrix_plan* plan) {
    return plan == nullptr ? SWIRL_ACCURACY_ORDINARY : static_cast<int>(plan->plan.accuracy());
}

void swirl_matrix_plan_destroy(swirl_matrix_plan* plan) { delete plan; }

swirl_status swirl_matrix_execute(const swirl_matrix_plan* plan, const void* alpha, const void* a,
                                  const void* b, const void* beta, void* c) {
    return swirl_matrix_execute_with_arrays(plan, nullptr, 0, alpha, a, b, beta, c);
}

swirl_status swirl_matrix_execute_with_arrays(const swirl_matrix_plan* plan, const swirl_array* arrays,
                                              size_t count, const void* alpha, const void* a, const void* b,
                                              const void* beta, void* c) {
    return swirl_matrix_execute_packed(plan, arrays, count, alpha, a, nullptr, b, nullptr, beta, c);
}

swirl_status swirl_matrix_pack_a(const swirl_matrix_plan* plan, const void* a, swirl_packed_matrix** result) {
    return packed(plan, Operand::a, a, result);
}

swirl_status swirl_matrix_pack_b(const swirl_matrix_plan* plan, const void* b, swirl_packed_matrix** result) {
    return packed(plan, Operand::b, b, result);
}

void swirl_packed_matrix_destroy(swirl_packed_matrix* packed) { delete packed; }

swirl_status swirl_matrix_execute_packed(const swirl_matrix_plan* plan, const swirl_array* arrays,
                                         size_t count, const void* alpha, const void* a,
                                         const swirl_packed_matrix* packed_a, const void* b,
                                         const swirl_packed_matrix* packed_b, const void* beta, void* c) {
    return guarded([&] {
        require(plan, "plan");
        require(alpha, "alpha");
        require(beta, "beta");
        const swirl::MatrixProduct& product = plan->plan.product();
        const ScalarKind of_alpha = scalar_kind(product.data_type, alpha),
                         of_beta = scalar_kind(product.data_type, beta);
        std::vector<const void*> given;
        if (!product.epilogue.is_identity() || !product.reductions.empty() || count > 0)
            given = arrays_named(product, arrays, count);
        const void* const* const data = given.empty() ? nullptr : given.data();
        if (packed_a == nullptr && packed_b == nullptr)
            return plan->plan.execute({alpha, a, b, beta, c}, of_alpha, of_beta, data);
        plan->plan.execute_packed({alpha, a, b, beta, c}, of_alpha, of_beta, data,
                                  packed_a == nullptr ? nullptr : packed_a->matrix.get(),
                                  packed_b == nullptr ? nullptr : packed_b->matrix.get());
    });
}

swirl_status swirl_matrix_execute_groups(const swirl_matrix_group* groups, size_t count, int threads) {
    return guarded([&] {
        std::vector<swirl::planning::MatrixGroup> planned;
        for (const swirl_matrix_group& group : list_of(groups, "groups", count)) {
            require(group.plan, "groups[].plan");
            require(group.alpha, "groups[].alpha");
            require(group.beta, "groups[].beta");
            planned.push_back({&group.plan->plan, nullptr, group.alpha, group.a, group.b, group.beta, group.c,
                               group.count});
        }
        swirl::planning::execute_groups(planned, threads_asked_for(threads));
    });
}
