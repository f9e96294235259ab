#include "lower/gpu_lowering.hpp"
#include "formula/formula.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace swirl::lower {
namespace {

using namespace formula;

KernelRequest request_for(const Formula& formula, ir::Scalar scalar = ir::Scalar::float32) {
    return {.name = "kernel",
            .formula = formula,
            .scalar = scalar,
            .input = Layout::contiguous(formula.columns()),
            .output = Layout::contiguous(formula.rows())};
}

Formula batched(Integer batch, Integer n, const std::string& tree) {
    const Formula transform = rules::expand(DFT(n), rules::parse_tree(tree));
    return batch == 1 ? transform : kron({I(batch), transform});
}

struct Outcome {
    double error;
    ir::InterpreterReport report;
};

/// The kernel in the interpreter, which throws for races, barriers that not all threads reach, and accesses out of
/// bounds or of what nobody has written.
Outcome run(const KernelRequest& request, const GpuMapping& mapping) {
    const ir::Program program = lower_to_gpu(request, mapping);
    std::mt19937 generator(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<Complex> x(static_cast<std::size_t>(request.formula.columns()));
    ir::Arguments arguments(program);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = {uniform(generator), uniform(generator)};
        arguments[0].set(static_cast<Integer>(2 * i), x[i].real());
        arguments[0].set(static_cast<Integer>(2 * i + 1), x[i].imag());
    }
    ir::InterpreterReport report = ir::Interpreter(program).run(arguments);
    const auto expected = formula::apply(request.formula, x);
    const int out = request.in_place ? 0 : 1;
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto at = static_cast<Integer>(2 * i);
        difference += std::norm(Complex(arguments[out][at], arguments[out][at + 1]) - expected[i]);
        norm += std::norm(expected[i]);
    }
    return {static_cast<double>(std::sqrt(difference / norm)), std::move(report)};
}

TEST(LoweringToGpus, ComputesStockhamTransformsOfManyMappings) {
    struct Case {
        Integer batch, n;
        const char* tree;
        GpuMapping mapping;
    };
    const Case cases[] = {
        {1, 64, "stockham(8,8)", {8, 1}},
        {5, 64, "stockham(8,8)", {8, 2}},
        {8, 64, "stockham(8,8)", {4, 4}},
        {3, 64, "stockham(4,4,4)", {16, 2}},
        {2, 60, "stockham(10,6)", {6, 1}},
        {2, 60, "stockham(5,4,3)", {12, 2}},
        {2, 1024, "stockham(16,8,8)", {64, 1}},
        {4, 105, "stockham(7,5,3)", {15, 3}},
        {7, 16, "codelet", {1, 4}},
        {2, 256, "stockham(4,4,4,4)", {64, 4, 32}},
        {3, 128, "stockham(2,4,16)", {32, 1}},
    };
    for (const Case& c : cases) {
        EXPECT_LT(run(request_for(batched(c.batch, c.n, c.tree)), c.mapping).error, 1e-6) << c.n << c.tree;
        EXPECT_LT(run(request_for(batched(c.batch, c.n, c.tree), ir::Scalar::float64), c.mapping).error,
                  1e-15)
            << c.n << c.tree;
    }
}

TEST(LoweringToGpus, WorksInPlaceAndScales) {
    KernelRequest request = request_for(batched(3, 64, "stockham(8,8)"));
    request.in_place = true;
    EXPECT_LT(run(request, {8, 2}).error, 1e-6);
}

TEST(LoweringToGpus, ReadsAndWritesEachSectorOnceWhereThreadsAreNeighbours) {
    const Integer batch = 4, n = 1024;
    const Outcome result = run(request_for(batched(batch, n, "stockham(16,8,8)")), {64, 1});
    const Integer sectors = batch * n * 8 / 32;
    EXPECT_EQ(result.report.loads[0].sectors, sectors);
    EXPECT_EQ(result.report.stores[1].sectors, sectors);
    EXPECT_EQ(result.report.barriers, batch * 2);
}

TEST(LoweringToGpus, LeavesEntriesOutSoThatBanksDiffer) {
    const KernelRequest request = request_for(batched(2, 4096, "stockham(16,16,16)"));
    const Outcome plain = run(request, {256, 1}), padded = run(request, {256, 1, 32});
    EXPECT_LT(padded.error, 1e-6);
    EXPECT_LT(8 * padded.report.bank_conflict_cycles(), plain.report.bank_conflict_cycles());
    EXPECT_EQ(run(request_for(batched(2, 256, "stockham(16,16)")), {16, 1, 32}).report.bank_conflict_cycles(),
              0);
}

TEST(LoweringToGpus, GivesProgramsThatVerify) {
    const ir::Program program = lower_to_gpu(request_for(batched(6, 256, "stockham(16,16)")), {16, 4});
    EXPECT_EQ(program.launch, (ir::Launch{{2, 1, 1}, {16, 4, 1}}));
    ir::verify(program, ir::Stage::lowered);
}

} // namespace
} // namespace swirl::lower
