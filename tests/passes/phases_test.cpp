#include "passes/phases.hpp"

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "passes/pipeline.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

namespace swirl::passes {
namespace phases_test {

using namespace ir;

/// y = x shifted by 3 elements through scratch, in a loop of `rows`·`columns` iterations, between two single
/// operations.
Program shift(Integer rows, Integer columns) {
    Builder b("shift");
    const Integer n = rows * columns;
    const Buffer x = b.input("x", DataType::float64, n + 3);
    const Buffer y = b.output("y", DataType::float64, n + 2);
    BufferInfo own;
    own.name = "own";
    own.space = Space::scratch;
    own.elements = 1;
    own.written = true;
    own.nest_depth = 2;
    const Buffer scratch = b.add(own);
    b.store(y, n, b.load(x, 0));
    b.for_loop("i", 0, rows, 1, For::Kind::parallel, [&](const Affine& i) {
        b.for_loop("j", 0, columns, 1, For::Kind::parallel, [&](const Affine& j) {
            b.store(scratch, 0, b.load(x, columns * i + j + 3));
            b.store(y, columns * i + j, b.load(scratch, 0));
        });
    });
    b.store(y, n + 1, b.load(y, n - 1));
    return b.finish();
}

/// Rows of y = rows of x reversed twice, through two scratch arrays that belong to an iteration of the outer loop: two
/// loops that threads share with a barrier between them. A third array belongs to iterations of the inner loop.
Program reverse_rows(Integer rows, Integer columns) {
    Builder b("reverse_rows");
    const Buffer x = b.input("x", DataType::float64, rows * columns);
    const Buffer y = b.output("y", DataType::float64, rows * columns);
    const auto scratch = [&](const char* name, Integer elements, int depth) {
        BufferInfo info;
        info.name = name;
        info.space = Space::scratch;
        info.elements = elements;
        info.written = true;
        info.nest_depth = depth;
        return b.add(info);
    };
    const Buffer row = scratch("row", columns, 1), entry = scratch("entry", 1, 2);
    b.for_loop("i", 0, rows, 1, For::Kind::parallel, [&](const Affine& i) {
        b.for_loop("j", 0, columns, 1, For::Kind::parallel, [&](const Affine& j) {
            b.store(entry, 0, b.load(x, columns * i + j));
            b.store(row, -1 * j + (columns - 1), b.load(entry, 0));
        });
        b.for_loop("k", 0, columns, 1, For::Kind::parallel, [&](const Affine& k) {
            b.store(entry, 0, b.load(row, -1 * k + (columns - 1)));
            b.store(y, columns * i + k, b.load(entry, 0));
        });
    });
    return b.finish();
}

/// Runs shares of all phases, the last share first.
std::vector<double> run_in_shares(const Program& program, const std::vector<Phase>& all_phases,
                                  Integer shares) {
    Arguments all(program);
    for (Integer k = 0; k < program.buffers[0].elements; ++k)
        all["x"].set(k, static_cast<long double>(k * k));
    const auto run = [&](const Phase& phase, Integer repetition) {
        verify(phase.program, VerificationLevel::legalized);
        for (Integer share = shares; share-- > 0;) {
            Arguments arguments(phase.program);
            for (const BufferInfo& buffer : phase.program.buffers)
                if (buffer.nest_depth == 0) arguments.bind(buffer.name, all.shared(buffer.name));
            arguments.parameters = {phase.iterations * share / shares,
                                    phase.iterations * (share + 1) / shares, repetition};
            if (phase.is_parallel || share == 0) interpret(phase.program, arguments);
        }
    };
    for (std::size_t first = 0, end = 0; first < all_phases.size(); first = end) {
        const Integer repeated = all_phases[first].repeated;
        end = first + 1;
        while (repeated != 0 && end < all_phases.size() && all_phases[end].repeated == repeated) ++end;
        for (Integer repetition = 0; repetition < all_phases[first].repetitions; ++repetition)
            for (std::size_t k = first; k < end; ++k) run(all_phases[k], repetition);
    }
    return all["y"].values();
}

TEST(Phases, EqualTheProgramForAnyPartition) {
    for (const auto& [rows, columns] : {std::pair<Integer, Integer>{6, 5}, {2, 30}, {31, 2}}) {
        const Program program = run_for_cpu(shift(rows, columns), target::cpu_named("avx2"));
        Arguments arguments(program);
        for (Integer k = 0; k < rows * columns + 3; ++k)
            arguments["x"].set(k, static_cast<long double>(k * k));
        interpret(program, arguments);
        for (const Integer threads : {2, 3, 7}) {
            const std::vector<Phase> all_phases = phases(program, {.threads = threads});
            ASSERT_EQ(all_phases.size(), 3U);
            EXPECT_FALSE(all_phases[0].is_parallel || all_phases[2].is_parallel);
            EXPECT_TRUE(all_phases[1].is_parallel);
            for (const Integer shares : {1, 2, 5})
                EXPECT_EQ(run_in_shares(program, all_phases, shares), arguments["y"].values());
        }
    }
}

TEST(Phases, ShareTheOutermostLoopThatGivesAllThreadsWork) {
    const auto iterations = [](Integer rows, Integer columns, Integer threads) {
        return phases(shift(rows, columns), {.threads = threads})[1].iterations;
    };
    EXPECT_EQ(iterations(6, 50, 2), 6);
    EXPECT_EQ(iterations(6, 50, 3), 6);
    EXPECT_EQ(iterations(6, 50, 4), 50);
    EXPECT_EQ(iterations(2, 50, 8), 50);
    EXPECT_EQ(iterations(7, 3, 8), 7);
}

TEST(Phases, AreRepeatedForEachIterationOfALoopWithTooFew) {
    const Program program = run_for_cpu(reverse_rows(3, 40), target::cpu_named("avx2"));
    Arguments arguments(program);
    for (Integer k = 0; k < 120; ++k) arguments["x"].set(k, static_cast<long double>(k * k));
    interpret(program, arguments);
    for (const Integer threads : {2, 8}) {
        const std::vector<Phase> all_phases = phases(program, {.threads = threads});
        ASSERT_EQ(all_phases.size(), 2U) << threads;
        for (const Phase& phase : all_phases) {
            EXPECT_TRUE(phase.is_parallel);
            EXPECT_EQ(phase.repetitions, 3);
            EXPECT_EQ(phase.repeated, 1);
        }
        for (const Integer shares : {1, 2, 5})
            EXPECT_EQ(run_in_shares(program, all_phases, shares), arguments["y"].values());
    }
}

TEST(Phases, AreNotRepeatedWhereTheOuterLoopHasEnoughIterationsOrBarriersCostMore) {
    EXPECT_EQ(phases(reverse_rows(3, 40), {.threads = 3}).size(), 1U);
    EXPECT_EQ(phases(reverse_rows(16, 40), {.threads = 8}).size(), 1U);
    EXPECT_EQ(phases(reverse_rows(3, 40), {.threads = 8, .costs = {.barrier = 100}}).size(), 1U);
}

TEST(Phases, LeaveShortLoopsToOneThread) {
    const std::vector<Phase> all_phases = phases(shift(6, 5), {.threads = 2, .costs = {.barrier = 1000}});
    ASSERT_EQ(all_phases.size(), 1U);
    EXPECT_FALSE(all_phases[0].is_parallel);
    EXPECT_TRUE(all_phases[0].program.variables.size() == 2) << "no parameters";
}

TEST(Phases, SuitATeamWithoutIdleMembers) {
    const auto team = [](Integer rows, Integer columns, const SharingCosts& costs) {
        const PhaseOptions options{.threads = 8, .costs = costs};
        return fastest_team(phases(shift(rows, columns), options), options);
    };
    EXPECT_EQ(team(64, 64, {}), 8);
    EXPECT_EQ(team(1, 5, {}), 5) << "five iterations";
    EXPECT_EQ(team(1, 12, {}), 6) << "two for each member, as with 7";
    EXPECT_EQ(team(64, 64, {.barrier_per_member = 300}), 4) << "16384/m + 3·300 m is least";
    EXPECT_EQ(team(64, 64, {.team = 1e6}), 1);
    EXPECT_EQ(team(64, 64, {.least_gain = 7}), 8);
    EXPECT_EQ(team(64, 64, {.least_gain = 9}), 1);
}

TEST(Phases, LeaveToOneThreadWhatMovesTooMuchBetweenThreads) {
    const auto team = [](const Program& program, double line) {
        const PhaseOptions options{.threads = 8, .costs = {.line = line}};
        return fastest_team(phases(program, options), options);
    };
    EXPECT_EQ(team(reverse_rows(3, 400), 0), 8);
    EXPECT_EQ(team(reverse_rows(3, 400), 1000), 1)
        << "each row is written by some threads and read by others";
    EXPECT_GT(team(reverse_rows(30, 40), 1000), 1) << "rows are private";
}

TEST(Phases, KnowHowManyIterationsFillACacheLine) {
    EXPECT_EQ(phases(shift(1, 64), {.threads = 2})[1].grain, 8) << "doubles, one an iteration";
    EXPECT_EQ(phases(shift(16, 4), {.threads = 2})[1].grain, 2) << "four an iteration";
    EXPECT_EQ(phases(shift(16, 8), {.threads = 2})[1].grain, 1);
}

} // namespace phases_test
} // namespace swirl::passes
