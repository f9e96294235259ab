#include "plan/matrix_values.hpp"

namespace swirl::planning {

Factor factor_kind(Number number, const void* pointer) {
    Factor kind = Factor::other;
    with_number(number,
                [&](auto example) { kind = detail::factor_kind(value_at<decltype(example)>(pointer)); });
    return kind;
}

void scale_matrix(const MatrixProduct& product, const void* beta, void* c) {
    with_number(product.number, [&](auto example) {
        using T = decltype(example);
        const T factor = value_at<T>(beta);
        if (factor == T(1)) return;
        for (Integer column = 0; column < product.columns; ++column)
            for (Integer row = 0; row < product.rows; ++row) {
                T& element =
                    static_cast<T*>(c)[row * product.c.row_stride + column * product.c.column_stride];
                element = factor == T(0) ? T(0) : factor * element;
            }
    });
}

} // namespace swirl::planning
