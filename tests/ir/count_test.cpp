// Static counts against what the interpreter executes, and the kernel description computed from a program.

#include "ir/count.hpp"
#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/kernel_info.hpp"

#include "tiles_kernel.hpp"

#include <gtest/gtest.h>

namespace swirl::ir {
namespace count_test {

constexpr Type f32{DataType::float32, 1};

/// A GPU program whose loops and conditions depend on threads, blocks, outer loops, inductions and a parameter.
Program irregular() {
    Builder b("irregular");
    b.launch({.blocks = {3, 1, 1}, .threads = {4, 2, 1}});
    const Buffer x = b.input("x", DataType::float32, 64);
    const Buffer y = b.output("y", DataType::float32, 2048);
    const Buffer s = b.scratch("s", DataType::float32, 2048);
    const Affine n = b.parameter("n");
    const Affine t = b.thread(0) + 4 * b.thread(1) + 8 * b.block();
    const Value one = b.constant(f32, 1);
    b.for_loop("i", n, [&](const Affine& i) {
        const Affine p = b.induction("p", b.thread(0), 2);
        b.for_loop("j", i, n + 1, 2, For::Kind::serial,
                   [&](const Affine&) { b.store(y, 64 * t, b.fma(one, one, b.add(one, b.load(x, i)))); });
        b.for_loop("k", 3, [&](const Affine& k) {
            b.store(s, 64 * t + k, b.multiply(b.splat(one, 4), b.load(x, 0, {.lanes = 4})), {.active = 3});
        });
        b.if_then(
            {{p - 3, Condition::Relation::negative}}, [&] { b.store(y, 64 * t + 1, b.negate(one)); },
            [&] { b.store(y, 64 * t + 1, b.subtract(one, one)); });
        b.if_then({{b.block() - 1, Condition::Relation::zero}},
                  [&] { b.store(y, 64 * t + 2, b.multiply(one, one)); });
    });
    return b.finish();
}

TEST(Count, EqualsWhatTheInterpreterExecutes) {
    const Program program = irregular();
    for (const Integer n : {0, 1, 2, 5}) {
        Arguments arguments(program);
        arguments["x"].assign(std::vector<double>(64, 1.0));
        arguments.parameters = {n};
        InterpreterOptions options;
        options.throw_on_diagnostic = false;
        const InterpreterReport report = interpret(program, arguments, options);
        for (const Diagnostic& diagnostic : report.diagnostics)
            EXPECT_EQ(diagnostic.kind, Diagnostic::Kind::misaligned);
        const OperationCounts once = count_operations(program, {.parameters = arguments.parameters});
        EXPECT_EQ(once.additions, report.count(Opcode::add) + report.count(Opcode::subtract)) << n;
        EXPECT_EQ(once.multiplications, report.count(Opcode::multiply));
        EXPECT_EQ(once.fused, report.count(Opcode::fma));
        EXPECT_EQ(once.negations, report.count(Opcode::negate));
        EXPECT_EQ(once.splats, report.count(Opcode::splat));
        EXPECT_EQ(once.loads, report.count(Opcode::load));
        EXPECT_EQ(once.stores, report.count(Opcode::store));
        const OperationCounts by_lanes =
            count_operations(program, {.lanes = true, .parameters = arguments.parameters});
        EXPECT_EQ(by_lanes.flops(), report.flops);
        EXPECT_EQ(by_lanes.multiplications, report.lane_count(Opcode::multiply));
        const std::vector<TrafficCounts> traffic = count_traffic(program, arguments.parameters);
        for (std::size_t buffer = 0; buffer < traffic.size(); ++buffer) {
            EXPECT_EQ(traffic[buffer].loaded, report.loads[buffer].bytes);
            EXPECT_EQ(traffic[buffer].stored, report.stores[buffer].bytes);
        }
    }
    EXPECT_THROW(count_operations(program), InternalError) << "'n' has no value";
}

TEST(Count, FollowsLastValuesOfInductions) {
    Builder b("last");
    const Buffer y = b.output("y", DataType::float32, 16);
    const Value one = b.constant(f32, 1);
    b.for_loop("i", 4, [&](const Affine& i) {
        const Affine p = b.induction("p", 0, 1, {-2, 7});
        b.if_then({{p - 2, Condition::Relation::negative}}, [&] { b.store(y, i, b.add(one, one)); });
    });
    EXPECT_EQ(count_operations(b.finish()).additions, 3) << "0, 1, −2, but not 7";
}

/// Whose conditions depend on a block's index and on digits of a thread's: what each thread of each block does differs.
struct ManyThreads {
    Integer blocks, threads;

