#include "lower/lower.hpp"
#include "formula/formula.hpp"
#include "ir/analysis.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "loops/passes.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace swirl::lower {
namespace lower_test {

using namespace formula;

std::vector<Complex> random_vector(Integer n, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Complex> x(static_cast<std::size_t>(n));
    for (Complex& value : x) value = {uniform(generator), uniform(generator)};
    return x;
}

/// Runs the lowered kernel in the interpreter and returns the relative error against `apply`.
double error_of(const KernelRequest& request, unsigned seed = 1) {
    const ir::Program program = lower(request);
    const auto x = random_vector(request.loops.formula.columns(), seed);
    const auto expected = formula::apply(request.loops.formula, x);
    const auto offset_of = [](const Layout& layout, Integer i) {
        Integer at = 0;
        for (std::size_t q = layout.lengths.size(); q-- > 0; i /= layout.lengths[q])
            at += layout.strides[q] * (i % layout.lengths[q]);
        return at;
    };
    ir::Arguments arguments(program);
    auto& in = arguments[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Integer at = 2 * offset_of(request.loops.input, static_cast<Integer>(i));
        in.set(at, x[i].real());
        in.set(at + 1, x[i].imag());
    }
    ir::interpret(program, arguments);
    auto& out = request.loops.in_place ? arguments[0] : arguments[1];
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Integer at = 2 * offset_of(request.loops.output, static_cast<Integer>(i));
        const Complex y = {out[at], out[at + 1]};
        difference += std::norm(y - request.loops.scale * expected[i]);
        norm += std::norm(request.loops.scale * expected[i]);
    }
    return static_cast<double>(std::sqrt(difference / norm));
}

KernelRequest request_for(const Formula& formula, int lanes) {
    return {.name = "kernel",
            .loops = {.formula = formula,
                      .input = Layout::contiguous(formula.columns()),
                      .output = Layout::contiguous(formula.rows()),
                      .lanes = lanes}};
}

Formula expanded(Integer n, const std::string& tree, Direction direction = Direction::forward) {
    return rules::expand(DFT(n, direction), rules::parse_tree(tree));
}

TEST(Lowering, RunsEveryCodeletSize) {
    for (Integer n = 1; n <= 64; ++n) EXPECT_LT(error_of(request_for(n == 1 ? I(1) : DFT(n), 1)), 1e-15) << n;
}

TEST(Lowering, RunsBreakdownsOfEveryFamily) {
    const std::pair<Integer, const char*> cases[] = {
        {64, "stockham(8,8)"},
        {1000, "stockham(25,40)"},
        {1155, "stockham(33,35)"},
        {512, "stockham(8,8,8)"},
        {60, "cooley-tukey(4,15)"},
        {77, "good-thomas(7,11)"},
        {37, "rader"},
        {74, "stockham(37,2)[codelet, rader]"},
        {111, "stockham(3,37)[codelet, rader]"},
        {256, "four-step(16,16)"},
        {256, "six-step(16,16)"},
        {41, "bluestein(81)"},
        {53, "bluestein(128)[stockham(8,16)]"},
        {192, "two-sweep(16,4,8)[stockham(4,3), stockham(8,2)]"},
        {225, "two-sweep(15,5,3)"},
        {1024, "two-sweep(32,16,8)[stockham(8,4)]"},
    };
    for (const auto& [n, tree] : cases)
        for (int lanes : {1, 4, 8})
            EXPECT_LT(error_of(request_for(expanded(n, tree), lanes)), 2e-15)
                << n << " " << tree << " " << lanes;
}

TEST(Lowering, SplitsLargeTwiddleTables) {
    const auto request = request_for(expanded(16384, "two-sweep(128,16,8)[stockham(16,8)]"), 8);
    Integer largest = 0;
    for (const ir::BufferInfo& buffer : lower(request).buffers)
        if (buffer.space == ir::Space::table) largest = std::max(largest, buffer.elements);
    EXPECT_LE(largest, 2 * 16384 / 4);
    EXPECT_LT(error_of(request), 1e-15);
}

