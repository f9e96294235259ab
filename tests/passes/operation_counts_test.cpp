// Real operations of the straight-line DFTs, after the passes, against those of genfft's codelets.

#include "ir/analysis.hpp"
#include "lower/lower.hpp"
#include "passes/pipeline.hpp"

#include <gtest/gtest.h>

namespace swirl::passes {
namespace operation_counts_test {

using namespace ir;

struct Counts {
    int additions = 0;
    int multiplications = 0;
    int fused = 0;
    int negations = 0;
    int total() const { return additions + multiplications + fused + negations; }
};

Counts counts_of_dft(Integer n, const target::Cpu& cpu, lower::Multiplication multiplication) {
    const Program program = run_for_cpu(lower::lower({.name = "dft",
                                                      .loops = {.formula = formula::DFT(n),
                                                                .input = loops::Layout::contiguous(n),
                                                                .output = loops::Layout::contiguous(n)},
                                                      .multiplication = multiplication}),
                                        cpu);
    Counts counts;
    for_each_operation(program, [&](Value v) {
        switch (program[v].opcode) {
        case Opcode::add:
        case Opcode::subtract: ++counts.additions; break;
        case Opcode::multiply: ++counts.multiplications; break;
        case Opcode::negate: ++counts.negations; break;
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma: ++counts.fused; break;
        default: break;
        }
    });
    return counts;
}

/// Additions and multiplications of genfft's codelets without fused operations, as the second of the two variants in
/// each of FFTW 3.3.10's files dft/scalar/codelets/n1_*.c states them at its head. By the heads of the first variants,
/// with fused operations, these have as many operations as the second have additions, and no plain multiplication.
struct Codelet {
    Integer n;
    int additions;
    int multiplications;
};
constexpr Codelet genfft[] = {{2, 4, 0},     {3, 12, 4},     {4, 16, 0},    {5, 32, 12},   {6, 36, 8},
                              {7, 60, 36},   {8, 52, 4},     {9, 80, 40},   {10, 84, 24},  {11, 140, 100},
                              {12, 96, 16},  {13, 176, 68},  {14, 148, 72}, {15, 156, 56}, {16, 144, 24},
                              {20, 208, 48}, {25, 352, 184}, {32, 372, 84}, {64, 912, 248}};

TEST(OperationCounts, OfEveryCodeletAreAtMostGenffts) {
    for (const auto& [n, additions, multiplications] : genfft) {
        const Counts plain = counts_of_dft(n, target::sse2_cpu(), lower::Multiplication::plain);
        EXPECT_LE(plain.total(), additions + multiplications) << n;
        EXPECT_EQ(plain.fused, 0);
        const Counts fused = counts_of_dft(n, target::avx2_cpu(), lower::Multiplication::fused);
        EXPECT_LE(fused.total(), additions) << n;
        EXPECT_EQ(fused.multiplications, 0) << n;
    }
}

TEST(OperationCounts, PowersOfTwoNeedAtMostSplitRadixCounts) {
    for (Integer n = 2, log = 1; n <= 64; n *= 2, ++log)
        EXPECT_LE(counts_of_dft(n, target::sse2_cpu(), lower::Multiplication::plain).total(),
                  4 * n * log - 6 * n + 8)
            << n; // Yavne 1968; Duhamel and Hollmann 1984
}

TEST(OperationCounts, FmaCountsEqualAdditionCounts) {
    for (Integer n = 2; n <= 64; ++n)
        EXPECT_LE(counts_of_dft(n, target::avx2_cpu(), lower::Multiplication::fused).total(),
                  counts_of_dft(n, target::sse2_cpu(), lower::Multiplication::plain).additions)
            << n;
}

TEST(OperationCounts, AreReachedFromPlainRotationsToo) {
    for (const Integer n : {8, 16, 32, 64})
        EXPECT_EQ(counts_of_dft(n, target::avx2_cpu(), lower::Multiplication::plain).total(),
                  counts_of_dft(n, target::avx2_cpu(), lower::Multiplication::fused).total())
            << n;
}

} // namespace operation_counts_test
} // namespace swirl::passes
