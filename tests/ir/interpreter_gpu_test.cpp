// Blocks, threads, barriers, shared memory and atomics: what is computed, what is found, and what is counted.

#include "interpreter_run.hpp"
#include "ir/builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace swirl::ir::test {
namespace interpreter_gpu_test {

constexpr Type f32{DataType::float32, 1};

constexpr Integer tile = 32;
enum class Synchronization { barrier, none, divergent };

/// y = xᵀ for 64 × 64 elements, by 32 × 32 tiles through shared memory with rows of `pitch`.
Program transposition(DataType scalar, Integer pitch,
                      Synchronization synchronization = Synchronization::barrier) {
    constexpr Integer n = 2 * tile;
    Builder b("transpose");
    b.launch({.blocks = {2, 2, 1}, .threads = {tile, tile, 1}});
    const Buffer x = b.input("x", scalar, n * n);
    const Buffer y = b.output("y", scalar, n * n);
    const Buffer between = b.shared("between", scalar, tile * pitch);
    const Affine column = b.thread(0);
    const Affine row = b.thread(1);
    const Affine origin_in = tile * n * b.block(1) + tile * b.block(0);
    const Affine origin_out = tile * n * b.block(0) + tile * b.block(1);
    b.store(between, pitch * row + column, b.load(x, origin_in + n * row + column));
    if (synchronization == Synchronization::barrier) b.barrier();
    if (synchronization == Synchronization::divergent)
        b.if_then(
            {{column - tile / 2, Condition::Relation::negative}}, [&] { b.barrier(); }, [&] { b.barrier(); });
    b.store(y, origin_out + n * row + column, b.load(between, pitch * column + row));
    return b.finish();
}

TEST(InterpreterOnGpu, TransposesThroughSharedMemory) {
    const Program program = transposition(DataType::float32, tile);
    Arguments arguments(program);
    constexpr Integer n = 2 * tile;
    for (Integer i = 0; i < n * n; ++i) arguments["x"].set(i, static_cast<long double>(i));
    const InterpreterReport report = run(program, arguments);
    EXPECT_TRUE(report.ok()) << report.text();
    for (Integer i = 0; i < n; ++i)
        for (Integer j = 0; j < n; ++j) ASSERT_EQ(arguments["y"][i * n + j], j * n + i);
    EXPECT_EQ(report.barriers, 4);
    EXPECT_EQ(report.count(Opcode::load), 2 * n * n);
}

TEST(InterpreterCounts, BankConflictsOfUnpaddedAndPaddedTiles) {
    constexpr Integer warps = 4 * tile; // four blocks, one warp a row
    const InterpreterReport unpadded = run_on_ramp(transposition(DataType::float32, tile));
    EXPECT_EQ(unpadded.loads[2].accesses, warps);
    EXPECT_EQ(unpadded.loads[2].extra_cycles, 31 * warps);
    EXPECT_EQ(unpadded.stores[2].extra_cycles, 0);
    EXPECT_EQ(unpadded.bank_conflict_cycles(), 31 * warps);
    const InterpreterReport padded = run_on_ramp(transposition(DataType::float32, tile + 1));
    EXPECT_TRUE(padded.ok());
    EXPECT_EQ(padded.bank_conflict_cycles(), 0);
}

TEST(InterpreterCounts, EightByteAccessesConflictWithinHalfWarps) {
    constexpr Integer warps = 4 * tile;
    EXPECT_EQ(run_on_ramp(transposition(DataType::float64, tile)).bank_conflict_cycles(), 2 * 15 * warps);
    EXPECT_EQ(run_on_ramp(transposition(DataType::float64, tile + 1)).bank_conflict_cycles(), 0);
}

/// One warp writes shared memory at stride·thread (or reads one element, stride 0) and copies x to y at strides.
InterpreterReport one_warp(DataType scalar, Integer shared_stride, Integer global_stride,
                           const Access& access = {}, Integer offset = 0, Integer threads = 32) {
    Builder b("warp");
    b.launch({.blocks = {1, 1, 1}, .threads = {threads, 1, 1}});
    BufferInfo aligned;
    aligned.name = "x";
    aligned.role.argument = ArgumentRole::input;
    aligned.element = scalar;
    aligned.elements = 32 * global_stride + 64 * access.lanes + offset;
    aligned.alignment = 16;
    const Buffer x = b.add(aligned);
    const Buffer s = b.shared("s", scalar, 32 * std::max<Integer>(shared_stride, 1) + 64 * access.lanes);
    const Affine t = b.thread();
    const Value v = b.load(x, global_stride * t + offset, access);
    if (shared_stride > 0) {
        b.store(s, shared_stride * t, v, access);
    } else {
        b.if_then({{t, Condition::Relation::zero}}, [&] { b.store(s, 0, v, access); });
        b.barrier();
        b.load(s, 0, access);
    }
    return run_on_ramp(b.finish());
}

TEST(InterpreterGpu, DigitsDecomposeTheThreadIndex) {
    Builder b("digits");
    const Buffer y = b.output("y", DataType::float32, 2 * 48);
    b.launch({{2, 1, 1}, {48, 1, 1}});
    const Affine low = b.thread(0, 1, 4), middle = b.thread(0, 4, 3), high = b.thread(0, 12);
    EXPECT_EQ(b.thread(0, 4, 3), middle) << "the same digit is one variable";
    // Digits in another order: y[block][low][middle][high] = 100 low + 10 middle + high.
    const Affine element_index = 48 * b.block() + 12 * low + 4 * middle + high;
    b.store(y, element_index, b.convert(b.index(100 * low + 10 * middle + high), DataType::float32));
    const Program program = b.finish();
    Arguments arguments(program);
    interpret(program, arguments);
    for (Integer block = 0; block < 2; ++block)
        for (Integer t = 0; t < 48; ++t) {
            const Integer l = t % 4, m = t / 4 % 3, h = t / 12;
            EXPECT_EQ(static_cast<Integer>(arguments[0][48 * block + 12 * l + 4 * m + h]),
                      100 * l + 10 * m + h);
        }
}

TEST(InterpreterCounts, BankConflictsByStrideWidthAndBroadcast) {
    const auto conflicts = [](DataType scalar, Integer stride, int lanes = 1) {
        const InterpreterReport report = one_warp(scalar, stride, lanes, {.lanes = lanes});
        EXPECT_TRUE(report.ok()) << report.text();
        return report.bank_conflict_cycles();
    };
    EXPECT_EQ(conflicts(DataType::float32, 1), 0);
    EXPECT_EQ(conflicts(DataType::float32, 2), 1);
    EXPECT_EQ(conflicts(DataType::float32, 8), 7);
    EXPECT_EQ(conflicts(DataType::float32, 17), 0) << "odd strides reach all banks";
    EXPECT_EQ(conflicts(DataType::float32, 32), 31);
    EXPECT_EQ(conflicts(DataType::float32, 0), 0) << "one word for all threads";
    EXPECT_EQ(conflicts(DataType::float16, 1), 0) << "two threads a word";
    EXPECT_EQ(conflicts(DataType::float64, 1), 0);
    EXPECT_EQ(conflicts(DataType::float64, 2), 2) << "one more cycle for each half-warp";
    EXPECT_EQ(conflicts(DataType::float32, 4, 4), 0) << "16 bytes a thread, in quarter-warps";
    EXPECT_EQ(conflicts(DataType::float32, 8, 4), 4);
    EXPECT_EQ(conflicts(DataType::float64, 4, 4), 2 * 4) << "32 bytes a thread are two accesses of stride 2";
}

TEST(InterpreterCounts, SectorsByStrideWidthAndAlignment) {
    const auto sectors = [](DataType scalar, Integer stride, const Access& access = {}, Integer offset = 0) {
        const InterpreterReport report =
            one_warp(scalar, access.lanes * access.lane_stride, stride, access, offset);
        EXPECT_TRUE(report.ok()) << report.text();
        return report.loads[0].sectors;
    };
    EXPECT_EQ(sectors(DataType::float32, 1), 4) << "coalesced";
    EXPECT_EQ(sectors(DataType::float32, 1, {}, 1), 5) << "coalesced across a boundary";
    EXPECT_EQ(sectors(DataType::float32, 2), 8);
    EXPECT_EQ(sectors(DataType::float32, 8), 32);
    EXPECT_EQ(sectors(DataType::float32, 100), 32);
    EXPECT_EQ(sectors(DataType::float64, 1), 8);
    EXPECT_EQ(sectors(DataType::float16, 1), 2);
    EXPECT_EQ(sectors(DataType::float32, 4, {.lanes = 4}), 16);
    EXPECT_EQ(sectors(DataType::float32, 8, {.lanes = 4, .lane_stride = 2}), 4 * 32) << "one access a lane";
}

TEST(InterpreterCounts, InactiveThreadsAskForNothing) {
    const InterpreterReport report = one_warp(DataType::float32, 1, 1, {}, 0, 12);
    EXPECT_EQ(report.loads[0].bytes, 48);
    EXPECT_EQ(report.loads[0].sectors, 2);
    EXPECT_EQ(report.loads[0].accesses, 1);
    EXPECT_EQ(report.lane_count(Opcode::load), 12);
}

TEST(InterpreterFindsOnGpu, RacesInSharedMemoryWithoutABarrier) {
    const InterpreterReport report =
        run_on_ramp(transposition(DataType::float32, tile, Synchronization::none));
    ASSERT_FALSE(report.ok());
    EXPECT_TRUE(found(report, Diagnostic::Kind::race, 2)) << report.text();
    EXPECT_EQ(report.diagnostics[0].thread, (std::array<Integer, 3>{1, 0, 0}))
        << "thread 0 reads what it wrote";
}

TEST(InterpreterFindsOnGpu, BarriersThatSomeThreadsMiss) {
    const InterpreterReport report =
        run_on_ramp(transposition(DataType::float32, tile, Synchronization::divergent));
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.diagnostics[0].kind, Diagnostic::Kind::divergent_barrier);
    EXPECT_EQ(report.diagnostics[0].times, 8) << "two in each block";
}