TEST(Lowering, KeepsTheVectorsOfATileBetweenItsSteps) {
    const Formula factors = expanded(64, "stockham(8,8)");
    const auto temporaries = [](const Formula& formula) {
        std::vector<Integer> elements;
        for (const Array& array : loops_for_cpu(request_for(formula, 8).loops).arrays)
            if (array.role == Array::Role::temporary) elements.push_back(array.elements);
        return elements;
    };
    EXPECT_EQ(temporaries(kron(I(10), factors)), std::vector<Integer>{64});
    EXPECT_EQ(temporaries(formula::tile(kron(I(10), factors))), std::vector<Integer>{640});
    EXPECT_LT(error_of(request_for(formula::tile(kron(I(10), factors)), 8)), 1e-15);
}

TEST(Lowering, RunsBatchesColumnsAndStrides) {
    for (const char* tree : {"codelet", "stockham(4,6)"})
        for (int lanes : {1, 8}) {
            const Formula f = expanded(24, tree);
            EXPECT_LT(error_of(request_for(kron(I(10), f), lanes)), 1e-15) << tree;
            EXPECT_LT(error_of(request_for(kron(f, I(21)), lanes)), 1e-15) << tree;
            EXPECT_LT(error_of(request_for(kron({I(3), f, I(5)}), lanes)), 1e-15) << tree;
            auto strided = request_for(kron({I(3), f, I(5)}), lanes);
            strided.loops.input = {{3, 24, 5}, {-400, 2, 60}};
            strided.loops.output = {{3, 24, 5}, {1, 17, 500}};
            EXPECT_LT(error_of(strided), 1e-15) << tree;
        }
}

TEST(Lowering, WorksInPlaceAndScales) {
    const std::pair<Integer, const char*> cases[] = {
        {24, "codelet"}, {24, "stockham(4,6)"}, {24, "cooley-tukey(4,6)"}, {37, "rader"}};
    for (const auto& [n, tree] : cases)
        for (int lanes : {1, 8}) {
            auto request = request_for(kron({I(3), expanded(n, tree), I(5)}), lanes);
            request.loops.in_place = true;
            request.loops.scale = 0.125;
            EXPECT_LT(error_of(request), 1e-15) << tree << " " << lanes;
        }
}

/// Of the loops at the top of a program that threads may share.
std::vector<Integer> shared_loops(const ir::Program& program) {
    std::vector<Integer> counts;
    for (const ir::Statement& statement : program.body)
        if (const auto* loop = std::get_if<ir::For>(&statement.node))
            if (loop->kind == ir::For::Kind::parallel) counts.push_back(loop->end.constant());
    return counts;
}

TEST(Lowering, MarksIndependentLoopsAtTheTopAsParallel) {
    EXPECT_EQ(shared_loops(lower(request_for(expanded(4096, "stockham(16,16,16)"), 8))).size(), 3U)
        << "a pass each";
    const Formula row = expanded(64, "stockham(8,8)");
    EXPECT_EQ(shared_loops(lower(request_for(kron(I(50), row), 8))), std::vector<Integer>{50}) << "the batch";
    EXPECT_EQ(shared_loops(lower(request_for(kron(row, I(80)), 8))), std::vector<Integer>{10})
        << "columns, a vector at a time";
    EXPECT_TRUE(shared_loops(lower(request_for(DFT(8), 8))).empty());
}

TEST(Lowering, SeparatesTemporariesOfIterationsAndLoops) {
    const auto count = [](const Formula& f, bool per_iteration) {
        int found = 0;
        for (const ir::BufferInfo& buffer : lower(request_for(f, 8)).buffers)
            found += buffer.space == ir::Space::scratch && (buffer.nest_depth > 0) == per_iteration;
        return found;
    };
    const Formula row = expanded(64, "stockham(8,8)");
    EXPECT_EQ(count(row, true), 0);
    EXPECT_EQ(count(row, false), 2) << "real and imaginary parts";
    EXPECT_EQ(count(kron(I(50), row), true), 2);
    EXPECT_EQ(count(kron(I(50), row), false), 0);
    // Too large for the array of results to hold it near a core, too small to exceed the core's own caches.
    const Formula plane = product({kron(row, I(128)), kron(I(64), expanded(128, "stockham(16,8)"))});
    EXPECT_EQ(count(plane, true), 2) << "one at a time";
    EXPECT_EQ(count(plane, false), 2) << "between rows and columns";
    EXPECT_LT(error_of(request_for(plane, 8)), 1e-15);
}

