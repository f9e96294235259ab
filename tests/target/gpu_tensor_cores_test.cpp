#include "target/nvidia/tensor_cores.hpp"

#include "base/error.hpp"
#include "ir/builder.hpp"
#include "ir/count.hpp"
#include "ir/interpreter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace swirl::target {
namespace gpu_tensor_cores_test {

using ir::Value;

constexpr MmaShape shapes[] = {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}};

/// An element of a fragment, by the thread's number and the place in its vector, as NVIDIA's description of PTX gives it for each
/// shape ("Matrix Fragments for mma.m8n8k4 with .f64", "… for mma.m16n8k4, mma.m16n8k8 and mma.m16n8k16 with .f64").
struct Element {
    Integer row;
    Integer column;
};
Element of_a(Integer thread, Integer i) { return {thread / 4 + i % 2 * 8, i / 2 * 4 + thread % 4}; }
Element of_small_a(Integer thread) { return {thread / 4, thread % 4}; }
Element of_b(Integer thread, Integer i) { return {thread % 4 + i * 4, thread / 4}; }
Element of_c(Integer thread, Integer i) { return {thread / 4 + i / 2 * 8, thread % 4 * 2 + i % 2}; }

/// Two warps multiply matrices of their own: each thread loads its elements one by one.
ir::Program product(const MmaShape& shape, Integer threads = 64) {
    const Integer m = shape.rows, n = shape.columns, k = shape.k, warps = 2;
    ir::Builder b("product");
    b.launch({.blocks = {1, 1, 1}, .threads = {threads, 1, 1}});
    const auto a = b.input("a", DataType::float64, warps * m * k),
               x = b.input("b", DataType::float64, warps * k * n);
    const auto c = b.output("c", DataType::float64, warps * m * n);
    const Affine warp = b.thread(0, 32), g = b.thread(0, 4, 8), r = b.thread(0, 1, 4);
    const auto join = [&](const std::vector<Value>& lanes) {
        Value all = lanes.front();
        for (std::size_t l = 1; l < lanes.size(); ++l) {
            std::vector<std::int8_t> map;
            for (std::size_t i = 0; i <= l; ++i) map.push_back(static_cast<std::int8_t>(i));
            const std::vector<std::int8_t> first(l, 0);
            all = b.shuffle(all, l == 1 ? lanes[1] : b.shuffle(lanes[l], lanes[l], first), map);
        }
        return all;
    };
    std::vector<Value> of_the_a, of_the_b, of_the_c;
    for (Integer i = 0; i < m * k / 32; ++i) {
        const Element e = m == 8 ? of_small_a(0) : of_a(0, i);
        of_the_a.push_back(b.load(a, warp * (m * k) + (g + e.row) * k + r + e.column));
    }
    for (Integer i = 0; i < k * n / 32; ++i)
        of_the_b.push_back(b.load(x, warp * (k * n) + (r + of_b(0, i).row) * n + g));
    for (Integer i = 0; i < m * n / 32; ++i)
        of_the_c.push_back(b.load(c, warp * (m * n) + (g + of_c(0, i).row) * n + 2 * r + of_c(0, i).column));
    const Value sums = b.instruction(mma_float64(shape), {join(of_the_a), join(of_the_b), join(of_the_c)});
    for (Integer i = 0; i < m * n / 32; ++i)
        b.store(c, warp * (m * n) + (g + of_c(0, i).row) * n + 2 * r + of_c(0, i).column,
                b.shuffle(sums, sums, {static_cast<std::int8_t>(i)}));
    return b.finish();
}

TEST(WarpProducts, OfFloat64AreChainsOfFusedMultiplyAdds) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (const MmaShape& shape : shapes) {
        const ir::Program program = product(shape);
        ir::Arguments arguments(program);
        for (const char* name : {"a", "b", "c"})
            for (Integer i = 0; i < arguments[name].elements(); ++i) arguments[name].set(i, normal(random));
        const ir::Memory before = arguments["c"];
        const ir::InterpreterReport report = ir::interpret(program, arguments);
        const auto value = [](const ir::Memory& memory, Integer i) { return static_cast<double>(memory[i]); };
        const Integer m = shape.rows, n = shape.columns, k = shape.k;
        for (Integer warp = 0; warp < 2; ++warp)
            for (Integer i = 0; i < m; ++i)
                for (Integer j = 0; j < n; ++j) {
                    double sum = value(before, warp * m * n + i * n + j);
                    for (Integer p = 0; p < k; ++p)
                        sum = std::fma(value(arguments["a"], warp * m * k + i * k + p),
                                       value(arguments["b"], warp * k * n + p * n + j), sum);
                    ASSERT_EQ(value(arguments["c"], warp * m * n + i * n + j), sum)
                        << m << " x " << n << " x " << k;
                }
        EXPECT_EQ(report.flops, 2 * 2 * m * n * k);
        EXPECT_EQ(ir::count_operations(program).flops(), 2 * 2 * m * n * k);
        EXPECT_EQ(ir::count_operations(program).instructions, 64);
    }
    EXPECT_THROW(mma_float64({16, 16, 4}), InternalError);
}