    bool first(Integer block, Integer thread) const {
        return thread - 256 < 0 && 4 * block + thread % 4 - 1 < 0;
    }
    bool second(Integer block, Integer thread) const {
        return 2 * block + thread % 2 + 36 * (thread / 2) < 1007;
    }
    bool third(Integer block, Integer thread) const { return 3 * block == 6 + 3 * thread; }
    Integer trips(Integer block, Integer thread) const { return thread / 64 < 3 ? 5 - block / 16 % 3 : 1; }

    Program program() const {
        Builder b("many_threads");
        b.launch({.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}});
        const Buffer y = b.output("y", DataType::float32, 1);
        const Value one = b.constant(f32, 1);
        const Affine block = b.block(), thread = b.thread();
        using enum Condition::Relation;
        b.if_then({{thread - 256, negative}, {4 * block + b.thread(0, 1, 4) - 1, negative}},
                  [&] { b.store(y, 0, b.add(one, one)); });
        b.if_then(
            {{2 * block + b.thread(0, 1, 2) + 36 * b.thread(0, 2) - 1007, nonnegative}}, [] {},
            [&] { b.store(y, 0, b.multiply(one, one)); });
        b.if_then({{3 * block - 3 * thread - 6, zero}}, [&] { b.store(y, 0, b.fma(one, one, one)); });
        b.if_then(
            {{b.thread(0, 64) - 3, negative}},
            [&] {
                b.for_loop("i", 5 - b.block(0, 16, 3), [&](const Affine&) { b.store(y, 0, b.negate(one)); });
            },
            [&] { b.store(y, 0, b.negate(one)); });
        return b.finish();
    }

    OperationCounts counts() const {
        OperationCounts sum;
        for (Integer block = 0; block < blocks; ++block)
            for (Integer thread = 0; thread < threads; ++thread) {
                sum.additions += first(block, thread);
                sum.multiplications += second(block, thread);
                sum.fused += third(block, thread);
                sum.negations += trips(block, thread);
            }
        sum.stores = sum.additions + sum.multiplications + sum.fused + sum.negations;
        return sum;
    }
};

TEST(Count, EqualsWhatEachThreadOfEachBlockDoes) {
    for (const ManyThreads& many : {ManyThreads{1, 1}, ManyThreads{7, 24}, ManyThreads{24, 7},
                                    ManyThreads{3, 1000}, ManyThreads{531, 512}, ManyThreads{5000, 33}})
        EXPECT_EQ(count_operations(many.program()), many.counts()) << many.blocks << "x" << many.threads;
}

TEST(Count, DoesNotVisitBlocksThatDoTheSame) {
    constexpr Integer blocks = Integer{1} << 40, threads = 512;
    Builder b("many_blocks");
    b.launch({.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}});
    const Buffer y = b.output("y", DataType::float32, 1);
    const Value one = b.constant(f32, 1);
    b.if_then({{b.block() + (blocks / 2) * b.thread(0, 1, 2) - blocks + 1, Condition::Relation::negative}},
              [&] { b.store(y, 0, b.add(one, one)); });
    EXPECT_EQ(count_operations(b.finish()).additions,
              threads / 2 * (blocks - 1) + threads / 2 * (blocks / 2 - 1));
}

TEST(Count, WithoutLoopsIsEachOperationOnce) {
    const OperationCounts counts = count_operations(irregular(), {.loops = false});
    OperationCounts expected;
    expected.additions = 2;
    expected.multiplications = 2;
    expected.fused = 1;
    expected.negations = 1;
    expected.splats = 1;
    expected.loads = 2;
    expected.stores = 5;
    EXPECT_EQ(counts, expected);
    EXPECT_EQ(counts.flops(), 6);
}

