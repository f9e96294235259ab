#include "passes/eliminate_common_subexpressions.hpp"

#include "ir/verify.hpp"
#include "passes/support.hpp"

#include <functional>

namespace swirl::passes {
namespace eliminate_common_subexpressions_test {

using namespace ir;

Program shared(const Program& before) {
    const Program after = eliminate_common_subexpressions(before);
    verify(after, VerificationLevel::vectorized);
    expect_same_results(before, after);
    return after;
}

struct Kernel : Builder {
    Kernel()
        : Builder("kernel"),
          in(input("in", DataType::float64, 16)),
          out(output("out", DataType::float64, 16)) {}
    Buffer in, out;
};

TEST(ShareCommonSubexpressions, IgnoresTheOrderOfCommutativeOperands) {
    Kernel k;
    const Value a = k.load(k.in, 0), b = k.load(k.in, 1), again = k.load(k.in, 0);
    k.store(k.out, 0, k.add(a, b));
    k.store(k.out, 1, k.add(b, again));
    k.store(k.out, 2, k.subtract(a, b));
    k.store(k.out, 3, k.subtract(b, a));
    k.store(k.out, 4, k.fma(a, b, a));
    k.store(k.out, 5, k.fma(b, a, again));
    const Program after = shared(k.finish());
    EXPECT_EQ(count(after, Opcode::load), 2);
    EXPECT_EQ(count(after, Opcode::add), 1);
    EXPECT_EQ(count(after, Opcode::subtract), 2);
    EXPECT_EQ(count(after, Opcode::fma), 1);
}

TEST(ShareCommonSubexpressions, ReloadsWhatAStoreMayHaveChanged) {
    Kernel k;
    const Affine n = k.parameter("n");
    k.store(k.out, 0, k.load(k.out, 3));
    k.store(k.out, 1, k.load(k.out, 3)); // same
    k.store(k.out, 3, k.load(k.in, 0));
    k.store(k.out, 2, k.load(k.out, 3)); // changed
    const Program after = eliminate_common_subexpressions(k.finish());
    EXPECT_EQ(count(after, Opcode::load), 3);
    Kernel u;
    const Affine m = u.parameter("m");
    u.store(u.out, 0, u.load(u.out, 3));
    u.store(u.out, m, u.load(u.in, 0)); // who knows where
    u.store(u.out, 2, u.load(u.out, 3));
    EXPECT_EQ(count(eliminate_common_subexpressions(u.finish()), Opcode::load), 3);
    static_cast<void>(n);
}

TEST(ShareCommonSubexpressions, SharesIntoInnerBodiesOnly) {
    Kernel k;
    const Value a = k.load(k.in, 0), b = k.load(k.in, 1);
    k.store(k.out, 0, k.add(a, b));
    k.for_loop("i", 2, 4, 1, For::Kind::serial, [&](const Affine& i) {
        k.store(k.out, i, k.add(k.add(a, b), k.load(k.in, i))); // outer sum
        k.store(k.out, i + 6, k.multiply(a, b));
    });
    k.store(k.out, 5, k.multiply(a, b)); // not defined here by the loop
    const Program after = shared(k.finish());
    EXPECT_EQ(count(after, Opcode::add), 2);
    EXPECT_EQ(count(after, Opcode::multiply), 2);
}

TEST(ShareCommonSubexpressions, LoadsDoNotCrossStoringLoops) {
    Kernel k;
    k.store(k.out, 0, k.constant(f64, 1));
    k.store(k.out, 1, k.load(k.out, 0));
    k.for_loop("i", 3, [&](const Affine& i) {
        k.store(k.out, i + 2, k.load(k.out, 0)); // 1, then what the line below stored
        k.store(k.out, 0, k.load(k.in, i));
    });
    k.store(k.out, 8, k.load(k.out, 0));
    const Program after = shared(k.finish());
    EXPECT_EQ(count(after, Opcode::load), 4);
}

TEST(ShareCommonSubexpressions, SharesConstantsWithinARunOnly) {
    Kernel k;
    k.store(k.out, 0, k.multiply(k.constant(f64, 3), k.load(k.in, 0)));
    k.store(k.out, 1, k.multiply(k.constant(f64, 3), k.load(k.in, 1)));
    k.for_loop("i", 2, 4, 1, For::Kind::serial,
               [&](const Affine& i) { k.store(k.out, i, k.multiply(k.constant(f64, 3), k.load(k.in, i))); });
    EXPECT_EQ(count(shared(k.finish()), Opcode::constant), 2);
}

TEST(ShareCommonSubexpressions, ReloadsSharedMemoryAfterABarrier) {
    Builder b("exchange");
    b.launch({{1, 1, 1}, {4, 1, 1}});
    const Buffer out = b.output("out", DataType::float64, 8);
    const Buffer s = b.shared("s", DataType::float64, 4);
    const Affine t = b.thread();
    b.store(s, t, b.constant(f64, 1));
    b.store(out, t, b.load(s, t));
    b.barrier();
    b.if_then({{t - 1, Condition::Relation::negative}}, [&] {
        for (Integer i = 0; i < 4; ++i) b.store(s, i, b.constant(f64, 2));
    });
    b.barrier();
    b.store(out, t + 4, b.load(s, t));
    const Program before = b.finish();
    const Program after = eliminate_common_subexpressions(before);
    EXPECT_EQ(count(after, Opcode::load), 2);
    expect_same_results(before, after);
}

TEST(ShareCommonSubexpressions, LeavesCopiesTheirLoadsAndReloadsWhatTheyBring) {
    Builder b("copies");
    b.launch({{1, 1, 1}, {4, 1, 1}});
    const Buffer in = b.input("in", DataType::float64, 8), out = b.output("out", DataType::float64, 8);
    const Buffer s = b.shared("s", DataType::float64, 4), again = b.shared("again", DataType::float64, 4);
    const Affine t = b.thread();
    b.store(s, t, b.constant(f64, 1));
    b.store(out, t, b.load(s, t));
    for (const Buffer to : {again, s}) b.store(to, t, b.load(in, t), {.asynchronous = true});
    b.commit_async_group();
    b.wait_async_group(0);
    b.store(out, t + 4, b.add(b.load(s, t), b.load(again, t)));
    const Program before = b.finish();
    const Program after = eliminate_common_subexpressions(before);
    EXPECT_EQ(count(after, Opcode::load), 5);
    EXPECT_NO_THROW(verify(after, VerificationLevel::vectorized));
    expect_same_results(before, after);
}

} // namespace eliminate_common_subexpressions_test
} // namespace swirl::passes
