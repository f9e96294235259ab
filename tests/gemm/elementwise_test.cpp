#include "gemm/cpu/elementwise.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace swirl::gemm::test {
namespace elementwise_test {

constexpr DataType types[] = {DataType::float32, DataType::float64, DataType::complex64,
                              DataType::complex128};

struct Extents {
    Integer rows, columns;
};
constexpr Extents extents[] = {{1, 1}, {8, 3}, {11, 5}, {5, 2}};

/// x + e0, whose operand has an element for each row.
Epilogue plus_operand() {
    using Op = loops::Pointwise::Op;
    return {.nodes = {{.op = Op::x}, {.op = Op::array}, {.op = Op::add, .operands = {0, 1}}},
            .operands = {{.row_stride = 2}}};
}

/// Bounds of a kernel for these extents and this column stride.
ElementwiseKernel bounded(ElementwiseKernel kernel, const Extents& size, Integer stride) {
    kernel.max_rows = size.rows;
    kernel.max_columns = size.columns;
    kernel.max_stride = stride;
    kernel.rest = static_cast<int>(size.rows % rows_at_once(kernel));
    kernel.has_rest_only =
        size.rows < rows_at_once(kernel) && size.columns % 2 == 1; // may have either kernel
    return kernel;
}

std::vector<std::int64_t> parameters_of(const ElementwiseKernel& kernel, const Extents& size, Integer stride,
                                        Integer result_stride) {
    return {size.rows - kernel.rest, size.columns - size.columns % kernel.columns_at_once, size.columns,
            stride, result_stride};
}

long double operand_at(const ir::Arguments& arguments, const ElementwiseKernel& kernel, Integer row) {
    return kernel.expression.is_identity() ? 0
                                           : const_cast<ir::Arguments&>(arguments)["auxiliary_0"][2 * row];
}

void expect_stored(const ElementwiseKernel& wanted, const Extents& size) {
    const auto& stored = std::get<StoredElements>(wanted.result);
    const Integer stride = std::max(std::abs(wanted.row_stride), std::abs(stored.row_stride)) * size.rows + 1;
    const ElementwiseKernel kernel = bounded(wanted, size, stride);
    const ir::Program program = elementwise(kernel);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(1);
    for (const char* const name : {"elements", "results", "beta", "auxiliary_0"})
        if (!(name == std::string("elements") && stored.beta == BetaTerm::clears_x) && // which is not read
            std::any_of(program.buffers.begin(), program.buffers.end(),
                        [&](const ir::BufferInfo& buffer) { return buffer.name == name; }))
            fill(arguments[name], random);
    ir::Memory& elements = arguments["elements"];
    ir::Memory& results = has_results(kernel) ? arguments["results"] : elements;
    const ir::Memory before = elements, c = results;
    arguments.parameters = parameters_of(kernel, size, stride, stride);
    if (!has_results(kernel)) arguments.parameters.pop_back();
    ir::interpret(program, arguments);
    const auto x = [&](Integer i, Integer j) -> Complex {
        if (stored.beta == BetaTerm::clears_x) return 0;
        const Complex element = element_at(before, kernel.data_type, i * kernel.row_stride + j * stride);
        return stored.beta == BetaTerm::scales_x
                   ? element_at(arguments["beta"], kernel.data_type, 0) * element
                   : element;
    };
    const Complex beta =
        stored.beta == BetaTerm::adds_c ? element_at(arguments["beta"], kernel.data_type, 0) : 0;
    for (Integer j = 0; j < size.columns; ++j)
        for (Integer i = 0; i < size.rows; ++i) {
            const Integer at = i * stored.row_stride + j * stride;
            Complex expected = x(i, j) + operand_at(arguments, kernel, i);
            if (beta != Complex(0)) expected += beta * element_at(c, kernel.data_type, at);
            EXPECT_LE(std::abs(element_at(results, kernel.data_type, at) - expected), 1e-6L)
                << i << ", " << j << " of " << size.rows << " by " << size.columns << ", " << kernel.lanes
                << " lanes";
        }
}

TEST(Elementwise, StoresExpressionsInPlaceAndElsewhere) {
    for (const DataType type : types)
        for (const int lanes : {1, 2, 4})
            for (const Extents& size : extents)
                for (const Integer stride : {1, 3, -2})
                    for (const bool has_expression : {false, true}) {
                        ElementwiseKernel kernel{.data_type = type, .row_stride = stride, .lanes = lanes};
                        if (has_expression) kernel.expression = plus_operand();
                        kernel.result =
                            StoredElements{.type = type, .row_stride = stride, .is_in_place = true};
                        expect_stored(kernel, size);
                        for (const BetaTerm beta : {BetaTerm::scales_x, BetaTerm::clears_x}) {
                            std::get<StoredElements>(kernel.result).beta = beta;
                            expect_stored(kernel, size);
                        }
                        kernel.row_stride = 1;
                        kernel.result = StoredElements{.type = type, .row_stride = stride};
                        expect_stored(kernel, size);
                        kernel.result =
                            StoredElements{.type = type, .row_stride = stride, .beta = BetaTerm::adds_c};
                        expect_stored(kernel, size);
                    }
}

void expect_reduced(const ElementwiseKernel& wanted, const Extents& size) {
    const auto& reduced = std::get<ReducedElements>(wanted.result);
    const Integer stride = wanted.row_stride * size.rows + 1;
    const ElementwiseKernel kernel = bounded(wanted, size, stride);
    const ir::Program program = elementwise(kernel);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(2);
    ir::Memory &elements = arguments["elements"], &results = arguments["results"];
    fill(elements, random);
    fill(results, random);
    if (!kernel.expression.is_identity()) fill(arguments["auxiliary_0"], random);
    const Integer count = reduced.over == Over::columns ? size.rows
                          : reduced.over == Over::rows  ? size.columns
                                                        : 1;
    std::vector<long double> expected;
    for (Integer k = 0; k < count; ++k) expected.push_back(results[k]);
    for (Integer j = 0; j < size.columns; ++j)
        for (Integer i = 0; i < size.rows; ++i) {
            const long double value =
                elements[i * kernel.row_stride + j * stride] + operand_at(arguments, kernel, i);
            long double& total = expected[static_cast<std::size_t>(reduced.over == Over::columns ? i
                                                                   : reduced.over == Over::rows  ? j
                                                                                                 : 0)];
            total = reduced.operation == Reduce::sum       ? total + value
                    : reduced.operation == Reduce::maximum ? std::max(total, value)
                                                           : std::min(total, value);
        }
    arguments.parameters = parameters_of(kernel, size, stride, 0);
    arguments.parameters.pop_back();
    ir::interpret(program, arguments);
    for (Integer k = 0; k < count; ++k)
        EXPECT_NEAR(static_cast<double>(results[k]),
                    static_cast<double>(expected[static_cast<std::size_t>(k)]), 1e-12)
            << k << " of " << size.rows << " by " << size.columns;
}

TEST(Elementwise, ReducesInEveryDirection) {
    for (const DataType type : {DataType::float32, DataType::float64})
        for (const int lanes : {1, 2, 4, 8})
            for (const int columns_at_once : {1, 2, 4})
                for (const Extents& size : extents)
                    for (const Reduce operation : {Reduce::sum, Reduce::maximum, Reduce::minimum})
                        for (const Over over : {Over::columns, Over::rows, Over::all})
                            for (const bool has_expression : {false, true}) {
                                ElementwiseKernel kernel{.data_type = type,
                                                         .row_stride = has_expression ? 2 : 1,
                                                         .result = ReducedElements{operation, over},
                                                         .lanes = lanes,
                                                         .columns_at_once = columns_at_once};
                                if (has_expression) kernel.expression = plus_operand();
                                expect_reduced(kernel, size);
                            }
}

/// All classes of values: the interpreter's result is the nearest integer, ties to even, or 0 for NaN.
TEST(Elementwise, ConvertsToIntegersWithAndWithoutFma) {
    const float values[] = {0.5F,
                            1.5F,
                            -0.5F,
                            -1.5F,
                            127.5F,
                            126.5F,
                            300,
                            -300,
                            0.3F,
                            1,
                            -1,
                            0.49803922F,
                            std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            0x1p-140F};
    struct Case {
        DataType type;
        long double least, greatest, scale;
    };
    constexpr Case cases[] = {
        {DataType::int8, -128, 127, 1},       {DataType::uint8, 0, 255, 1},
        {DataType::unorm8, 0, 255, 255},      {DataType::snorm8, -127, 127, 127},
        {DataType::unorm16, 0, 65535, 65535}, {DataType::snorm16, -32767, 32767, 32767}};
    for (const Case& each : cases)
        for (const bool has_fma : {true, false})
            for (const int lanes : {1, 4}) {
                const Extents size{static_cast<Integer>(std::size(values)), 1};
                const ElementwiseKernel kernel = bounded(
                    {.result = StoredElements{each.type, 1}, .lanes = lanes, .has_fma = has_fma}, size, 1);
                ir::Arguments arguments(elementwise(kernel));
                for (Integer i = 0; i < size.rows; ++i)
                    arguments["elements"].set(i, values[static_cast<std::size_t>(i)]);
                arguments.parameters = parameters_of(kernel, size, 1, 1);
                ir::interpret(elementwise(kernel), arguments);
                for (Integer i = 0; i < size.rows; ++i) {
                    const long double x = values[static_cast<std::size_t>(i)];
                    const long double expected =
                        std::isnan(x)
                            ? 0
                            : std::nearbyintl(std::clamp(x * each.scale, each.least, each.greatest));
                    EXPECT_EQ(arguments["results"][i], expected) << static_cast<double>(x);
                }
            }
}

} // namespace elementwise_test
} // namespace swirl::gemm::test