TEST(InterpreterFindsOnGpu, BarriersInLoopsThatThreadsLeaveAtDifferentTimes) {
    for (const bool uniform : {false, true}) {
        Builder b("loop");
        b.launch({.blocks = {1, 1, 1}, .threads = {4, 1, 1}});
        const Affine t = b.thread();
        b.for_loop("i", t, uniform ? t + 3 : Affine(4), 1, For::Kind::serial,
                   [&](const Affine&) { b.barrier(); });
        const Program program = b.finish();
        Arguments arguments(program);
        const InterpreterReport report = run(program, arguments);
        EXPECT_EQ(report.ok(), uniform);
        if (!uniform) {
            EXPECT_EQ(report.diagnostics[0].kind, Diagnostic::Kind::divergent_barrier);
        }
    }
}

/// Threads of `blocks` blocks each add into, or store to, element `spread`·(thread or block).
InterpreterReport conflicting(Integer blocks, Integer threads, Integer by_block, Integer by_thread,
                              bool atomic) {
    Builder b("conflict");
    b.launch({.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}});
    const Buffer y = b.output("y", DataType::float32, 64);
    const Affine at = by_block * b.block() + by_thread * b.thread();
    const Value one = b.constant(f32, 1);
    if (atomic)
        b.atomic_add(y, at, one);
    else
        b.store(y, at, one);
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["y"].assign(std::vector<double>(64, 0.0));
    InterpreterReport report = run(program, arguments);
    if (atomic && by_block == 0 && by_thread == 0) {
        EXPECT_EQ(arguments["y"][0], blocks * threads);
    }
    return report;
}

