// Passes that become one codelet of several factors, and the short vectors that vector loops begin with.

#include "formula/formula.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "loops/build.hpp"
#include "loops/merge_loops.hpp"
#include "lower/lower.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace swirl::lower {
namespace columns_test {

using namespace formula;

KernelRequest request_for(const Formula& formula, int lanes, bool complex) {
    return {.name = "kernel",
            .loops = {.formula = formula,
                      .complex = complex,
                      .input = Layout::contiguous(formula.columns()),
                      .output = Layout::contiguous(formula.rows()),
                      .lanes = lanes}};
}

/// Runs the kernel in the interpreter and returns the relative error against `apply`.
double error_of(const KernelRequest& request) {
    const ir::Program program = lower(request);
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Complex> x(static_cast<std::size_t>(request.loops.formula.columns()));
    ir::Arguments arguments(program);
    const std::size_t components = request.loops.complex ? 2 : 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = {uniform(generator), request.loops.complex ? uniform(generator) : 0};
        arguments[0].set(static_cast<Integer>(components * i), x[i].real());
        if (request.loops.complex) arguments[0].set(static_cast<Integer>(2 * i + 1), x[i].imag());
    }
    const auto expected = formula::apply(request.loops.formula, x);
    ir::interpret(program, arguments);
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto at = static_cast<Integer>(components * i);
        const Complex y{arguments[1][at], request.loops.complex ? arguments[1][at + 1] : 0};
        difference += std::norm(y - expected[i]);
        norm += std::norm(expected[i]);
    }
    return static_cast<double>(std::sqrt(difference / norm));
}

std::size_t temporaries_of(const LoopProgram& program) {
    std::size_t count = 0;
    for (const Array& array : program.arrays) count += array.role == Array::Role::temporary;
    return count;
}

/// (DFT_4 ⊗ I_c) · D · (F_2 ⊗ I_2 ⊗ I_c with the identities as one matrix) with twiddles between.
Formula columns_pass(Integer count) {
    const Formula first = kron(matrix(4, 4, {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, -1, 0, 0, 1, 0, -1}), I(count));
    const Formula between = T(4 * count, count);
    return pass(product({kron(DFT(4), I(count)), between, first}));
}

TEST(Columns, AreSeenWhereAllFactorsActOnThem) {
    const auto columns = columns_of(columns_pass(6));
    ASSERT_TRUE(columns.has_value());
    EXPECT_EQ(columns->count, 6);
    EXPECT_EQ(columns->factors.size(), 2U);
    EXPECT_EQ(column_loops(columns_pass(6), true).read, std::vector<Integer>{6});
    EXPECT_EQ(column_loops(columns_pass(6), true).written, std::vector<Integer>{6});
    EXPECT_TRUE(column_loops(columns_pass(6), false).read.empty()) << "its factors have loops of their own";
    const Formula broken_down = product({kron(DFT(2), I(2)), T(4, 2), kron(I(2), DFT(2)), L(4, 2)});
    EXPECT_TRUE(column_loops(pass(kron(broken_down, I(6))), false).read.empty());
    const ColumnLoops loops = column_loops(pass(kron(broken_down, I(6))), true);
    EXPECT_EQ(loops.read, (std::vector<Integer>{4, 6})) << "behind a permutation";
    EXPECT_EQ(loops.written, (std::vector<Integer>{2, 6}))
        << "the loop of DFT_2 ⊗ I_2, then that of the pass";
}

TEST(Columns, AreNotFoundAroundPermutations) {
    const Formula a = kron(DFT(4), I(6)), b = kron(DFT(6), I(4));
    EXPECT_FALSE(columns_of(product({a, a}))) << "no pass";
    EXPECT_FALSE(columns_of(pass(a))) << "one factor";
    EXPECT_FALSE(columns_of(pass(product({a, L(24, 4), a})))) << "a permutation between";
    EXPECT_FALSE(columns_of(pass(product({a, b})))) << "other counts";
}

TEST(Columns, AreFoundInSingleTransforms) {
    EXPECT_EQ(column_loops(pass(kron({DFT(4), I(3), I(5)})), true).read, (std::vector<Integer>{3, 5}));
    EXPECT_EQ(column_loops(pass(product({kron(DFT(4), I(5)), T(20, 5)})), true).read,
              std::vector<Integer>{5});
    EXPECT_EQ(column_loops(pass(DFT(4)), true).read, std::vector<Integer>{1});
    EXPECT_TRUE(column_loops(pass(kron(I(3), DFT(4))), true).read.empty());
}

TEST(Columns, BecomeOneCodeletWithoutTemporaries) {
    KernelRequest request = request_for(columns_pass(6), 4, true);
    EXPECT_EQ(temporaries_of(build(request.loops)), 0U);
    request.loops.merge_columns = false;
    EXPECT_EQ(temporaries_of(build(request.loops)), 1U);
}

TEST(Columns, ComputeWhatTheirFactorsDo) {
    for (const Integer count : {1, 5, 8, 19})
        for (const int lanes : {1, 4, 8})
            for (const bool merge : {true, false}) {
                KernelRequest request = request_for(columns_pass(count), lanes, true);
                request.loops.merge_columns = merge;
                EXPECT_LT(error_of(request), 1e-15) << count << " columns, " << lanes << " lanes";
            }
}

TEST(Columns, OfPairsOfRealsNeedNoCopies) {
    const auto tree = rules::parse_tree("rdft-stockham(8,4,6)");
    for (const Direction direction : {Direction::forward, Direction::backward}) {
        const KernelRequest request = request_for(rules::expand(RDFT(192, direction), tree), 8, false);
        EXPECT_EQ(temporaries_of(build(request.loops)), 2U) << "one between each two passes";
        EXPECT_LT(error_of(request), 1e-15);
    }
}

TEST(LeadingVectors, PrologueLanesUseTheirTwiddles) {
    // 31 complex columns beside those of the frequencies 0 and 32, with twiddles.
    const Formula formula = rules::expand(RDFT(1024), rules::parse_tree("rdft-stockham(64,16)"));
    const KernelRequest request = request_for(formula, 8, false);
    const std::string text = ir::to_string(lower(request));
    EXPECT_NE(text.find("= 0 to 6 vector"), std::string::npos);
    EXPECT_LT(error_of(request), 1e-15);
}

} // namespace columns_test
} // namespace swirl::lower
