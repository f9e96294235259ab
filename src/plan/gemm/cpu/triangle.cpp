#include "plan/gemm/cpu/triangle.hpp"

#include "base/integer.hpp"
#include "plan/gemm/cpu/blocks.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "plan/gemm/values.hpp"
#include "plan/portable/gemm.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace swirl::planning {

namespace {

using Half = MatrixRegion::Half;

/// Cᵀ = α·Bᵀ·Aᵀ + β·Cᵀ: the same memory, with the other triangle.
void transpose(MatrixProduct& product, MatrixArguments& arguments, Half& half) {
    product = transposed(product);
    std::swap(arguments.a, arguments.b);
    half = half == Half::lower ? Half::upper : Half::lower;
}

/// C = β·C. Squares on the diagonal have kernels of their own.
void scale_triangle(const MatrixProduct& product, Half half, const MatrixCode& code, const void* beta,
                    void* c) {
    const ScalarKind kind = scalar_kind(product.data_type, beta);
    if (kind == ScalarKind::one) return;
    const bool is_lower = half == Half::lower;
    const Integer extent = code.is_builtin() ? 1 : 16;
    const auto at = [&](Integer row, Integer column) {
        return static_cast<std::byte*>(c) +
               (row * product.c.row_stride + column * product.c.column_stride) * bytes_of(product.data_type);
    };
    MatrixProduct rectangle = product;
    for (Integer first = 0; first < product.rows; first += extent) {
        const Integer count = std::min(extent, product.rows - first);
        rectangle.columns = count;
        if (code.is_builtin()) {
            rectangle.rows = 1;
            scale_matrix(code.scaling, rectangle, beta, at(first, first));
        } else {
            void* const buffers[] = {at(first, first), const_cast<void*>(beta)};
            const std::int64_t parameters[] = {product.c.column_stride};
            code.blocks->triangle(
                {.rows = static_cast<int>(count),
                 .columns = static_cast<int>(count),
                 .triangle = is_lower ? gemm::Triangle::lower : gemm::Triangle::upper,
                 .update = kind == ScalarKind::zero ? gemm::Update::overwrite : gemm::Update::scale,
                 .has_tile = false})(buffers, parameters);
        }
        rectangle.rows = is_lower ? product.rows - first - count : first;
        scale_matrix(code.scaling, rectangle, beta, is_lower ? at(first + count, first) : at(0, first));
    }
}

/// First row or column of band `index` of `bands`, with about equal areas; a multiple of `unit`.
Integer beginning_of_band(Integer extent, Integer unit, int index, int bands) {
    const double fraction = std::sqrt(static_cast<double>(index) / bands);
    return index == bands ? extent
                          : static_cast<Integer>(fraction * static_cast<double>(extent)) / unit * unit;
}

/// The arguments for C from this row and column on.
MatrixArguments moved_in_c(const MatrixProduct& product, const MatrixArguments& arguments, Integer row,
                           Integer column) {
    return moved(product, arguments, row * product.a.row_stride, column * product.b.column_stride,
                 row * product.c.row_stride + column * product.c.column_stride);
}

/// Rows of a lower triangle, or columns of an upper one: first … last−1.
void multiply_band(const MatrixProduct& product, Half half, const MatrixArguments& arguments,
                   const MatrixCode& code, gemm::Update update, Integer kc, runtime::IterationRange band) {
    const bool is_lower = half == Half::lower;
    MatrixProduct subproblem = product;
    subproblem.rows = is_lower ? band.last - band.first : band.last;
    subproblem.columns = is_lower ? band.last : band.last - band.first;
    const MatrixArguments of_band =
        moved_in_c(product, arguments, is_lower ? band.first : 0, is_lower ? 0 : band.first);
    multiply_blocks(*code.blocks, subproblem, of_band, update, kc, {half, band.first});
}

/// A lower triangle by full products: some rows at a time, with their square on the diagonal computed in a buffer.
void multiply_by_rows(const MatrixProduct& product, const MatrixArguments& arguments, const MatrixCode& code,
                      int threads) {
    constexpr Integer block = 64;
    with_data_type(product.data_type, [&](auto example) {
        using T = decltype(example);
        const T beta = value_at<T>(arguments.beta), zero = T(0);
        std::vector<T> square(static_cast<std::size_t>(block * block));
        for (Integer first = 0; first < product.rows; first += block) {
            MatrixProduct subproblem = product;
            subproblem.rows = std::min(block, product.rows - first);
            subproblem.columns = first;
            multiply(subproblem, moved_in_c(product, arguments, first, 0), code, threads);
            MatrixArguments diagonal = moved_in_c(product, arguments, first, first);
            T* const c = static_cast<T*>(diagonal.c);
            subproblem.columns = subproblem.rows;
            subproblem.c = {.row_stride = 1, .column_stride = subproblem.rows};
            diagonal.c = square.data();
            diagonal.beta = &zero;
            multiply(subproblem, diagonal, code, threads);
            for (Integer column = 0; column < subproblem.rows; ++column)
                for (Integer row = column; row < subproblem.rows; ++row) {
                    T& element = c[row * product.c.row_stride + column * product.c.column_stride];
                    const T result = square[static_cast<std::size_t>(column * subproblem.rows + row)];
                    element = beta == T(0) ? result : result + beta * element;
                }
        }
    });
}

} // namespace

void multiply_triangle(const MatrixProduct& given, Half half, const MatrixArguments& given_arguments,
                       const MatrixCode& code, int threads) {
    if (given.rows == 0) return;
    MatrixProduct product = given;
    MatrixArguments arguments = given_arguments;
    ensure(product.rows == product.columns && product.batch == 1 &&
               (product.c.row_stride == 1 || product.c.column_stride == 1 || product.rows == 1),
           "a triangle of {} by {}, strides {} and {}", product.rows, product.columns, product.c.row_stride,
           product.c.column_stride);
    if (product.k == 0 || scalar_kind(product.data_type, arguments.alpha) == ScalarKind::zero) {
        if (product.c.row_stride != 1) transpose(product, arguments, half);
        return scale_triangle(product, half, code, arguments.beta, arguments.c);
    }
    if (code.is_builtin()) {
        if (half == Half::upper) transpose(product, arguments, half);
        return multiply_by_rows(product, arguments, code, threads);
    }
    if (product.c.row_stride != 1) transpose(product, arguments, half);
    const gemm::Update update = update_for(scalar_kind(product.data_type, arguments.beta));
    const gemm::BlockedGemm& schedule = code.blocks->schedule();
    const Integer kc = gemm::balanced_block(product.k, schedule.kc, schedule.unroll);
    const int wanted = threads_worthwhile(product, threads);
    const int members = wanted > 1 ? runtime::team_size(wanted) : 1;
    if (members <= 1) return multiply_band(product, half, arguments, code, update, kc, {0, product.rows});
    const Integer unit = half == Half::lower ? schedule.tile.rows() : schedule.tile.columns;
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            const runtime::IterationRange band{
                beginning_of_band(product.rows, unit, member.index(), member.size()),
                beginning_of_band(product.rows, unit, member.index() + 1, member.size())};
            if (band.first < band.last) multiply_band(product, half, arguments, code, update, kc, band);
        },
        min_seconds(work_of(product) / 2));
}

} // namespace swirl::planning
