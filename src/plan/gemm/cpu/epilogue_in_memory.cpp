#include "plan/expression_evaluation.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/values.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// `sums`, the accumulators, are at the address of c.
template <class S, class T, class R>
void finish(ExpressionEvaluation<R>& evaluation, const S* sums, T* c, Integer stride, Integer row,
            Integer column, Integer count) {
    const Values<R>& result = evaluation.evaluate(sums, stride, row, column, count);
    for (Integer k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if constexpr (sizeof(T) == sizeof(R))
            c[k * stride] = result.re[at];
        else
            c[k * stride] = {result.re[at], result.is_complex ? result.im[at] : R(0)};
    }
}

void evaluate_on_host(const MatrixProduct& product, const EpilogueCall& call, void* c) {
    const auto apply = [&](auto sum_example, auto example) {
        using S = decltype(sum_example);
        using T = decltype(example);
        ExpressionEvaluation<typename RealPart<T>::type> evaluation(
            {&call.epilogue->expression(), call.arrays, call.matrix, call.row, call.column});
        for (Integer column = 0; column < product.columns; ++column)
            for (Integer row = 0; row < product.rows; row += evaluation_block) {
                const Integer offset = row * product.c.row_stride + column * product.c.column_stride;
                finish(evaluation, static_cast<const S*>(c) + offset, static_cast<T*>(c) + offset,
                       product.c.row_stride, row, column, std::min(evaluation_block, product.rows - row));
            }
    };
    switch (product.data_type) {
    case DataType::int32: return apply(std::int32_t{}, float{});
    case DataType::float32: return apply(float{}, float{});
    case DataType::float64: return apply(double{}, double{});
    case DataType::complex64: return apply(std::complex<float>{}, std::complex<float>{});
    case DataType::complex128: return apply(std::complex<double>{}, std::complex<double>{});
    default: throw InternalError("an epilogue of sums of {}", name_of(product.data_type));
    }
}

} // namespace

void apply_epilogue(const MatrixProduct& product, const EpilogueCall& call, void* c) {
    ElementwiseKernels* const kernels = call.epilogue->in_memory();
    if (kernels == nullptr) return evaluate_on_host(product, call, c);
    kernels->run({.rows = product.rows,
                  .columns = product.columns,
                  .elements = c,
                  .column_stride = product.c.column_stride,
                  .results = c,
                  .result_stride = product.c.column_stride},
                 product.c.row_stride, [&](std::size_t index) { return call.operand(index, 0, 0); });
}

} // namespace swirl::planning