TEST(Lowering, NeverUnrollsLongLoopsAroundRaggedVectors) {
    const ir::Program program = lower(request_for(kron({I(3000), DFT(2), I(5)}), 8));
    ir::for_each_loop(program, [](const ir::For& loop) {
        if (loop.kind == ir::For::Kind::unrolled) {
            EXPECT_LE(loop.end.constant(), 100);
        }
    });
}

bool has_vectors(const ir::Program& program) {
    bool found = false;
    ir::for_each_operation(program, [&](ir::Value value) { found = found || program[value].type.lanes > 1; });
    return found;
}

TEST(LoweringToPairs, ComputesCodeletsAndPassesOfSmallTransforms) {
    for (const int lanes : {4, 8, 16}) {
        for (Integer n = 2; n <= 32; ++n) {
            std::vector<std::string> trees{"codelet"};
            for (Integer m = 2; m < n; ++m)
                if (n % m == 0) trees.push_back(fmt::format("stockham({},{})", m, n / m));
            if (n == 24)
                trees.insert(trees.end(), {"stockham(2,3,4)", "cooley-tukey(4,6)", "good-thomas(3,8)"});
            for (const std::string& tree : trees)
                for (const Direction direction : {Direction::forward, Direction::backward}) {
                    auto request = request_for(
                        tree == "codelet" ? DFT(n, direction) : expanded(n, tree, direction), lanes);
                    request.loops.pairs = true;
                    request.loops.scalar = lanes == 4 ? DataType::float64 : DataType::float32;
                    EXPECT_LT(error_of(request), lanes == 4 ? 2e-15 : 1e-6)
                        << n << " " << tree << " " << lanes;
                }
        }
        auto request = request_for(expanded(16, "stockham(4,4)"), lanes);
        request.loops.pairs = true;
        EXPECT_TRUE(has_vectors(lower(request))) << lanes;
    }
}

TEST(LoweringToPairs, WorksInPlaceScalesAndFollowsStrides) {
    for (const int lanes : {4, 8})
        for (const char* tree : {"stockham(4,3)", "stockham(3,4)"}) {
            auto request = request_for(kron({expanded(12, tree), I(2)}), lanes);
            request.loops.pairs = true;
            request.loops.in_place = true;
            request.loops.scale = 0.25;
            EXPECT_LT(error_of(request), 1e-15) << tree;
            request.loops.in_place = false;
            request.loops.input = {{12, 2}, {5, 70}};
            request.loops.output = {{12, 2}, {-3, 40}};
            EXPECT_LT(error_of(request), 1e-15) << tree;
        }
}

TEST(LoweringToPairs, KeepsLoopsAroundAllOfAKernel) {
    for (const int lanes : {4, 8, 16})
        for (const char* tree : {"stockham(4,4)", "stockham(8,2)"}) {
            auto request = request_for(kron({I(5), expanded(16, tree)}), lanes);
            request.loops.pairs = true;
            request.loops.scalar = lanes == 4 ? DataType::float64 : DataType::float32;
            EXPECT_LT(error_of(request), lanes == 4 ? 2e-15 : 1e-6) << tree << lanes;
            const ir::Program program = lower(request);
            EXPECT_TRUE(has_vectors(program)) << tree << lanes;
            ASSERT_EQ(program.body.size(), 1U);
            EXPECT_TRUE(std::holds_alternative<ir::For>(program.body[0].node)) << tree << lanes;
        }
}

TEST(LoweringToPairs, AppliesToSmallComplexKernels) {
    auto large = request_for(expanded(4096, "stockham(64,64)"), 8);
    large.loops.pairs = true;
    EXPECT_FALSE(has_vectors(lower(large)));
    auto plain = request_for(expanded(16, "stockham(4,4)"), 8);
    plain.loops.pairs = true;
    plain.multiplication = Multiplication::plain;
    EXPECT_THROW(lower(plain), InternalError) << "their products are fused";
}

} // namespace lower_test
} // namespace swirl::lower
