// The builder's checks and sharing, the printed form of what it builds, and the walks over it.

#include "ir/builder.hpp"
#include "ir/analysis.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace swirl::ir {
namespace builder_test {

constexpr Type f64{DataType::float64, 1};

const Instruction swap_pairs{.name = "swap_pairs",
                             .operands = {{DataType::float64, 2}},
                             .result = {DataType::float64, 2},
                             .lane_map = {1, 0}};

/// A bit of everything.
Program example() {
    Builder b("example");
    b.launch({.blocks = {2, 1, 1}, .threads = {4, 1, 1}});
    BufferInfo input;
    input.name = "x";
    input.role.argument = ArgumentRole::input;
    input.elements = 64;
    input.first = -8;
    input.alignment = 16;
    const Buffer x = b.add(input);
    const Buffer y = b.output("y", DataType::float64, 64);
    const Buffer w = b.table("w", DataType::float64, {1, 0.5L});
    const Buffer map = b.table("map", {0, 1});
    const Buffer s = b.shared("s", DataType::float64, 8);
    const Affine offset = b.parameter("offset");
    const Affine t = b.thread();
    const Value half = b.constant(f64, 0.5);
    b.for_loop("k", 0, 8, 2, For::Kind::serial, [&](const Affine& k) {
        const Affine p = b.induction("p", 8 * b.block(), 4);
        const Value v = b.load(x, p + offset - 8, {.lanes = 2, .lane_stride = 2});
        const Value twiddle = b.load(w, 0, {.dynamic = b.load(map, 1)});
        const Value swapped = b.instruction(swap_pairs, {v});
        const Value mixed = b.shuffle(v, swapped, {0, 3});
        const Value scaled = b.fnma(mixed, b.splat(b.multiply(twiddle, half), 2), v);
        b.store(s, 2 * t, scaled);
        b.barrier();
        b.if_then(
            {{k - 2, Condition::Relation::nonnegative}, {t, Condition::Relation::zero}},
            [&] { b.store(y, 2 * k, b.load(s, 0, {.lanes = 4}), {.active = 3}); },
            [&] { b.atomic_add(y, t, b.convert(b.index(2 * k + 1), DataType::float64)); });
    });
    return b.finish();
}

TEST(Print, FullFormShowsEveryParameterAndType) {
    EXPECT_EQ(to_string(example()),
              R"(program example, blocks 2x1x1, threads 4x1x1, parameter offset
argument x float64[64] from -8 aligned 16 read as input
argument y float64[64] written as output
table w float64[2]
table map int64[2]
shared s float64[8]
%0 = constant 0.5 : float64
for k = 0 to 7 step 2, p = 8*block_x step 4:
    %1 = load x[offset + p - 8 by 2] : float64x2
    %2 = load map[1] : int64
    %3 = load w[0 + %2] : float64
    %4 = swap_pairs %1 : float64x2
    %5 = shuffle %1, %4 {0 3} : float64x2
    %6 = multiply %3, %0 : float64
    %7 = splat %6 : float64x2
    %8 = fnma %5, %7, %1 : float64x2
    store %8 to s[2*thread_x] : float64x2
    barrier
    if k - 2 >= 0 and thread_x = 0:
        %10 = load s[0] : float64x4
        store %10 to y[2*k] first 3 : float64x4
    else:
        %12 = index 2*k + 1 : int64
        %13 = convert %12 : float64
        atomic_add %13 to y[thread_x] : float64
)");
}

TEST(Print, CompactFormReadsLikeArithmetic) {
    EXPECT_EQ(to_string(example(), PrintStyle::compact),
              R"(program example, blocks 2x1x1, threads 4x1x1, parameter offset
argument x float64[64] from -8 aligned 16 read as input
argument y float64[64] written as output
table w float64[2]
table map int64[2]
shared s float64[8]
for k = 0 to 7 step 2, p = 8*block_x step 4:
    t0 = x[offset + p - 8 : 2 by 2]
    t1 = map[1]
    t2 = w[0 + t1]
    t3 = swap_pairs(t0)
    t4 = shuffle(t0, t3) {0 3}
    t5 = t2 * 0.5
    t6 = splat(t5, 2)
    t7 = t0 - t4 * t6
    s[2*thread_x : 2] = t7
    barrier
    if k - 2 >= 0 and thread_x = 0:
        t8 = s[0 : 4]
        y[2*k : 4] first 3 = t8
    else:
        t9 = 2*k + 1
        t10 = float64(t9)
        y[thread_x] += t10
)");
}

TEST(Print, IsTheSameForTheSameProgram) {
    EXPECT_EQ(to_string(example()), to_string(example()));
    const Program program = example();
    Program copy = program;
    compact(copy);
    EXPECT_EQ(to_string(program), to_string(copy)) << "nothing was unused, nothing is renumbered";
}

TEST(Builder, ChecksOperandsAndNamesOperationAndTypes) {
    const auto message = [](const std::function<void(Builder&)>& build) -> std::string {
        Builder b("wrong");
        b.input("x", DataType::float64, 8);
        b.output("y", DataType::float64, 8);
        try {
            build(b);
        } catch (const InternalError& error) {
            return error.what();
        }
        return "nothing was thrown";
    };
    const Type f32{DataType::float32, 1};
    const auto expect = [&](const std::string& what, const std::function<void(Builder&)>& build) {
        EXPECT_NE(message(build).find(what), std::string::npos) << message(build);
    };
    expect("add in 'wrong': operand 2 is float32, the result float64",
           [&](Builder& b) { b.add(b.constant(f64, 1), b.constant(f32, 1)); });
    expect("fma in 'wrong': fused arithmetic of int64",
           [](Builder& b) { b.fma(b.index(0), b.index(1), b.index(2)); });
    expect("store in 'wrong': buffer 'y' holds float64, the access is of float32",
           [&](Builder& b) { b.store(1, 0, b.constant(f32, 1)); });
    expect("load in 'wrong': 9 active lanes of 8",
           [](Builder& b) { b.load(0, 0, {.lanes = 8, .active = 9}); });
    expect("load in 'wrong': the dynamic index is float64, not int64",
           [](Builder& b) { b.load(0, 0, {.dynamic = b.constant(f64, 1)}); });
    expect("load in 'wrong': there is no buffer 7", [](Builder& b) { b.load(7, 0); });
    expect("store in 'wrong': 4 lanes are stored to one element",
           [](Builder& b) { b.store(1, 0, b.load(0, 0, {.lanes = 4}), {.lane_stride = 0}); });
    expect("splat in 'wrong': operand is float64x2, the result float64x4",
           [](Builder& b) { b.splat(b.load(0, 0, {.lanes = 2}), 4); });
    expect("shuffle in 'wrong': lane map entry 4 outside −1…3", [](Builder& b) {
        const Value v = b.load(0, 0, {.lanes = 2});
        b.shuffle(v, v, {4, 0});
    });
    expect("less in 'wrong': operands are float64 and float32",
           [&](Builder& b) { b.less(b.constant(f64, 1), b.constant(f32, 1)); });
    expect("select in 'wrong': operand 1 is float64, the result float64",
           [](Builder& b) { b.select(b.constant(f64, 1), b.constant(f64, 1), b.constant(f64, 1)); });
    expect("operand 1 of 'swap_pairs' is float64, not float64x2",
           [](Builder& b) { b.instruction(swap_pairs, {b.constant(f64, 1)}); });
    expect("instruction 'swap_pairs' in 'wrong': 2 operands given, 1 taken", [](Builder& b) {
        const Value v = b.load(0, 0, {.lanes = 2});
        b.instruction(swap_pairs, {v, v});
    });
    expect("atomic_add in 'wrong': operand is float64x2, not a scalar",
           [](Builder& b) { b.atomic_add(1, 0, b.load(0, 0, {.lanes = 2})); });
    expect("'wrong' has no value 5", [](Builder& b) { b.negate(5); });
    expect("loop 'i' has step 0",
           [](Builder& b) { b.for_loop("i", 0, 4, 0, For::Kind::serial, [](const Affine&) {}); });
    expect("is finished inside a loop", [](Builder& b) {
        b.open_loop("i", 0, 4, 1, For::Kind::serial);
        b.finish();
    });
    expect("no loop to close", [](Builder& b) { b.close_loop(); });
    expect("induction variable 'p' outside a loop", [](Builder& b) { b.induction("p", 0, 1); });
}

TEST(Builder, SharesEqualPureOperationsOfOneRunOnly) {
    for (const bool share : {false, true}) {
        Builder b("shared", {.share = share});
        const Buffer x = b.input("x", DataType::float64, 8);
        const Buffer y = b.output("y", DataType::float64, 8);
        const Buffer w = b.table("w", DataType::float64, {1, 2});
        const Value a = b.load(x, 0);
        EXPECT_NE(b.load(x, 0), a) << "memory may have changed";
        EXPECT_EQ(b.load(w, 1) == b.load(w, 1), share) << "tables do not change";
        EXPECT_EQ(b.constant(f64, 0.5) == b.constant(f64, 0.5), share);
        EXPECT_NE(b.constant(f64, 0.0), b.constant(f64, -0.0));
        EXPECT_NE(b.constant(f64, 0.1L), b.constant(f64, 0.1)) << "constants are long double";
        const Value sum = b.add(a, a);
        EXPECT_EQ(b.add(a, a) == sum, share);
        EXPECT_NE(b.subtract(a, a), sum);
        EXPECT_EQ(b.shuffle(sum, sum, {0, 1}) == b.shuffle(sum, sum, {0, 1}), share);
        EXPECT_NE(b.shuffle(sum, sum, {0, 1}), b.shuffle(sum, sum, {1, 0}));
        b.store(y, 0, sum);
        const Value in_run = b.add(a, a);
        EXPECT_EQ(in_run == sum, share);
        b.barrier();
        EXPECT_NE(b.add(a, a), sum) << "another run";
        // Enough operations for the table to grow.
        std::vector<Value> products;
        for (int i = 0; i < 500; ++i) products.push_back(b.multiply(a, b.constant(f64, i)));
        for (int i = 0; i < 500; ++i)
            EXPECT_EQ(b.multiply(a, b.constant(f64, i)) == products[static_cast<std::size_t>(i)], share);
        verify(b.finish(), VerificationLevel::vectorized);
    }
}

TEST(Analysis, UsesCountOperandsOfInstructionsAndDynamicIndices) {
    const std::vector<int> uses = use_counts(example());
    EXPECT_EQ(uses[0], 1);
    EXPECT_EQ(uses[1], 3) << "an instruction, a shuffle, a fused operation";
    EXPECT_EQ(uses[2], 1) << "a dynamic index";
    EXPECT_EQ(uses[8], 1) << "a store";
    EXPECT_EQ(uses[13], 1) << "an atomic addition";
}

TEST(Analysis, LiveOperationsAreThoseSomethingWrittenDependsOn) {
    Builder b("dead");
    const Buffer x = b.input("x", DataType::float64, 2);
    const Buffer y = b.output("y", DataType::float64, 1);
    const Value used = b.load(x, 0);
    const Value unused = b.negate(b.load(x, 1));
    b.store(y, 0, used);
    Program program = b.finish();
    EXPECT_EQ(live_operations(program), (std::vector<char>{1, 0, 0, 1}));
    (void)unused;

    auto& run = std::get<StraightLineBlock>(program.body[0].node).operations;
    run = {run[0], run[3]};
    compact(program);
    EXPECT_EQ(program.operations.size(), 2U);
    verify(program, VerificationLevel::lowered);
}

TEST(Analysis, UsedVariables) {
    const Program program = example();
    const std::vector<char> used = used_variables(program);
    for (std::size_t v = 0; v < used.size(); ++v) EXPECT_TRUE(used[v]) << program.variables[v].name;
    Builder b("unused");
    b.parameter("n");
    EXPECT_FALSE(used_variables(b.finish())[0]);
}

TEST(Analysis, LoopsComeOuterFirst) {
    Builder b("nest");
    b.for_loop("i", 2, [&](const Affine&) { b.for_loop("j", 3, [](const Affine&) {}); });
    b.for_loop("k", 4, [](const Affine&) {});
    const Program program = b.finish();
    std::string names;
    for_each_loop(program, [&](const For& loop) {
        names += program.variables[static_cast<std::size_t>(loop.variable)].name;
    });
    EXPECT_EQ(names, "ijk");
}

} // namespace builder_test
} // namespace swirl::ir
