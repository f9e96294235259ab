#include "api/c.hpp"
#include "api/matrix_arrays.hpp"
#include "api/plan.hpp"
#include "plan/matrix_plan.hpp"
#include "plan/matrix_values.hpp"

#include <memory>
#include <vector>

struct swirl_matrix_plan {
    swirl_matrix_plan(const swirl::MatrixProduct& product, int threads) : plan(product, threads) {}
    swirl::planning::MatrixPlan plan;
};

namespace swirl::api {
namespace {

MatrixLayout layout_of(const swirl_matrix_layout& layout) {
    return {layout.row_stride, layout.column_stride, layout.conjugated != 0, layout.batch_stride};
}

MatrixProduct product_of(const swirl_matrix_product& product) {
    if (product.number < SWIRL_REAL32 || product.number > SWIRL_COMPLEX64)
        throw UserError("number is {}; it has values from {} to {}", product.number,
                        static_cast<int>(SWIRL_REAL32), static_cast<int>(SWIRL_COMPLEX64));
    return {
        static_cast<Number>(product.number),
        product.rows,
        product.columns,
        product.depth,
        layout_of(product.a),
        layout_of(product.b),
        layout_of(product.c),
        product.batch,
        product.epilogue == nullptr || *product.epilogue == 0 ? Expression() : Expression(product.epilogue)};
}

std::vector<const void*> arrays_named(const MatrixProduct& product, const swirl_array* arrays,
                                      std::size_t count) {
    const std::vector<ProblemArray> known = arrays_of(product);
    std::vector<const void*> result(known.size());
    if (count > 0) require(arrays, "arrays");
    for (std::size_t k = 0; k < count; ++k) {
        require(arrays[k].name, "arrays[].name");
        if (arrays[k].imaginary != nullptr)
            throw UserError("array {} is given in two parts; its numbers are in one array", arrays[k].name);
        result[array_named(product, known, arrays[k].name)] = arrays[k].data;
    }
    return result;
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

swirl_status swirl_matrix_plan_create(const swirl_matrix_product* product, int threads,
                                      swirl_matrix_plan** plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(product, "product");
        const swirl::MatrixProduct wanted = product_of(*product);
        swirl::validate(wanted);
        *plan = std::make_unique<swirl_matrix_plan>(wanted, threads_asked_for(threads)).release();
    });
}

void swirl_matrix_plan_destroy(swirl_matrix_plan* plan) { delete plan; }

swirl_status swirl_matrix_execute(const swirl_matrix_plan* plan, const void* alpha, const void* a,
                                  const void* b, const void* beta, void* c) {
    return swirl_matrix_execute_with_arrays(plan, nullptr, 0, alpha, a, b, beta, c);
}

swirl_status swirl_matrix_execute_with_arrays(const swirl_matrix_plan* plan, const swirl_array* arrays,
                                              size_t count, const void* alpha, const void* a, const void* b,
                                              const void* beta, void* c) {
    return guarded([&] {
        require(plan, "plan");
        require(alpha, "alpha");
        require(beta, "beta");
        const swirl::MatrixProduct& product = plan->plan.product();
        const swirl::planning::Factor alpha_kind = swirl::planning::factor_kind(product.number, alpha),
                                      beta_kind = swirl::planning::factor_kind(product.number, beta);
        if (product.epilogue.is_identity() && count == 0)
            return plan->plan.execute({alpha, a, b, beta, c}, alpha_kind, beta_kind);
        const std::vector<const void*> given = arrays_named(product, arrays, count);
        plan->plan.execute({alpha, a, b, beta, c}, alpha_kind, beta_kind, given.data());
    });
}
