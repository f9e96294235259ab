#include "sass/score.hpp"

#include "sass/fixture.hpp"
#include "sass/issue.hpp"

#include <gtest/gtest.h>

namespace swirl::sass {
namespace score_test {

Instruction multiply_add(int d, int a, int b, int c, unsigned reuse = 0) {
    Instruction result;
    result.opcode = 0x223;
    result.d = d;
    result.a = a;
    result.b = b;
    result.c = c;
    result.control.reuse = reuse;
    return result;
}

double cycles_of_each(const Code& body) {
    return static_cast<double>(issue_of_loop(body).cycles()) / static_cast<double>(body.size());
}

/// What was measured on an H100 of loops of multiply-adds with operands in banks of even and odd registers, over and over.
TEST(IssueModel, SaysWhatWasMeasured) {
    const auto rotating = [](std::vector<std::array<int, 3>> parities, unsigned reuse = 0,
                             bool same_a = false) {
        Code body;
        for (int k = 0; k < 12; ++k) {
            const std::array<int, 3>& parity = parities[static_cast<std::size_t>(k) % parities.size()];
            const int a = same_a ? 200 + parity[0] : 6 * k + parity[0];
            body.push_back(multiply_add(255, a, 6 * k + 2 + parity[1], 6 * k + 4 + parity[2], reuse));
        }
        return cycles_of_each(body);
    };
    EXPECT_DOUBLE_EQ(rotating({{0, 0, 0}}), 3);
    EXPECT_DOUBLE_EQ(rotating({{0, 0, 1}}), 2);
    EXPECT_DOUBLE_EQ(rotating({{0, 1, 0}, {1, 0, 1}}), 1.5);
    EXPECT_DOUBLE_EQ(rotating({{0, 0, 1}}, 1, true), 1);
    EXPECT_DOUBLE_EQ(rotating({{0, 0, 1}}, 0, true), 2);
    EXPECT_DOUBLE_EQ(rotating({{0, 0, 0}}, 1, true), 2);
}

TEST(IssueModel, KeepsOneRegisterOfEachBank) {
    Code body;
    for (int k = 0; k < 8; ++k) body.push_back(multiply_add(255, 10 + k % 2, 20 + k / 2 % 2, 100 + k, 3));
    const IssueModel kept = issue_of_loop(body);
    EXPECT_EQ(kept.hits(), 16);
    EXPECT_EQ(kept.reads(), 8);
    EXPECT_EQ(kept.cycles(), 8);
    for (Instruction& instruction : body) instruction.a = 10 + 2 * (instruction.a % 2);
    EXPECT_EQ(issue_of_loop(body).hits(), 8);
}

TEST(IssueModel, CountsLoadsOfSeveralRegistersAsThree) {
    Instruction load;
    load.opcode = 0x984;
    load.d = 8;
    load.a = 4;
    for (const auto& [size, cycles] : {std::pair{4U, 1}, {5U, 3}, {6U, 3}}) {
        load.rest.set_bits(73, 3, size);
        EXPECT_EQ(IssueModel().issue(load), cycles);
    }
}

TEST(Score, OfACompiledProduct) {
    const Cubin cubin(bytes_of_text(fixture_text("product.cubin")));
    const KernelScore kernel = score(cubin, cubin.kernel("gemm"));
    EXPECT_EQ(kernel.name, "gemm");
    EXPECT_EQ(kernel.registers, 52);
    EXPECT_EQ(kernel.spills, 0);
    EXPECT_EQ(kernel.unknown, 0);
    ASSERT_TRUE(kernel.loop);
    const LoopScore& loop = *kernel.loop;
    EXPECT_EQ(loop.multiply_adds, 8 * 4 * 4);
    EXPECT_EQ(loop.counts[static_cast<std::size_t>(Kind::multiply_add)], 8 * 4 * 4);
    EXPECT_EQ(loop.counts[static_cast<std::size_t>(Kind::shared_load)], 8 * 2);
    EXPECT_EQ(loop.counts[static_cast<std::size_t>(Kind::barrier)], 1);
    EXPECT_EQ(loop.instructions, static_cast<long long>(loop.span.size()));
    EXPECT_GT(loop.fma_fraction(), 0.5);
    EXPECT_LT(loop.peak_fraction(), loop.fma_fraction());
    EXPECT_GE(loop.single_warp_cycles, loop.instructions);
    EXPECT_GE(loop.issue_cycles, loop.instructions + 2 * 16);
}

TEST(Score, CountsSpilledRegisters) {
    const Cubin cubin(bytes_of_text(fixture_text("spilled.cubin")));
    const KernelScore kernel = score(cubin, cubin.kernel("gemm"));
    EXPECT_EQ(kernel.registers, 32);
    EXPECT_EQ(kernel.spills, 56);
    ASSERT_TRUE(kernel.loop);
    EXPECT_EQ(kernel.loop->spills(), 38);
}

TEST(Score, FindsTheInnermostLoopWithTheMostProducts) {
    const auto branch = [](std::int64_t distance) {
        Instruction result;
        result.opcode = 0x947;
        set_distance(result, distance);
        return result;
    };
    const Instruction product = multiply_add(1, 2, 3, 1);
    const Code code = {product, product,    branch(-2), product,   product,
                       product, branch(-3), branch(-8), branch(-1)};
    EXPECT_EQ(loops(code).size(), 4U);
    EXPECT_EQ(main_loop(code), (LoopSpan{4, 6}));
    EXPECT_EQ(main_loop({branch(-1)}), std::nullopt);
    Instruction of_tensor_cores;
    of_tensor_cores.opcode = 0x23f;
    const Code tiles = {of_tensor_cores, branch(-2), product, product, branch(-3)};
    EXPECT_EQ(main_loop(tiles), (LoopSpan{0, 1}));
}

TEST(Score, NamesAllKinds) {
    for (int kind = 0; kind < kinds; ++kind) EXPECT_FALSE(name_of(static_cast<Kind>(kind)).empty());
    for (const Opcode& opcode : opcodes()) EXPECT_LT(opcode.base, 0x200);
}

} // namespace score_test
} // namespace swirl::sass
