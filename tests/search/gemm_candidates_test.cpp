#include "plan/gemm/cpu/plan.hpp"
#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/cpu/gemm.hpp"
#include "search/planner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::search {
namespace gemm_candidates_test {

MatrixProduct canonical(const std::string& text) {
    return planning::canonical(std::get<MatrixProduct>(parse_problem(text)));
}

gemm::CpuGemm best_of(const std::string& text, const target::Cpu& cpu) {
    const MatrixProduct product = canonical(text);
    return ranked_gemm_candidates(product, cpu, gemm::model_schedule(product.data_type, cpu))
        .front()
        .cpu_gemm();
}

/// A's columns lie in different pages, and the hardware follows few of them at once.
TEST(GemmCandidates, ThinProductsReadFewColumnsOfALargeOperandAtOnce) {
    constexpr Integer most_columns = 128;
    for (const char* text : {"gemm 2704x30x1312 float64", "gemm 878x22x1647 float64",
                             "gemm 1588x4x1740 float32", "gemm 1631x16x1347 float32"}) {
        const gemm::CpuGemm best = best_of(text, target::avx512_cpu());
        ASSERT_NE(best.unpacked(), nullptr) << text << ": " << to_string(best);
        EXPECT_LE(best.unpacked()->kc, most_columns) << text << ": " << to_string(best);
    }
}

/// C is most of the traffic, and its columns are contiguous.
TEST(GemmCandidates, OuterProductsWriteOneColumnAfterTheOther) {
    for (const char* text : {"gemm 2448x272x12 float64 a=rows", "gemm 2700x2184x12 float32 a=rows b=rows"}) {
        const gemm::CpuGemm best = best_of(text, target::avx512_cpu());
        ASSERT_NE(best.unpacked(), nullptr) << text << ": " << to_string(best);
        EXPECT_TRUE(!best.unpacked()->rows_outermost || best.unpacked()->tile.columns == 1)
            << text << ": " << to_string(best);
    }
}

/// C is then written once, and never read.
TEST(GemmCandidates, PackedBlocksHaveAllOfKWhereAPanelOfBStaysInTheNearestCache) {
    for (const char* text : {"gemm 580x580x580 float64", "gemm 1138x699x640 float64 a=rows"}) {
        const gemm::CpuGemm best = best_of(text, target::avx512_cpu());
        ASSERT_NE(best.blocked(), nullptr) << text << ": " << to_string(best);
        EXPECT_EQ(best.blocked()->kc, canonical(text).k) << text << ": " << to_string(best);
    }
    const gemm::CpuGemm best = best_of("gemm 1138x699x900 float64", target::avx512_cpu());
    ASSERT_NE(best.blocked(), nullptr) << to_string(best);
    EXPECT_LT(best.blocked()->kc, 900) << to_string(best);
    const MatrixProduct product = canonical("gemm 580x580x580 float64");
    gemm::BlockedGemm tuned = gemm::model_schedule(product.data_type, target::avx512_cpu());
    tuned.kc = 296;
    for (const planning::Schedule& one :
         gemm_candidates(product, target::avx512_cpu(), tuned, BlockOrigin::timing)) {
        const gemm::BlockedGemm* const blocks = one.cpu_gemm().blocked();
        EXPECT_TRUE(blocks == nullptr || blocks->kc == tuned.kc) << "as measured: " << to_string(one);
    }
}

TEST(GemmCandidates, SuitTheProductOnEveryCpu) {
    for (const target::Cpu* cpu : target::cpus()) {
        if (cpu->set == target::InstructionSet::portable || cpu->emitted_only) continue;
        for (const char* text : {"gemm 300x20x900 float64", "gemm 7x500x300 float32 b=rows",
                                 "gemm 90x1000x400 float64 a=rows b=rows", "gemm 500x6x700 complex64"}) {
            const MatrixProduct product = canonical(text);
            const auto all = gemm_candidates(product, *cpu, gemm::model_schedule(product.data_type, *cpu));
            EXPECT_GT(all.size(), 1U);
            for (const planning::Schedule& one : all)
                EXPECT_NO_THROW(gemm::require_suitable(one.cpu_gemm(), *cpu, product)) << to_string(one);
        }
    }
}

TEST(GemmCandidates, OfMoreThreadsHaveTheBlockOfKOfOne) {
    const target::Cpu& cpu = target::host_cpu();
    if (cpu.set == target::InstructionSet::portable) GTEST_SKIP() << "generated code cannot run here";
    const auto block_of = [&](const std::string& text, int threads) -> Integer {
        const MatrixProduct product = std::get<MatrixProduct>(parse_problem(text));
        const auto plan = make_plan<planning::MatrixPlan>(
            product, {.threads = threads, .check = false, .use_wisdom = false});
        const gemm::CpuGemm& schedule = plan->schedule().cpu_gemm();
        if (schedule.unpacked() != nullptr) return std::min(schedule.unpacked()->kc, product.k);
        if (schedule.blocked() != nullptr)
            return planning::kc_of_blocks(*schedule.blocked(), planning::canonical(product), cpu);
        return 0;
    };
    for (const char* text :
         {"gemm 1552x32x2544 float32 b=rows", "gemm 878x22x1647 float64", "gemm 80x68x1168 float64",
          "gemm 90x1000x400 float64 a=rows b=rows", "gemm 512x512x512 float32", "gemm 580x580x580 float64"})
        for (const int threads : {2, 16}) EXPECT_EQ(block_of(text, threads), block_of(text, 1)) << text;
}

} // namespace gemm_candidates_test
} // namespace swirl::search
