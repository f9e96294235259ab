#include "plan/gemm/cpu/host_reduction.hpp"

#include "base/error.hpp"
#include "gemm/cpu/elementwise.hpp"
#include "plan/expression_evaluation.hpp"
#include "plan/gemm/values.hpp"
#include "problem/data_type.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace swirl::planning {

namespace {

/// Independent partial sums of neighbouring elements, so that the loop vectorises.
constexpr auto partial_count = static_cast<std::size_t>(gemm::partials_in_column);

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
void take_in_rotation(const R* values, Integer count, std::array<double, partial_count>& totals, Two&& two) {
    constexpr auto block = static_cast<Integer>(partial_count);
    Integer at = 0;
    for (; at + block <= count; at += block) take_each(values + at, block, totals.data(), two);
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

template <class R, class T, class Two>
void reduce(const ExpressionCall& call, Over over, double identity, const HostElements& c, double* to,
            Two&& two) {
    ExpressionEvaluation<R> evaluation(call);
    const T* const elements = static_cast<const T*>(c.first);
    for (Integer column = 0; column < c.columns; ++column) {
        std::array<double, partial_count> totals;
        totals.fill(identity);
        for (Integer row = 0; row < c.rows; row += evaluation_block) {
            const Integer count = std::min(evaluation_block, c.rows - row);
            const Values<R>& values = evaluation.evaluate(
                elements + row * c.row_stride + column * c.column_stride, c.row_stride, row, column, count);
            if (over == Over::columns)
                take_each(values.re.data(), count, to + row, two);
            else
                take_in_rotation(values.re.data(), count, totals, two);
        }
        if (over != Over::columns)
            for (const double total : totals) {
                double& result = to[over == Over::rows ? column : 0];
                result = two(result, total);
            }
    }
}

} // namespace

double identity_of(Reduce operation) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return operation == Reduce::sum ? 0 : operation == Reduce::maximum ? -infinity : infinity;
}

void reduce_on_host(const ExpressionCall& call, Reduce operation, Over over, const HostElements& c,
                    double* to) {
    with_elements(c.data_type, [&](auto example) {
        using T = decltype(example);
        with_operation(operation, [&](auto two) {
            reduce<typename RealPart<T>::type, T>(call, over, identity_of(operation), c, to, two);
        });
    });
}

void combine_on_host(Reduce operation, const double* partials, Integer results, Integer partials_of_result,
                     DataType data_type, void* to) {
    std::vector<double> totals(static_cast<std::size_t>(results), identity_of(operation));
    with_operation(operation, [&](auto two) {
        for (Integer p = 0; p < partials_of_result; ++p)
            take_each(partials + p * results, results, totals.data(), two);
    });
    with_elements(data_type, [&](auto example) {
        using R = typename RealPart<decltype(example)>::type;
        std::transform(totals.begin(), totals.end(), static_cast<R*>(to),
                       [](double total) { return static_cast<R>(total); });
    });
}

} // namespace swirl::planning
