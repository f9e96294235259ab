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

struct Sum {
    double operator()(double a, double b) const { return a + b; }
};
/// NaN where one of both is, as the next.
struct Maximum {
    double operator()(double a, double b) const { return a < b || b != b ? b : a; }
};
struct Minimum {
    double operator()(double a, double b) const { return b < a || b != b ? b : a; }
};

/// f with what makes one of two numbers, known when loops over them are compiled.
template <class F> void with_operation(Reduce operation, F&& f) {
    switch (operation) {
    case Reduce::sum: return f(Sum());
    case Reduce::maximum: return f(Maximum());
    case Reduce::minimum: return f(Minimum());
    }
}

/// Of neighbours: each with the total that belongs to it, or in turns with those of some totals.
template <class R, class Two> void take_each(const R* values, Integer count, double* totals, Two&& two) {
    for (Integer at = 0; at < count; ++at) totals[at] = two(totals[at], static_cast<double>(values[at]));
}
template <class R, class Two>
void take_in_turns(const R* values, Integer count, std::array<double, apart>& totals, Two&& two) {
    constexpr auto step = static_cast<Integer>(apart);
    Integer at = 0;
    for (; at + step <= count; at += step) take_each(values + at, step, totals.data(), two);
    take_each(values + at, count - at, totals.data(), two);
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

template <class R, class T, class Two>
void ReductionParts::take_one(std::size_t k, Integer block, const T* c, Integer row_stride,
                              Integer column_stride, Two&& two) {
    const MatrixReductions::One& one = call_.reductions->all()[k];
    const Integer first_row = block / grid_.column_blocks() * grid_.block_rows;
    const Integer first_column = block % grid_.column_blocks() * grid_.block_columns;
    const Integer rows = std::min(grid_.block_rows, grid_.rows - first_row);
    const Integer columns = std::min(grid_.block_columns, grid_.columns - first_column);
    ExpressionEvaluation<R> evaluation(
        {&one.expression, call_.arrays, call_.matrix, first_row, first_column});
    double* const to = parts(k, block);
    for (Integer column = 0; column < columns; ++column) {
        std::array<double, apart> totals;
        totals.fill(neutral_of(one.operation));
        for (Integer row = 0; row < rows; row += evaluated_together) {
            const Integer count = std::min(evaluated_together, rows - row);
            const Values<R>& values = evaluation.evaluate(c + row * row_stride + column * column_stride,
                                                          row_stride, row, column, count);
            if (one.over == Over::columns)
                take_each(values.re.data(), count, to + row, two);
            else
                take_in_turns(values.re.data(), count, totals, two);
        }
        if (one.over != Over::columns)
            for (const double total : totals) {
                double& result = to[one.over == Over::rows ? column : 0];
                result = two(result, total);
            }
    }
}

void ReductionParts::take(Integer block, const void* c, Integer row_stride, Integer column_stride) {
    with_elements(product_.number, [&](auto example) {
        using T = decltype(example);
        for (std::size_t k = 0; k < parts_.size(); ++k)
            with_operation(call_.reductions->all()[k].operation, [&](auto two) {
                take_one<typename RealPart<T>::type>(k, block, static_cast<const T*>(c), row_stride,
                                                     column_stride, two);
            });
    });
}

void ReductionParts::finish() {
    with_elements(product_.number, [&](auto example) {
        using R = typename RealPart<decltype(example)>::type;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            const MatrixReductions::One& one = call_.reductions->all()[k];
            const void* const array = call_.arrays[call_.reductions->first_result() + k];
            R* const results = static_cast<R*>(const_cast<void*>(array)) + call_.matrix * one.of_matrix;
            std::vector<double> totals(static_cast<std::size_t>(one.of_matrix), neutral_of(one.operation));
            with_operation(one.operation, [&](auto two) {
                for (Integer part = 0; part < parts_of_result(one.over); ++part)
                    take_each(parts_[k].data() + part * one.of_matrix, one.of_matrix, totals.data(), two);
            });
            for (Integer r = 0; r < one.of_matrix; ++r)
                results[r] = static_cast<R>(totals[static_cast<std::size_t>(r)]);
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
