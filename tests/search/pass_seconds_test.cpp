#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/cpu/gemm_cost.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"

#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"

#include <gtest/gtest.h>

namespace swirl::search {
namespace pass_seconds_test {

double sum_of(const std::vector<std::optional<double>>& passes) {
    double sum = 0;
    for (const std::optional<double>& pass : passes) sum += pass.value_or(-1e9);
    return sum;
}

TEST(PassSeconds, SumToTheEstimateOnGpus) {
    for (const char* text :
         {"dft 1024 batch=7", "dft 48 float32 batch=100", "rdft 4096", "dft 64x64 batch=10",
          "dft 2^20 float32", "dft 8x100x3", "convolution 4096 float32", "rconvolution 4096", "dct2 100",
          "dft 67 batch=3", "dft 1000 float32 batch=100000", "formula DFT(4) ⊗ I(8)"}) {
        const Transform problem = parse_transform(text);
        for (const target::Gpu* gpu : target::gpus()) {
            const Choice choice = estimate(problem, *gpu);
            EXPECT_EQ(choice.schedule, gpu_schedule(problem, *gpu)) << text;
            EXPECT_NEAR(sum_of(gpu_pass_seconds(problem, choice.schedule, *gpu)) / choice.estimated_seconds,
                        1, 1e-9)
                << text << " on " << gpu->name;
        }
    }
}

TEST(PassSeconds, SumToTheEstimateOnCpus) {
    for (const char* text : {"dft 1024", "dft 16x30 float32", "rdft 100", "dct2 64"}) {
        const Transform problem = parse_transform(text);
        const Choice choice = estimate(problem, target::avx2_cpu());
        EXPECT_NEAR(sum_of(pass_seconds(problem, choice.schedule, target::avx2_cpu())),
                    choice.estimated_seconds, 1e-12 + 1e-9 * choice.estimated_seconds);
    }
    const Transform problem = parse_transform("dft 8");
    EXPECT_EQ(pass_seconds(problem, planning::parse_schedule("avx2: 0 rader(8)", problem), target::avx2_cpu())
                  .at(0),
              std::nullopt);
}

TEST(TreeCycles, AreThoseOfTheCandidates) {
    for (const char* text : {"dft 1024", "dft 2016 float32 batch=3", "dft 48", "rdft 360",
                             "rdft 100 backward", "dft 65536 float32", "rdft 120000", "dft 90000"})
        for (const target::Cpu* cpu : {&target::avx2_cpu(), &target::avx512_cpu()}) {
            const Transform problem = parse_transform(text);
            const auto pass = planning::dimension_passes(problem).at(0);
            const DataType scalar = planning::arithmetic_of(problem.precision);
            int flat = 0;
            for (const Candidate& candidate : candidates(pass, *cpu, scalar)) {
                const auto cycles = tree_cycles(pass, candidate.tree, *cpu, scalar, fitted_machine_model(),
                                                constants_for(*cpu));
                if (!cycles) continue;
                EXPECT_NEAR(*cycles / candidate.cycles, 1, 1e-9)
                    << text << " " << rules::to_string(candidate.tree) << " on " << cpu->name;
                ++flat;
            }
            EXPECT_GT(flat, 1) << text;
        }
}

TEST(CycleConstants, ChargeLargeRadicesForSpillsWhereRegistersAreFew) {
    const auto pass = planning::dimension_passes(parse_transform("dft 2048 float32")).at(0);
    const auto ratio = [&](const target::Cpu& cpu) {
        const auto cycles = [&](const char* tree) {
            return tree_cycles(pass, rules::parse_tree(tree), cpu, DataType::float32, fitted_machine_model(),
                               constants_for(cpu))
                .value();
        };
        return cycles("stockham(64,32)") / cycles("stockham(16,16,8)");
    };
    EXPECT_GT(ratio(target::avx2_cpu()), 1);
    EXPECT_LT(ratio(target::avx512_cpu()), 1);
}

TEST(GemmSeconds, GrowWithTheWorkAndShrinkWithThreads) {
    const auto seconds = [](const char* text, int threads) {
        const MatrixProduct product = parse_matrix_product(text);
        const planning::Schedule schedule =
            choose_schedule(product, &target::host_cpu(), {.use_wisdom = false});
        return gemm_seconds(product, schedule, fitted_machine_model(), threads);
    };
    EXPECT_LT(seconds("gemm 64x64x64", 1), seconds("gemm 128x64x64", 1));
    EXPECT_LT(seconds("gemm 600x600x600", 1), seconds("gemm 600x600x1200", 1));
    EXPECT_LT(seconds("gemm 600x600x600", 4), seconds("gemm 600x600x600", 1));
    EXPECT_LT(seconds("gemm 100x100x100", 1), seconds("gemm 100x100x100 complex128", 1));
}

} // namespace pass_seconds_test
} // namespace swirl::search