/// By NVIDIA's description of PTX ("Matrix Fragments for mma.m16n8k16 with floating point type").
TEST(WarpProducts, OfHalfPrecisionHaveTheFragmentsOfTheManual) {
    constexpr int warp = 32, m = 16, n = 8, k_extent = 16;
    std::mt19937 random(3);
    std::uniform_int_distribution<int> uniform(-4, 4);
    std::array<std::array<long double, k_extent>, m> a{};
    std::array<std::array<long double, n>, k_extent> b{};
    std::array<std::array<long double, n>, m> c{};
    const auto fill = [&](auto& matrix) {
        for (auto& row : matrix)
            for (long double& element : row) element = uniform(random);
    };
    fill(a);
    fill(b);
    fill(c);
    for (const DataType operand_type : {DataType::bfloat16, DataType::float16}) {
        const ir::Instruction& instruction = mma_half_precision(operand_type);
        std::array<ir::Lanes, 3> lanes;
        for (int thread = 0; thread < warp; ++thread) {
            const auto g = static_cast<std::size_t>(thread / 4), r = static_cast<std::size_t>(thread % 4);
            for (std::size_t i = 0; i < 8; ++i) {
                const bool is_upper = i < 2 || (i >= 4 && i < 6);
                lanes[0].push_back(a[is_upper ? g : g + 8][r * 2 + (i & 1U) + (i < 4 ? 0 : 8)]);
            }
            for (std::size_t i = 0; i < 4; ++i) lanes[1].push_back(b[r * 2 + (i & 1U) + (i < 2 ? 0 : 8)][g]);
            for (std::size_t i = 0; i < 4; ++i) lanes[2].push_back(c[i < 2 ? g : g + 8][r * 2 + (i & 1U)]);
        }
        const ir::Lanes result = instruction.meaning(lanes);
        ASSERT_EQ(result.size(), lanes[2].size());
        for (std::size_t at = 0; at < result.size(); ++at) {
            const std::size_t g = at / 16, r = at / 4 % 4, i = at % 4;
            const std::size_t row = i < 2 ? g : g + 8, column = r * 2 + (i & 1U);
            long double sum = c[row][column];
            for (std::size_t k = 0; k < k_extent; ++k) sum += a[row][k] * b[k][column];
            EXPECT_EQ(result[at], sum) << at;
        }
        EXPECT_EQ(instruction.flops * warp, 2 * m * n * k_extent);
    }
    EXPECT_THROW(mma_half_precision(DataType::float32), InternalError);
}

TEST(WarpProducts, WantAllThreadsOfTheirWarps) {
    const auto report_of = [](ir::Program program) {
        ir::Arguments arguments(program);
        for (const char* name : {"a", "b", "c"})
            for (Integer i = 0; i < arguments[name].elements(); ++i) arguments[name].set(i, 1);
        return ir::interpret(program, arguments, {.throw_on_diagnostic = false});
    };
    const ir::InterpreterReport cut = report_of(product({8, 8, 4}, 48));
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.diagnostics[0].kind, ir::Diagnostic::Kind::incomplete_warp);
    EXPECT_EQ(cut.diagnostics[0].thread, (std::array<Integer, 3>{32, 0, 0}));
    EXPECT_EQ(cut.diagnostics[0].times, 16);
    EXPECT_NE(cut.text().find("instruction without all its threads: '%"), std::string::npos) << cut.text();

    for (const Integer under : {32, 40}) {
        ir::Builder b("divided");
        b.launch({.blocks = {1, 1, 1}, .threads = {64, 1, 1}});
        const auto y = b.output("y", DataType::float64, 128);
        b.if_then({{b.thread() - under, ir::Condition::Relation::negative}}, [&] {
            const Value one = b.constant({DataType::float64, 1}, 1);
            const Value sums = b.instruction(mma_float64({8, 8, 4}), {one, one, b.splat(one, 2)});
            b.store(y, 2 * b.thread(), sums, {.active = 1});
        });
        const ir::Program program = b.finish();
        ir::Arguments arguments(program);
        const ir::InterpreterReport report =
            ir::interpret(program, arguments, {.throw_on_diagnostic = false});
        EXPECT_EQ(report.ok(), under == 32) << report.text();
        EXPECT_EQ(arguments["y"][62], 5);
    }
}

} // namespace gpu_tensor_cores_test
} // namespace swirl::target
