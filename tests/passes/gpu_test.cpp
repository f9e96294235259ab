#include "formula/formula.hpp"
#include "ir/interpreter.hpp"
#include "lower/gpu/lowering.hpp"
#include "passes/pipeline.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace swirl::passes {
namespace gpu_test {

using namespace formula;

struct Case {
    Integer n;
    const char* tree;
    loops::LaunchConfiguration configuration;
};

ir::Program lowered(const Case& c) {
    const Formula formula = kron({I(3), rules::expand(DFT(c.n), rules::parse_tree(c.tree))});
    return lower::lower_to_gpu({.name = "kernel",
                                .loops = {.formula = formula,
                                          .scalar = DataType::float32,
                                          .input = loops::Layout::contiguous(3 * c.n),
                                          .output = loops::Layout::contiguous(3 * c.n)}},
                               {c.configuration})
        .front();
}

std::vector<double> results(const ir::Program& program, Integer entries) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    ir::Arguments arguments(program);
    for (Integer i = 0; i < 2 * entries; ++i) arguments[0].set(i, uniform(generator));
    ir::interpret(program, arguments);
    std::vector<double> values;
    for (Integer i = 0; i < 2 * entries; ++i) values.push_back(static_cast<double>(arguments[1][i]));
    return values;
}

const Case cases[] = {
    {64, "stockham(8,8)", {16, 2}},
    {256, "stockham(16,16)", {32, 2, 32}},
    {1024, "stockham(16,8,8)", {64, 1, 32}},
    {60, "stockham(10,6)", {6, 1}},
};

TEST(GpuPasses, KeepResultsAndMeetingsOfThreads) {
    for (const Case& c : cases) {
        const ir::Program before = lowered(c);
        const std::vector<double> expected = results(before, 3 * c.n);
        run_for_gpu(before, [&](const Pass& pass, const ir::Program& program) {
            const std::vector<double> found = results(program, 3 * c.n);
            double difference = 0, norm = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                difference += std::pow(found[i] - expected[i], 2);
                norm += std::pow(expected[i], 2);
            }
            EXPECT_LT(std::sqrt(difference / norm), 1e-6) << c.tree << " after " << pass.name;
        });
    }
}

TEST(GpuPasses, LeaveNoMoreOperationsThanLoweringMade) {
    for (const Case& c : cases) {
        const ir::Program before = lowered(c);
        const ir::Program after = run_for_gpu(before);
        const auto flops = [&](const ir::Program& program) {
            ir::Arguments arguments(program);
            for (Integer i = 0; i < 6 * c.n; ++i) arguments[0].set(i, 1);
            return ir::Interpreter(program).run(arguments).flops;
        };
        EXPECT_LE(flops(after), flops(before)) << c.tree;
    }
}

} // namespace gpu_test
} // namespace swirl::passes