TEST(InterpreterFindsOnGpu, RacesInGlobalMemoryBetweenThreadsAndBetweenBlocks) {
    EXPECT_TRUE(conflicting(4, 8, 8, 1, false).ok());
    EXPECT_TRUE(found(conflicting(1, 8, 0, 0, false), Diagnostic::Kind::race, 0)) << "threads of a block";
    EXPECT_TRUE(found(conflicting(4, 1, 0, 1, false), Diagnostic::Kind::race, 0)) << "blocks";
    EXPECT_TRUE(found(conflicting(4, 8, 7, 1, false), Diagnostic::Kind::race, 0)) << "blocks overlap by one";
    EXPECT_TRUE(conflicting(4, 8, 0, 0, true).ok()) << "atomic additions may meet";
}

TEST(InterpreterFindsOnGpu, BlocksThatReadWhatAnotherWrites) {
    for (const Integer from_other : {0, 1}) {
        Builder b("neighbour");
        b.launch({.blocks = {4, 1, 1}, .threads = {1, 1, 1}});
        const Buffer y = b.output("y", DataType::float32, 5);
        b.store(y, b.block(), b.load(y, b.block() + from_other));
        const Program program = b.finish();
        Arguments arguments(program);
        arguments["y"].assign(std::vector<double>(5, 0.0));
        const InterpreterReport report = run(program, arguments);
        EXPECT_EQ(report.ok(), from_other == 0) << report.text();
        if (from_other) {
            EXPECT_EQ(report.diagnostics[0].kind, Diagnostic::Kind::race);
        }
    }
}

