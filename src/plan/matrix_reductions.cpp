#include "plan/matrix_reductions.hpp"

#include "base/error.hpp"
#include "plan/expression_evaluation.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/matrix_values.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/team.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace swirl::planning {

namespace {

/// Of a block whose elements lie in memory: whole runs of what is evaluated together.
constexpr Integer usual_rows = 4 * evaluated_together, usual_columns = 256;

/// Sums of neighbours are added up apart from each other, so that vectors can do it.
constexpr std::size_t apart = 8;

double neutral_of(Reduce operation) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return operation == Reduce::sum ? 0 : operation == Reduce::maximum ? -infinity : infinity;
}

/// NaN where one of both is.
double two(Reduce operation, double a, double b) {
    switch (operation) {
    case Reduce::sum: return a + b;
    case Reduce::maximum: return a < b || b != b ? b : a;
    case Reduce::minimum: return b < a || b != b ? b : a;
    }
    throw InternalError("no such reduction");
}

/// f with an example of what elements in memory are.
template <class F> void with_elements(Number number, F&& f) {
    switch (number) {
    case Number::int32:
    case Number::float32: return f(float{});
    case Number::float64: return f(double{});
    case Number::complex32: return f(std::complex<float>{});
    case Number::complex64: return f(std::complex<double>{});
    default: throw InternalError("reductions of {}", word_of(number));
    }
}

} // namespace

MatrixReductions::MatrixReductions(const MatrixProduct& product) : first_result_(arrays_of(product).size()) {
    const bool is_turned = wants_transposition(product);
    for (const Reduction& reduction : product.reductions) {
        Over over = reduction.over;
        if (is_turned && over != Over::all) over = over == Over::rows ? Over::columns : Over::rows;
        all_.push_back({PlacedExpression(product, scope_of(product, reduction), reduction.of),
                        reduction.operation, over, results_of_matrix(product, reduction.over)});
    }
}

ReductionParts::ReductionParts(const MatrixProduct& oriented, const ReductionCall& call,
                               const ReductionGrid& grid)
    : product_(oriented), call_(call), grid_(grid) {
    for (const MatrixReductions::One& one : call.reductions->all())
        parts_.emplace_back(static_cast<std::size_t>(one.of_matrix * parts_of_result(one.over)),
                            neutral_of(one.operation));
}

Integer ReductionParts::parts_of_result(Over over) const {
    switch (over) {
    case Over::columns: return grid_.column_blocks();
    case Over::rows: return grid_.row_blocks();
    case Over::all: return grid_.count();
    }
    return 0;
}

double* ReductionParts::parts(std::size_t k, Integer block) {
    const MatrixReductions::One& one = call_.reductions->all()[k];
    const Integer row = block / grid_.column_blocks(), column = block % grid_.column_blocks();
    Integer place = block;
    if (one.over == Over::columns) place = column * one.of_matrix + row * grid_.block_rows;
    if (one.over == Over::rows) place = row * one.of_matrix + column * grid_.block_columns;
    return parts_[k].data() + place;
}

template <class R, class T>
void ReductionParts::take_one(std::size_t k, Integer block, const T* c, Integer row_stride,
                              Integer column_stride) {
    const MatrixReductions::One& one = call_.reductions->all()[k];
    const Integer first_row = block / grid_.column_blocks() * grid_.block_rows;
    const Integer first_column = block % grid_.column_blocks() * grid_.block_columns;
    const Integer rows = std::min(grid_.block_rows, grid_.rows - first_row);
    const Integer columns = std::min(grid_.block_columns, grid_.columns - first_column);
    ExpressionEvaluation<R> evaluation(
        {&one.expression, call_.arrays, call_.matrix, first_row, first_column});
    double* const to = parts(k, block);
    for (Integer column = 0; column < columns; ++column) {
        std::array<double, apart> sums;
        sums.fill(neutral_of(one.operation));
        for (Integer row = 0; row < rows; row += evaluated_together) {
            const Integer count = std::min(evaluated_together, rows - row);
            const Values<R>& values = evaluation.evaluate(c + row * row_stride + column * column_stride,
                                                          row_stride, row, column, count);
            for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
                double& sum =
                    one.over == Over::columns ? to[row + static_cast<Integer>(at)] : sums[at % apart];
                sum = two(one.operation, sum, values.re[at]);
            }
        }
        if (one.over == Over::columns) continue;
        double& result = to[one.over == Over::rows ? column : 0];
        for (const double sum : sums) result = two(one.operation, result, sum);
    }
}

void ReductionParts::take(Integer block, const void* c, Integer row_stride, Integer column_stride) {
    with_elements(product_.number, [&](auto example) {
        using T = decltype(example);
        for (std::size_t k = 0; k < parts_.size(); ++k)
            take_one<typename RealPart<T>::type>(k, block, static_cast<const T*>(c), row_stride,
                                                 column_stride);
    });
}

void ReductionParts::finish() {
    with_elements(product_.number, [&](auto example) {
        using R = typename RealPart<decltype(example)>::type;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            const MatrixReductions::One& one = call_.reductions->all()[k];
            const void* const array = call_.arrays[call_.reductions->first_result() + k];
            R* const results = static_cast<R*>(const_cast<void*>(array)) + call_.matrix * one.of_matrix;
            const Integer count = parts_of_result(one.over);
            for (Integer r = 0; r < one.of_matrix; ++r) {
                double result = neutral_of(one.operation);
                for (Integer part = 0; part < count; ++part)
                    result = two(one.operation, result,
                                 parts_[k][static_cast<std::size_t>(part * one.of_matrix + r)]);
                results[r] = static_cast<R>(result);
            }
        }
    });
}

ReductionGrid usual_grid(const MatrixProduct& oriented) {
    return {oriented.rows, oriented.columns, usual_rows, usual_columns};
}

void reduce_matrix(const MatrixProduct& oriented, const ReductionCall& call, const void* c, int threads) {
    const ReductionGrid grid = usual_grid(oriented);
    ReductionParts parts(oriented, call, grid);
    const Integer bytes = bytes_of(oriented.number == Number::int32 ? Number::float32 : oriented.number);
    const auto take = [&](Integer block) {
        const Integer row = block / grid.column_blocks() * grid.block_rows;
        const Integer column = block % grid.column_blocks() * grid.block_columns;
        const Integer place = row * oriented.c.row_stride + column * oriented.c.column_stride;
        parts.take(block, static_cast<const std::byte*>(c) + place * bytes, oriented.c.row_stride,
                   oriented.c.column_stride);
    };
    const int members = static_cast<int>(std::min<Integer>(threads, grid.count()));
    if (members <= 1)
        for (Integer block = 0; block < grid.count(); ++block) take(block);
    else
        runtime::run_team(members, [&](const runtime::TeamMember& member) {
            for (Integer block = member.number(); block < grid.count(); block += member.size()) take(block);
        });
    parts.finish();
}

} // namespace swirl::planning
