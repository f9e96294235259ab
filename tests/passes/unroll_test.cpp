#include "passes/unroll.hpp"

#include "ir/verify.hpp"
#include "passes/support.hpp"

namespace swirl::passes {
namespace unroll_test {

using namespace ir;

int loop_count(const Program& program) {
    int loops = 0;
    for_each_loop(program, [&](const For&) { ++loops; });
    return loops;
}

/// out[6i + 3j + k] = in[…] + (the value for k − 1), with the loops of the given kinds.
Program three_loops(For::Kind i_kind, For::Kind j_kind, For::Kind k_kind) {
    Builder b("three_loops");
    const Buffer in = b.input("in", DataType::float64, 12);
    const Buffer out = b.output("out", DataType::float64, 12);
    b.for_loop("i", 0, 2, 1, i_kind, [&](const Affine& i) {
        b.for_loop("j", 0, 6, 3, j_kind, [&](const Affine& j) {
            b.store(out, 6 * i + j, b.load(in, 6 * i + j));
            b.for_loop("k", 1, 3, 1, k_kind, [&](const Affine& k) {
                b.store(out, 6 * i + j + k, b.add(b.load(in, 6 * i + j + k), b.load(out, 6 * i + j + k - 1)));
            });
        });
    });
    return b.finish();
}

TEST(Unroll, LeavesOneRunOfAnUnrolledNest) {
    const auto unrolled = For::Kind::unrolled;
    const Program before = three_loops(unrolled, unrolled, unrolled);
    const Program after = unroll(before);
    EXPECT_EQ(loop_count(after), 0);
    ASSERT_EQ(after.body.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<StraightLineBlock>(after.body[0].node));
    EXPECT_EQ(count(after, Opcode::store), 12);
    expect_same_results(before, after);
}

TEST(Unroll, GivesCopiesOfInnerLoopsVariablesOfTheirOwn) {
    const Program before = three_loops(For::Kind::unrolled, For::Kind::unrolled, For::Kind::serial);
    const Program after = unroll(before);
    EXPECT_EQ(loop_count(after), 4);
    verify(after, VerificationLevel::lowered);
    expect_same_results(before, after);
}

TEST(Unroll, KeepsLongSerialLoops) {
    const Program before = three_loops(For::Kind::serial, For::Kind::serial, For::Kind::serial);
    EXPECT_EQ(loop_count(unroll(before)), 3);
    const Program after = unroll(before, {.serial_trip_count = 2});
    EXPECT_EQ(loop_count(after), 0);
    expect_same_results(before, after);
}

TEST(Unroll, PutsInductionsAndConditionsIn) {
    Builder b("inductions");
    const Buffer out = b.output("out", DataType::float64, 24);
    b.for_loop("o", 2, [&](const Affine& o) {
        b.for_loop("i", 1, 4, 1, For::Kind::unrolled, [&](const Affine& i) {
            const Affine at = b.induction("at", 10 * o + 1, 3);
            b.if_then(
                {{i - 2, Condition::Relation::zero}}, [&] { b.store(out, at, b.constant(f64, 7)); },
                [&] { b.store(out, at + i, b.constant(f64, 1)); });
        });
    });
    const Program before = b.finish();
    const Program after = unroll(before);
    for_each_statement(after.body,
                       [](const Statement& s) { EXPECT_FALSE(std::holds_alternative<If>(s.node)); });
    expect_same_results(before, after);
}

TEST(Unroll, PutsLastValuesOfInductionsIn) {
    for (const For::Kind kind : {For::Kind::unrolled, For::Kind::serial}) {
        Builder b("last");
        const Buffer out = b.output("out", DataType::float64, 24);
        b.for_loop("o", 0, 2, 1, For::Kind::unrolled, [&](const Affine& o) {
            b.for_loop("i", 0, 5, 1, kind, [&](const Affine& i) {
                const Affine at = b.induction("at", 10 * o + 2, 3, {8, -2});
                b.store(out, at, b.convert(b.index(i + 7 * o), DataType::float64));
            });
        });
        const Program before = b.finish();
        const Program after = unroll(before);
        EXPECT_EQ(loop_count(after), kind == For::Kind::unrolled ? 0 : 2);
        expect_same_results(before, after);
    }
}

TEST(Unroll, DropsLoopsOfNoIterations) {
    Builder b("none");
    const Buffer out = b.output("out", DataType::float64, 4);
    b.for_loop("i", 0, 0, 1, For::Kind::unrolled,
               [&](const Affine& i) { b.store(out, i, b.constant(f64, 1)); });
    b.store(out, 0, b.constant(f64, 2));
    EXPECT_EQ(count(unroll(b.finish()), Opcode::store), 1);
}

TEST(Unroll, RefusesALoopOfUnknownLength) {
    Builder b("unknown");
    const Buffer out = b.output("out", DataType::float64, 4);
    const Affine n = b.parameter("n");
    b.for_loop("i", 0, n, 1, For::Kind::unrolled,
               [&](const Affine& i) { b.store(out, i, b.constant(f64, 1)); });
    EXPECT_THROW(unroll(b.finish()), InternalError);
}

} // namespace unroll_test
} // namespace swirl::passes
