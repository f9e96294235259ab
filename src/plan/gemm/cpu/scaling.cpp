#include "plan/gemm/cpu/scaling.hpp"

#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/values.hpp"

#include <algorithm>
#include <cstddef>

namespace swirl::planning {

namespace {

/// A call covers no more columns.
constexpr Integer most_columns = Integer{1} << 20;

/// Where no code can be generated.
void scale_on_host(const MatrixProduct& product, const void* beta, void* c) {
    with_data_type(product.data_type, [&](auto example) {
        using T = decltype(example);
        const T factor = value_at<T>(beta);
        for (Integer column = 0; column < product.columns; ++column)
            for (Integer row = 0; row < product.rows; ++row) {
                T& element =
                    static_cast<T*>(c)[row * product.c.row_stride + column * product.c.column_stride];
                element = factor == T(0) ? T(0) : factor * element;
            }
    });
}

} // namespace

ScalingKernels::ScalingKernels(DataType data_type, Integer row_stride, Integer rows, Integer columns,
                               const target::Cpu& cpu, KernelCheck check) {
    gemm::StoredElements stored{.type = data_type, .row_stride = row_stride, .is_in_place = true};
    const auto kernels_of = [&](gemm::BetaTerm term) {
        stored.beta = term;
        return ElementwiseKernels::shared(
            {.data_type = data_type, .row_stride = row_stride, .result = stored}, rows, columns, cpu, check);
    };
    scaling = kernels_of(gemm::BetaTerm::scales_x);
    clearing = kernels_of(gemm::BetaTerm::clears_x);
}

ScalingKernels::ScalingKernels(DataType data_type, const target::Cpu& cpu, KernelCheck check)
    : ScalingKernels(data_type, 1, Integer{1} << 20, most_columns, cpu, check) {}

ScalingKernels::ScalingKernels(const MatrixProduct& canonical, const target::Cpu& cpu, KernelCheck check) {
    const bool is_scattered = has_scattered_columns(canonical);
    *this = is_scattered ? ScalingKernels(canonical.data_type, canonical.c.row_stride, canonical.rows,
                                          std::min(canonical.columns, most_columns), cpu, check)
                         : ScalingKernels(canonical.data_type, cpu, check);
}

void scale_matrix(const ScalingKernels& kernels, const MatrixProduct& product, const void* beta, void* c) {
    const ScalarKind kind = scalar_kind(product.data_type, beta);
    if (kind == ScalarKind::one) return;
    ElementwiseKernels* const chosen = (kind == ScalarKind::zero ? kernels.clearing : kernels.scaling).get();
    if (chosen == nullptr) return scale_on_host(product, beta, c);
    const Integer column_bytes = product.c.column_stride * bytes_of(product.data_type);
    for (Integer first = 0; first < product.columns; first += most_columns)
        chosen->run({.rows = product.rows,
                     .columns = std::min(most_columns, product.columns - first),
                     .elements = static_cast<std::byte*>(c) + first * column_bytes,
                     .column_stride = product.c.column_stride,
                     .result_stride = product.c.column_stride,
                     .beta = beta},
                    product.rows > 1 ? product.c.row_stride : 1,
                    [](std::size_t) -> const void* { return nullptr; });
}

} // namespace swirl::planning
