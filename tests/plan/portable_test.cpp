#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "problem/problem.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <sys/prctl.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>

namespace swirl::planning {
namespace portable_test {

using Value = std::complex<double>;
using Exact = std::complex<long double>;

/// A plan run once on random data.
struct Trial {
    Trial(const Transform& problem, const Plan& plan, unsigned seed = 1, void* workspace = nullptr) {
        ProblemData data(problem);
        data.fill(seed);
        before = values(problem, Side::input, data);
        workspace ? plan.execute(data.arguments(), workspace) : plan.execute(data.arguments());
        after = values(problem, Side::output, data);
    }

    /// All elements of a side in the order of its loops, batches first, the last dimension fastest.
    static std::vector<Value> values(const Transform& problem, Side side, const ProblemData& data) {
        const std::vector<Axis> loops = axes(problem, side);
        Integer count = 1;
        for (const Axis& axis : loops) count *= axis.length;
        std::vector<Value> result;
        for (Integer i = 0; i < count; ++i) {
            Integer offset = 0, rest = i;
            for (std::size_t k = loops.size(); k-- > 0; rest /= loops[k].length)
                offset += rest % loops[k].length * loops[k].stride;
            result.push_back(data.get(side, offset));
        }
        return result;
    }

    std::vector<Value> before;
    std::vector<Value> after;
};

/// Output at index `k` of transform `batch` of a DFT, by its definition.
Exact definition(const Transform& problem, const std::vector<Value>& x, Integer batch, Integer k) {
    const long double sign = problem.direction == Direction::forward ? -1 : 1;
    const Integer points = transform_size(problem);
    Exact sum = 0;
    for (Integer j = 0; j < points; ++j) {
        Integer row = j, column = k;
        long double turns = 0;
        for (std::size_t d = problem.dimensions.size(); d-- > 0;) {
            const Integer n = problem.dimensions[d].length;
            turns += static_cast<long double>(row % n * (column % n) % n) / static_cast<long double>(n);
            row /= n;
            column /= n;
        }
        const long double angle = sign * 2 * std::numbers::pi_v<long double> * turns;
        sum +=
            Exact(x[static_cast<std::size_t>(batch * points + j)]) * Exact(std::cos(angle), std::sin(angle));
    }
    return static_cast<long double>(problem.scale) * sum;
}

/// Relative error of up to 40 outputs of each transform.
double error_of(const Transform& problem, const Trial& run) {
    const Integer points = transform_size(problem), step = points / 40 + 1;
    long double difference = 0, norm = 0;
    for (Integer batch = 0; batch < batch_count(problem); ++batch)
        for (Integer k = 0; k < points; k += step) {
            const Exact expected = definition(problem, run.before, batch, k);
            difference +=
                std::norm(Exact(run.after[static_cast<std::size_t>(batch * points + k)]) - expected);
            norm += std::norm(expected);
        }
    return static_cast<double>(std::sqrt(difference / norm));
}

double tolerance(const Transform& problem) {
    const double epsilon = problem.precision == DataType::float32 ? 0x1p-24 : 0x1p-53;
    return 4 * epsilon * (1 + std::sqrt(std::log2(static_cast<double>(transform_size(problem)))));
}

std::shared_ptr<const Plan> portable_plan(const Transform& problem, const std::string& passes) {
    return Plan::build(problem, transform_schedule("portable: " + passes));
}

void expect_right(const std::string& text, const std::string& passes) {
    const Transform problem = parse_transform(text);
    const auto plan = portable_plan(problem, passes);
    EXPECT_LT(error_of(problem, Trial(problem, *plan)), tolerance(problem)) << text << " by " << passes;
}

TEST(PortablePlans, TransformEverySmallSizeInBothPrecisionsAndDirections) {
    for (int n = 1; n <= 64; ++n)
        for (const char* options : {"", " backward", " float32", " float32 backward"})
            expect_right(fmt::format("dft {}{}", n, options), "0 codelet");
}

TEST(PortablePlans, TransformLargeSizesWithAndWithoutABreakdown) {
    const std::pair<int, const char*> cases[] = {
        {100, "0 stockham(10,10)"},
        {111, "0 stockham(3,37)[codelet, rader]"},
        {256, "0 four-step(16,16)"},
        {1000, "0 stockham(10,10,10)"},
        {1000, "0 codelet"},
        {1009, "0 rader"},
        {1009, "0 bluestein(2048)[stockham(64,32), stockham(64,32)]"},
        {1155, "0 good-thomas(33,35)"},
        {1517, "0 codelet"}, // 37 · 41: no factor is built in
        {4096, "0 stockham(16,16,16)"},
        {4096, "0 cooley-tukey(64,64)"},
        {10007, "0 codelet"},
    };
    for (const auto& [n, passes] : cases)
        for (const char* options : {"", " float32 backward inplace"})
            expect_right(fmt::format("dft {}{}", n, options), passes);
}

TEST(PortablePlans, FollowBatchesStridesLayoutsAndScales) {
    for (const char* text : {"dft 12 batch=7", "dft 12 batch=7:1 strides=7", "dft 12 batch=3:200x5:20 in=1",
                             "dft 24 planar", "dft 24 planar inplace backward batch=3", "dft 5 batch=1000",
                             "dft 24 in=-3 out=2 scale=0.25", "dft 37 batch=9 scale=3 inplace",
                             "dft 30 batch=11 planar float32 inplace", "dft 1 batch=5 scale=2"})
        for (const char* passes : {"0 codelet", "0 stockham"}) {
            if (std::string(text).starts_with("dft 1 ") && std::string(passes) != "0 codelet") continue;
            if (std::string(text).starts_with("dft 37") && std::string(passes) != "0 codelet") continue;
            expect_right(text, passes);
        }
}

TEST(PortablePlans, TransformSeveralDimensions) {
    expect_right("dft 16x12", "0 row-column");
    expect_right("dft 37x6 planar backward", "0 row-column[rader]");
    expect_right("dft 5x6x7 inplace batch=3", "0 row-column");
    expect_right("dft 20x21 float32 out=(1,20)", "1 stockham(7,3); 0 stockham(5,4)");
}

/// Transforms of other kinds have no built-in codelets, or real ones: each kernel is checked against its definition
/// when it is built, and here against machine code.
TEST(PortablePlans, AgreeWithMachineCodeForEveryKind) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "no machine code can run here";
    const std::pair<const char*, const char*> cases[] = {
        {"wht 64", "0 codelet"},
        {"wht 16 batch=20 float32", "0 codelet"},
        {"rdft 16", "0 codelet"},
        {"rdft 15 backward", "0 codelet"},
        {"rdft 24 planar", "0 codelet"},
        {"rdft 24 planar backward", "0 codelet"},
        {"rdft 64", "0 rdft-half-size"},
        {"rdft 24 inplace batch=3", "0 codelet"},
        {"dct2 12 batch=3", "0 codelet"},
        {"dct3 9", "0 codelet"},
        {"dct4 8 inplace", "0 codelet"},
        {"dst2 16", "0 codelet"},
        {"dst3 10 scale=2", "0 codelet"},
        {"dst4 7 float32", "0 codelet"},
        {"dft 60 batch=5", "0 stockham(10,6)"},
    };
    for (const auto& [text, passes] : cases) {
        const Transform problem = parse_transform(text);
        const auto portable = portable_plan(problem, passes);
        const auto compiled = Plan::build(problem, transform_schedule(std::string("sse2: ") + passes));
        EXPECT_EQ(compiled->cpu().name, "sse2");
        const Trial a(problem, *portable), b(problem, *compiled);
        double difference = 0, norm = 0;
        for (std::size_t k = 0; k < a.after.size(); ++k) {
            difference += std::norm(a.after[k] - b.after[k]);
            norm += std::norm(b.after[k]);
        }
        const double epsilon = problem.precision == DataType::float32 ? 1e-6 : 1e-15;
        EXPECT_LT(std::sqrt(difference / norm), 4 * epsilon) << text;
    }
}

TEST(PortablePlans, SayWhatTheyAre) {
    const Transform problem = Transform::dft({64});
    const auto plan = portable_plan(problem, "0 stockham(8,8)");
    EXPECT_EQ(plan->cpu().name, "portable");
    const auto passes = plan->describe();
    ASSERT_EQ(passes.size(), 1u);
    EXPECT_EQ(passes[0].statistics.instructions, 0);
    EXPECT_EQ(passes[0].info.name, "dft_pass_1");
    // Two passes of eight DFT(8) of 56 operations (52 additions, 4 multiplications) and 64 twiddles, some of them 1.
    EXPECT_GE(plan->flops(), 2 * 8 * 56);
    EXPECT_LE(plan->flops(), 2 * 8 * 56 + 64 * 6);
    EXPECT_GE(plan->bytes(), 4 * 64 * 16);
    const std::string loops = loops::to_text(passes[0].loops);
    EXPECT_NE(
        loops.find("workspace_0[8·i0; 8·i0 + 1; …; 8·i0 + 7] = DFT(8) input[2·i0; 2·i0 + 16; …; 2·i0 + 112]"),
        std::string::npos)
        << loops;
    EXPECT_THROW(plan->listing(0), UserError);
}

TEST(PortablePlans, RunInTheCallersWorkspace) {
    const Transform problem = Transform::dft({1000});
    const auto plan = portable_plan(problem, "0 stockham(10,10,10)");
    const Trial expected(problem, *plan);
    ASSERT_GT(plan->workspace_bytes(), 0u);
    runtime::AlignedBuffer workspace(plan->workspace_bytes());
    std::memset(workspace.data(), 0xff, workspace.bytes()); // every scalar a NaN
    EXPECT_EQ(Trial(problem, *plan, 1, workspace.data()).after, expected.after);
}

/// Sets SWIRL_NO_JIT for its lifetime.
class WithoutMachineCode {
public:
    WithoutMachineCode() { setenv("SWIRL_NO_JIT", "1", 1); }
    ~WithoutMachineCode() { unsetenv("SWIRL_NO_JIT"); }
};

TEST(PortableFallback, ServesWhereMachineCodeIsSwitchedOff) {
    const WithoutMachineCode off;
    ASSERT_FALSE(runtime::ExecutableCode::is_available());
    const Transform problem = Transform::dft({60});
    const Schedule schedule = transform_schedule("avx512: 0 stockham(10,6)");
    const auto plan = Plan::build(problem, schedule);
    EXPECT_EQ(plan->cpu().name, "portable");
    EXPECT_EQ(plan->schedule(), schedule);
    EXPECT_LT(error_of(problem, Trial(problem, *plan)), tolerance(problem));
}

/// Exits with 0 when the kernel forbids memory to become executable and plans are right all the same; 77 when this
/// kernel cannot forbid it.
[[noreturn]] void run_where_nothing_becomes_executable() {
    constexpr int set_memory_deny_write_execute = 65; // PR_SET_MDWE, Linux 6.3
    constexpr unsigned long refuse_exec_gain = 1;
    if (prctl(set_memory_deny_write_execute, refuse_exec_gain, 0ul, 0ul, 0ul) != 0) std::_Exit(77);
    if (runtime::ExecutableCode::is_available()) std::_Exit(77);
    const Transform problem = Transform::dft({60});
    const auto plan = Plan::build(problem, transform_schedule("sse2: 0 stockham(10,6)"));
    const bool right = error_of(problem, Trial(problem, *plan)) < tolerance(problem);
    std::_Exit(right && plan->cpu().name == "portable" ? 0 : 1);
}

TEST(PortableFallbackDeathTest, ServesWhereTheSystemForbidsExecutableMemory) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    bool is_impossible = false;
    const auto is_right = [&](int status) {
        is_impossible = WIFEXITED(status) && WEXITSTATUS(status) == 77;
        return is_impossible || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
    };
    EXPECT_EXIT(run_where_nothing_becomes_executable(), is_right, "");
    if (is_impossible) GTEST_SKIP() << "this system cannot forbid executable memory";
}

} // namespace portable_test
} // namespace swirl::planning
