#include "codelet.hpp"
#include "passes/pipeline.hpp"
#include "run.hpp"

namespace swirl::jit::test {
namespace statistics_test {

CodeStatistics compiled(int n, const target::Cpu& cpu, DataType scalar) {
    const int lanes = target::lanes(cpu, scalar);
    const ir::Program program = passes::run_for_cpu(Codelet::columns(n, 4 * lanes, lanes, scalar), cpu);
    RunOptions options;
    options.print_on_failure = n < 32;
    if (target::host_can_run(cpu)) return expect_same(program, cpu, options);
    return compile(program, cpu).statistics;
}

TEST(Statistics, SmallCodeletsNeedNoSpills) {
    EXPECT_EQ(compiled(8, target::avx512_cpu(), DataType::float64).spills, 0);
    EXPECT_EQ(compiled(16, target::avx512_cpu(), DataType::float64).spills, 0);
    EXPECT_EQ(compiled(16, target::avx512_cpu(), DataType::float32).spills, 0);
    EXPECT_LE(compiled(8, target::avx2_cpu(), DataType::float64).spills, 4);
}

TEST(Statistics, SpillsOfLargeCodeletsAreNearTheMinimum) {
    // 64 complex values are 128 registers; a schedule by bisection writes and reads about each once beyond the 32.
    const CodeStatistics wide = compiled(64, target::avx512_cpu(), DataType::float64);
    EXPECT_GT(wide.spills, 40);
    EXPECT_LT(wide.spills, 180);
    const CodeStatistics narrow = compiled(64, target::avx2_cpu(), DataType::float64);
    EXPECT_LT(narrow.spills, 330);
    EXPECT_GT(narrow.reloads, wide.reloads);
}

TEST(Statistics, ConstantsAndLoadsAreFoldedIntoArithmetic) {
    EXPECT_GT(compiled(32, target::avx512_cpu(), DataType::float64).folded_loads, 10);
    EXPECT_GT(compiled(32, target::avx2_cpu(), DataType::float64).folded_loads, 10);
}

} // namespace statistics_test
} // namespace swirl::jit::test