TEST(Count, DistinguishesOperationKinds) {
    static const Instruction swap{.name = "swap",
                                  .operands = {{DataType::float32, 2}},
                                  .result = {DataType::float32, 2},
                                  .lane_map = {1, 0}};
    static const Instruction root{.name = "root",
                                  .operands = {{DataType::float32, 2}},
                                  .result = {DataType::float32, 2},
                                  .meaning = [](std::span<const Lanes> a) { return a[0]; }};
    Builder b("kinds");
    const Buffer y = b.output("y", DataType::float32, 4);
    const Value v = b.splat(b.constant(f32, 2), 2);
    const Value mixed = b.instruction(root, {b.instruction(swap, {b.shuffle(v, v, {1, 2})})});
    b.store(y, 0, b.select(b.less(v, mixed), v, mixed));
    const Value i = b.add(b.index(3), b.index(4));
    b.atomic_add(y, 3, b.convert(i, DataType::float32));
    OperationCounts expected;
    expected.splats = 1;
    expected.shuffles = 2;
    expected.instructions = 1;
    expected.comparisons = 2;
    expected.integers = 3;
    expected.conversions = 1;
    expected.stores = 2;
    expected.additions = 1;
    EXPECT_EQ(count_operations(b.finish()), expected);
}

TEST(CountTiles, CountsWhatRolesDo) {
    const test::TilesKernel kernel{.blocks = 4, .cluster = 2};
    const Program program = kernel.program();
    const OperationCounts counts = count_operations(program);
    EXPECT_EQ(counts.flops(), 2 * (4 * 64) * 8 * 160);
    EXPECT_EQ(counts.instructions, 4 * 5 * 4 * 128); // blocks, steps, products, threads
    const std::vector<TrafficCounts> traffic = count_traffic(program);
    EXPECT_EQ(traffic[test::TilesKernel::a].loaded, 4 * 5 * 64 * 128);
    EXPECT_EQ(traffic[test::TilesKernel::b].loaded, 2 * 5 * 8 * 128);
    EXPECT_EQ(traffic[test::TilesKernel::b_tiles].stored, 4 * 5 * 8 * 128);
    EXPECT_EQ(traffic[test::TilesKernel::c].stored, 4 * 64 * 8 * 4);
}

TEST(KernelInfo, IsComputedFromTheProgram) {
    const Program program = irregular();
    const std::vector<Integer> parameters = {2};
    const KernelInfo info = describe(program, {4, 8}, 2, parameters);
    EXPECT_EQ(info.name, "irregular");
    EXPECT_EQ(info.factors, (std::vector<Integer>{4, 8}));
    EXPECT_EQ(info.transforms_per_block, 2);
    EXPECT_EQ(info.launch, program.launch);
    EXPECT_EQ(info.parameters, std::vector<std::string>{"n"});
    ASSERT_EQ(info.buffers.size(), 3U);
    EXPECT_EQ(info.buffers[0].bytes, 256);
    EXPECT_FALSE(info.buffers[0].written);
    EXPECT_EQ(info.workspace_bytes, 8192);
    EXPECT_EQ(info.shared_bytes, 0);
    EXPECT_EQ(info.flops, count_operations(program, {.lanes = true, .parameters = parameters}).flops());
    // i = 0: j = 0, 2; i = 1: j = 1; one scalar each, and three vectors of 4 for every i; 24 threads
    EXPECT_EQ(info.bytes_loaded, 24 * 4 * (3 + 2 * 3 * 4));
    EXPECT_EQ(to_string(info), R"(kernel irregular
  factors 4 8
  launch 3x1x1 blocks of 4x2x1 threads, 2 transforms a block
  argument x: 64 float32, 256 bytes
  argument y: 2048 float32, 8192 bytes, written
  scratch s: 2048 float32, 8192 bytes, written
  parameter n
)" + fmt::format("  {} flops, {} bytes loaded, {} bytes stored\n", info.flops, info.bytes_loaded,
                 info.bytes_stored));
}

} // namespace count_test
} // namespace swirl::ir