TEST(InterpreterFindsOnGpu, PlainReadsOfAtomicSumsWithoutABarrier) {
    for (const bool has_barrier : {false, true}) {
        Builder b("histogram");
        b.launch({.blocks = {2, 1, 1}, .threads = {8, 1, 1}});
        const Buffer y = b.output("y", DataType::float32, 16);
        const Buffer bins = b.shared("bins", DataType::float32, 8);
        b.store(bins, b.thread(), b.constant(f32, 0));
        b.barrier();
        b.atomic_add(bins, 3, b.constant(f32, 2));
        if (has_barrier) b.barrier();
        b.store(y, 8 * b.block() + b.thread(), b.load(bins, b.thread()));
        const Program program = b.finish();
        Arguments arguments(program);
        const InterpreterReport report = run(program, arguments);
        EXPECT_EQ(report.ok(), has_barrier) << report.text();
        if (has_barrier) {
            EXPECT_EQ(arguments["y"][3], 16);
            EXPECT_EQ(arguments["y"][11], 16) << "each block has shared memory of its own";
        } else {
            EXPECT_EQ(report.diagnostics[0].kind, Diagnostic::Kind::race);
        }
    }
}

TEST(InterpreterFindsOnGpu, SharedMemoryOfAnEarlierBlockIsForgotten) {
    Builder b("leftover");
    b.launch({.blocks = {2, 1, 1}, .threads = {1, 1, 1}});
    const Buffer y = b.output("y", DataType::float32, 2);
    const Buffer s = b.shared("s", DataType::float32, 1);
    b.if_then({{b.block(), Condition::Relation::zero}}, [&] { b.store(s, 0, b.constant(f32, 1)); });
    b.store(y, b.block(), b.load(s, 0));
    const Program program = b.finish();
    Arguments arguments(program);
    const InterpreterReport report = run(program, arguments);
    ASSERT_EQ(report.diagnostics.size(), 1U);
    EXPECT_EQ(report.diagnostics[0].kind, Diagnostic::Kind::unwritten_read);
    EXPECT_EQ(report.diagnostics[0].block, (std::array<Integer, 3>{1, 0, 0}));
}

TEST(InterpreterOnGpu, LocalMemoryIsPrivateToAThread) {
    Builder b("private");
    b.launch({.blocks = {1, 1, 1}, .threads = {4, 1, 1}});
    const Buffer x = b.input("x", DataType::float32, 4);
    const Buffer y = b.output("y", DataType::float32, 4);
    const Buffer own = b.local("own", DataType::float32, 2);
    b.store(own, 1, b.load(x, b.thread()));
    b.barrier();
    b.store(y, b.thread(), b.load(own, 1));
    const Program program = b.finish();
    Arguments arguments(program);
    arguments["x"].assign(std::vector<double>{5, 6, 7, 8});
    const InterpreterReport report = run(program, arguments);
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_EQ(arguments["y"].values(), (std::vector<double>{5, 6, 7, 8}));
}

TEST(InterpreterOnGpu, ThreadAndBlockIndicesRunXFirst) {
    Builder b("indices");
    b.launch({.blocks = {2, 3, 2}, .threads = {3, 2, 2}});
    const Buffer y = b.output("y", DataType::int64, 144);
    const Affine thread = b.thread(0) + 3 * b.thread(1) + 6 * b.thread(2);
    const Affine block = b.block(0) + 2 * b.block(1) + 6 * b.block(2);
    b.store(y, thread + 12 * block, b.index(100 * block + thread));
    const Program program = b.finish();
    Arguments arguments(program);
    EXPECT_TRUE(run(program, arguments).ok());
    for (Integer i = 0; i < 144; ++i) EXPECT_EQ(arguments["y"][i], 100 * (i / 12) + i % 12);
}

TEST(InterpreterFindsOnGpu, MisalignedVectorAccesses) {
    EXPECT_TRUE(one_warp(DataType::float32, 4, 4, {.lanes = 4}).ok());
    EXPECT_TRUE(found(one_warp(DataType::float32, 4, 4, {.lanes = 4}, 2), Diagnostic::Kind::misaligned, 0));
    EXPECT_TRUE(found(one_warp(DataType::float32, 5, 4, {.lanes = 4}), Diagnostic::Kind::misaligned, 1));
    EXPECT_TRUE(one_warp(DataType::float32, 4, 4, {.lanes = 2}, 2).ok());
}

} // namespace interpreter_gpu_test
} // namespace swirl::ir::test
