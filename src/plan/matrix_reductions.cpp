#include "plan/matrix_reductions.hpp"

#include "base/error.hpp"
#include "plan/expression_evaluation.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/matrix_values.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace swirl::planning {

namespace {

/// Block size for elements in memory: a multiple of the elements evaluated at once.
constexpr Integer usual_rows = 4 * evaluation_block, usual_columns = 256;

/// Number of independent partial sums of neighbouring elements, so that the loop vectorises.
constexpr std::size_t apart = 8;

double identity_of(Reduce operation) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return operation == Reduce::sum ? 0 : operation == Reduce::maximum ? -infinity : infinity;
}

struct Sum {
    double operator()(double a, double b) const { return a + b; }
};
/// NaN if either is; the next one too.
struct Maximum {
    double operator()(double a, double b) const { return a < b || b != b ? b : a; }
};
struct Minimum {
    double operator()(double a, double b) const { return b < a || b != b ? b : a; }
};

/// Calls f with the binary operation as a type, so that loops over it are compiled for it.
template <class F> void with_operation(Reduce operation, F&& f) {
    switch (operation) {
    case Reduce::sum: return f(Sum());
    case Reduce::maximum: return f(Maximum());
    case Reduce::minimum: return f(Minimum());
    }
}

/// Combines elements with totals: one total per element, or a few totals in rotation.
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

/// Calls f with a value of the type of elements in memory.
template <class F> void with_elements(DataType data_type, F&& f) {
    switch (data_type) {
    case DataType::int32:
    case DataType::float32: return f(float{});
    case DataType::float64: return f(double{});
    case DataType::complex64: return f(std::complex<float>{});
    case DataType::complex128: return f(std::complex<double>{});
    default: throw InternalError("reductions of {}", name_of(data_type));
    }
}

} // namespace

MatrixReductions::MatrixReductions(const MatrixProduct& product) : first_result_(arrays_of(product).size()) {
    const bool is_transposed = wants_transposition(product);
    for (const Reduction& reduction : product.reductions) {
        Over over = reduction.over;
        if (is_transposed && over != Over::all) over = over == Over::rows ? Over::columns : Over::rows;
        all_.push_back({LoweredExpression(product, scope_of(product, reduction), reduction.of),
                        reduction.operation, over, results_of_matrix(product, reduction.over)});
    }
}

PartialReductions::PartialReductions(const MatrixProduct& canonical, const ReductionCall& call,
                                     const ReductionGrid& grid)
    : product_(canonical), call_(call), grid_(grid) {
    for (const MatrixReductions::One& one : call.reductions->all())
        partials_.emplace_back(static_cast<std::size_t>(one.of_matrix * partials_of_result(one.over)),
                               identity_of(one.operation));
}

Integer PartialReductions::partials_of_result(Over over) const {
    switch (over) {
    case Over::columns: return grid_.column_blocks();
    case Over::rows: return grid_.row_blocks();
    case Over::all: return grid_.count();
    }
    return 0;
}

double* PartialReductions::partials(std::size_t k, Integer block) {
    const MatrixReductions::One& one = call_.reductions->all()[k];
    const Integer row = block / grid_.column_blocks(), column = block % grid_.column_blocks();
    Integer offset = block;
    if (one.over == Over::columns) offset = column * one.of_matrix + row * grid_.block_rows;
    if (one.over == Over::rows) offset = row * one.of_matrix + column * grid_.block_columns;
    return partials_[k].data() + offset;
}

template <class R, class T, class Two>
void PartialReductions::take_one(std::size_t k, Integer block, const T* c, Integer row_stride,
                                 Integer column_stride, Two&& two) {
    const MatrixReductions::One& one = call_.reductions->all()[k];
    const Integer first_row = block / grid_.column_blocks() * grid_.block_rows;
    const Integer first_column = block % grid_.column_blocks() * grid_.block_columns;
    const Integer rows = std::min(grid_.block_rows, grid_.rows - first_row);
    const Integer columns = std::min(grid_.block_columns, grid_.columns - first_column);
    ExpressionEvaluation<R> evaluation(
        {&one.expression, call_.arrays, call_.matrix, first_row, first_column});
    double* const to = partials(k, block);
    for (Integer column = 0; column < columns; ++column) {
        std::array<double, apart> totals;
        totals.fill(identity_of(one.operation));
        for (Integer row = 0; row < rows; row += evaluation_block) {
            const Integer count = std::min(evaluation_block, rows - row);
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

void PartialReductions::take(Integer block, const void* c, Integer row_stride, Integer column_stride) {
    with_elements(product_.data_type, [&](auto example) {
        using T = decltype(example);
        for (std::size_t k = 0; k < partials_.size(); ++k)
            with_operation(call_.reductions->all()[k].operation, [&](auto two) {
                take_one<typename RealPart<T>::type>(k, block, static_cast<const T*>(c), row_stride,
                                                     column_stride, two);
            });
    });
}

void PartialReductions::finish() {
    with_elements(product_.data_type, [&](auto example) {
        using R = typename RealPart<decltype(example)>::type;
        for (std::size_t k = 0; k < partials_.size(); ++k) {
            const MatrixReductions::One& one = call_.reductions->all()[k];
            const void* const array = call_.arrays[call_.reductions->first_result() + k];
            R* const results = static_cast<R*>(const_cast<void*>(array)) + call_.matrix * one.of_matrix;
            std::vector<double> totals(static_cast<std::size_t>(one.of_matrix), identity_of(one.operation));
            with_operation(one.operation, [&](auto two) {
                for (Integer part = 0; part < partials_of_result(one.over); ++part)
                    take_each(partials_[k].data() + part * one.of_matrix, one.of_matrix, totals.data(), two);
            });
            for (Integer r = 0; r < one.of_matrix; ++r)
                results[r] = static_cast<R>(totals[static_cast<std::size_t>(r)]);
        }
    });
}

ReductionGrid usual_grid(const MatrixProduct& canonical) {
    return {canonical.rows, canonical.columns, usual_rows, usual_columns};
}

void reduce_matrix(const MatrixProduct& canonical, const ReductionCall& call, const void* c, int threads) {
    const ReductionGrid grid = usual_grid(canonical);
    PartialReductions partials(canonical, call, grid);
    const Integer bytes =
        bytes_of(canonical.data_type == DataType::int32 ? DataType::float32 : canonical.data_type);
    const auto take = [&](Integer block) {
        const Integer row = block / grid.column_blocks() * grid.block_rows;
        const Integer column = block % grid.column_blocks() * grid.block_columns;
        const Integer offset = row * canonical.c.row_stride + column * canonical.c.column_stride;
        partials.take(block, static_cast<const std::byte*>(c) + offset * bytes, canonical.c.row_stride,
                      canonical.c.column_stride);
    };
    const int members = static_cast<int>(std::min<Integer>(threads, grid.count()));
    if (members <= 1)
        for (Integer block = 0; block < grid.count(); ++block) take(block);
    else
        runtime::run_team(members, [&](const runtime::TeamMember& member) {
            for (Integer block = member.number(); block < grid.count(); block += member.size()) take(block);
        });
    partials.finish();
}

} // namespace swirl::planning
