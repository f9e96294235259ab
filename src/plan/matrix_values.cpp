#include "plan/matrix_values.hpp"

namespace swirl::planning {

namespace {

bool equals(Number number, const void* pointer, float value) {
    bool same = false;
    with_number(number, [&](auto example) {
        using T = decltype(example);
        same = value_at<T>(pointer) == T(value);
    });
    return same;
}

} // namespace

bool is_zero(Number number, const void* pointer) { return equals(number, pointer, 0); }
bool is_one(Number number, const void* pointer) { return equals(number, pointer, 1); }

gemm::Update update_for(Number number, const void* beta) {
    if (is_zero(number, beta)) return gemm::Update::overwrite;
    return is_one(number, beta) ? gemm::Update::add : gemm::Update::scale;
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
