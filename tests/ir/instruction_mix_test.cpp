#include "ir/instruction_mix.hpp"

#include "base/error.hpp"
#include "ir/builder.hpp"
#include "support/error_of.hpp"

#include "tiles_kernel.hpp"

#include <gtest/gtest.h>

namespace swirl::ir {
namespace instruction_mix_test {

constexpr Type f32{DataType::float32, 1};

/// 64 threads; 16 copy a vector in each of five iterations.
Program copying(bool has_inner_loop) {
    Builder b("copying");
    b.launch({.blocks = {4, 1, 1}, .threads = {64, 1, 1}});
    const Buffer x = b.input("x", DataType::float32, 64);
    const Buffer s = b.shared("s", DataType::float32, 256);
    const Buffer sums = b.local("sums", DataType::float32, 2);
    b.store(sums, 0, b.constant(f32, 0));
    b.for_loop("i", 5, [&](const Affine& i) {
        b.if_then({{b.thread(0) - 16, Condition::Relation::negative}}, [&] {
            b.store(s, 4 * b.thread(0), b.load(x, 4 * b.thread(0), {.lanes = 4}), {.asynchronous = true});
        });
        b.commit_async_group();
        b.wait_async_group(0);
        b.barrier();
        const Value pair = b.load(s, 0, {.lanes = 2});
        const Value two = b.shuffle(pair, pair, {1});
        const Value one = b.load(s, 2);
        const Value sum = b.fma(two, one, b.load(sums, 0));
        const Value element_index = b.add(b.index(i), b.constant({DataType::int64, 1}, 1));
        b.store(sums, 0, b.add(sum, b.load(x, 0, {.dynamic = element_index})));
        if (has_inner_loop) b.for_loop("j", 2, [&](const Affine&) { b.barrier(); });
    });
    return b.finish();
}

TEST(InstructionMix, CountsIssuesOfABlockPerIteration) {
    const InstructionMix mix = instruction_mix_of_loop(copying(false), "i");
    EXPECT_EQ(mix.threads, 64);
    EXPECT_EQ(mix.fused, 64);
    EXPECT_EQ(mix.other_floating, 64);
    EXPECT_EQ(mix.copies, (std::map<Integer, Integer>{{16, 16}}));
    EXPECT_EQ(mix.shared_loads, (std::map<Integer, Integer>{{4, 64}, {8, 64}}));
    EXPECT_EQ(mix.integers, 128);
    EXPECT_EQ(mix.other_accesses, 64); // x alone: a copy includes its load
    EXPECT_EQ(mix.conditions, 64);
    EXPECT_EQ(mix.barriers, 64);
    EXPECT_EQ(mix.fences, 128);
    EXPECT_EQ(mix.instructions(), 64 * (1 + 1 + 2 + 2 + 1 + 1 + 1 + 2 + InstructionMix::of_the_loop) + 16);
}

TEST(InstructionMix, IsOfTheRoleThatHasTheLoop) {
    Builder b("roles");
    b.launch({.blocks = {4, 1, 1}, .threads = {384, 1, 1}, .cluster = 2});
    const Buffer signal = b.shared("signal", DataType::int64, 1);
    const Buffer sums = b.local("sums", DataType::float32, 4);
    const Buffer tiles = b.add(test::TilesKernel::shared("tiles", DataType::float32, 4096));
    b.roles({{"waits", 0, 128, 0, {}}, {"multiplies", 128, 256, 0, {}}}, [&](std::size_t role) {
        if (role == 0) return;
        b.for_loop("i", 5, [&](const Affine&) {
            b.wgmma(test::small_product, sums, 0, {{.buffer = tiles}, {}}, {{.buffer = tiles}, {}});
            b.mbarrier_arrive({.buffer = signal});
        });
    });
    const InstructionMix mix = instruction_mix_of_loop(b.finish(), "i");
    EXPECT_EQ(mix.threads, 512);
    EXPECT_EQ(mix.mma_instructions, 512);
    EXPECT_EQ(mix.mma_multiply_adds, 4 * 64 * 8 * 8);
    EXPECT_EQ(mix.other_accesses, 512);
}

TEST(InstructionMix, IsOfAKernelWithoutALoop) {
    Builder b("straight");
    b.launch({.blocks = {3, 1, 1}, .threads = {32, 1, 1}});
    const Buffer x = b.local("x", DataType::float32, 8), y = b.shared("y", DataType::float32, 8);
    const Value four = b.load(y, 0, {.lanes = 4});
    b.store(x, 4, b.fma(four, four, four));
    const Program program = b.finish();
    EXPECT_FALSE(has_loop(program, "i"));
    EXPECT_TRUE(has_loop(copying(false), "i"));
    const InstructionMix mix = instruction_mix_of_kernel(program, {});
    EXPECT_EQ(mix.threads, 32);
    EXPECT_EQ(mix.fused, 4 * 32);
    EXPECT_EQ(mix.shared_loads, (std::map<Integer, Integer>{{16, 32}}));
    EXPECT_EQ(mix.instructions(), 5 * 32);
}

TEST(InstructionMix, SaysWhichLoopItLacks) {
    EXPECT_NE(error_of<InternalError>([] {
                  instruction_mix_of_loop(copying(false), "k");
              }).find("no loop over 'k'"),
              std::string::npos);
    EXPECT_NE(
        error_of<InternalError>([] { instruction_mix_of_loop(copying(true), "i"); }).find("a loop inside"),
        std::string::npos);
}

} // namespace instruction_mix_test
} // namespace swirl::ir
