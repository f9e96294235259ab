#include "plan/gemm/values.hpp"

namespace swirl::planning {

ScalarKind scalar_kind(DataType data_type, const void* pointer) {
    ScalarKind kind = ScalarKind::other;
    with_data_type(data_type,
                   [&](auto example) { kind = scalar_kind(value_at<decltype(example)>(pointer)); });
    return kind;
}

void check_beta(const MatrixProduct& product, const void* beta) {
    if (product.converts() && scalar_kind(product.data_type, beta) != ScalarKind::zero)
        throw UserError(
            "beta is not 0, but C is stored as {} and accumulated as {}, so C cannot be read\n  use beta = 0",
            name_of(product.type_of_c()), name_of(product.data_type));
}

} // namespace swirl::planning
