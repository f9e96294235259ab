// Asynchronous stores: when what they copy is there, what is found in programs that do not wait, and what is counted.

#include "interpreter_run.hpp"
#include "ir/builder.hpp"
#include "ir/print.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace swirl::ir::test {
namespace interpreter_copies_test {

constexpr Integer threads = 32;
constexpr Buffer shared = 2;

BufferInfo aligned(const char* name, Integer elements, bool written) {
    BufferInfo info;
    info.name = name;
    info.role.argument = written ? ArgumentRole::output : ArgumentRole::input;
    info.element = DataType::float32;
    info.elements = elements;
    info.written = written;
    info.alignment = 16;
    return info;
}

/// Each thread copies `lanes` elements of x to shared memory, then runs `then`; y holds all elements.
struct Copying {
    int lanes = 4;
    Integer shared_offset = 0;
    Integer blocks = 1;

    Program program(const std::function<void(Builder&)>& then) const {
        Builder b("copying");
        b.launch({.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}});
        b.add(aligned("x", threads * lanes, false));
        b.add(aligned("y", blocks * threads * lanes, true));
        b.shared("between", DataType::float32, threads * lanes + shared_offset);
        b.store(shared, lanes * b.thread() + shared_offset, b.load(0, lanes * b.thread(), {.lanes = lanes}),
                {.asynchronous = true});
        then(b);
        return b.finish();
    }
    InterpreterReport run(const std::function<void(Builder&)>& then) const {
        return run_on_ramp(program(then));
    }
};

/// What another thread has copied, if `distance` is not 0.
void read(Builder& b, Integer distance) {
    b.store(
        1, 4 * (b.thread() + threads * b.block()),
        b.load(shared, distance == 0 ? 4 * b.thread() : 4 * (threads - 1) - 4 * b.thread(), {.lanes = 4}));
}

void finish(Builder& b, int pending = 0) {
    b.commit_async_group();
    b.wait_async_group(pending);
}

TEST(InterpreterCopies, AreVisibleAfterWaitAndBarrier) {
    const Program program = Copying{.blocks = 2}.program([](Builder& b) {
        finish(b);
        b.barrier();
        read(b, 1);
    });
    Arguments arguments(program);
    for (Integer i = 0; i < 4 * threads; ++i) arguments["x"].set(i, static_cast<long double>(i));
    const InterpreterReport report = run(program, arguments);
    EXPECT_TRUE(report.ok()) << report.text();
    for (Integer i = 0; i < 8 * threads; ++i)
        ASSERT_EQ(arguments["y"][i], 4 * (threads - 1 - i / 4 % threads) + i % 4);
    EXPECT_TRUE(Copying{}
                    .run([](Builder& b) {
                        finish(b);
                        read(b, 0);
                    })
                    .ok())
        << "what a thread has copied itself needs no barrier";
}

TEST(InterpreterCopies, AreCountedAsLoadsAndStores) {
    const InterpreterReport report = Copying{}.run([](Builder& b) { finish(b); });
    EXPECT_TRUE(report.ok()) << report.text();
    EXPECT_EQ(report.loads[0].bytes, 16 * threads);
    EXPECT_EQ(report.loads[0].sectors, threads / 2);
    EXPECT_EQ(report.stores[shared].bytes, 16 * threads);
    EXPECT_EQ(report.stores[shared].extra_cycles, 0);
    EXPECT_EQ(report.count(Opcode::store), threads);
}

TEST(InterpreterCopies, OfTheLatestGroupsMayBeUnderWay) {
    for (const int pending : {0, 1, 2}) {
        const InterpreterReport report = Copying{}.run([&](Builder& b) {
            b.commit_async_group();
            b.commit_async_group(); // one without copies
            b.wait_async_group(pending);
            read(b, 0);
            b.wait_async_group(0);
        });
        EXPECT_EQ(report.ok(), pending < 2);
        EXPECT_EQ(found(report, Diagnostic::Kind::unwritten_read, shared), pending == 2) << report.text();
    }
}

TEST(InterpreterFindsInCopies, ReadsBeforeTheWait) {
    const InterpreterReport report = Copying{}.run([](Builder& b) {
        b.commit_async_group();
        read(b, 0);
        b.wait_async_group(0);
    });
    EXPECT_TRUE(found(report, Diagnostic::Kind::unwritten_read, shared)) << report.text();
}

TEST(InterpreterFindsInCopies, WaitsForWhatIsNotCommitted) {
    const InterpreterReport report = Copying{}.run([](Builder& b) {
        b.wait_async_group(0);
        read(b, 0);
        b.commit_async_group();
        b.wait_async_group(0);
    });
    EXPECT_TRUE(found(report, Diagnostic::Kind::unwritten_read, shared)) << report.text();
}

TEST(InterpreterFindsInCopies, ReadsByOthersWithoutABarrier) {
    const InterpreterReport without = Copying{}.run([](Builder& b) {
        finish(b);
        read(b, 1);
    });
    EXPECT_TRUE(found(without, Diagnostic::Kind::race, shared)) << without.text();
    const InterpreterReport too_early = Copying{}.run([](Builder& b) {
        b.barrier();
        finish(b);
        read(b, 1);
    });
    EXPECT_TRUE(found(too_early, Diagnostic::Kind::race, shared)) << too_early.text();
}

TEST(InterpreterFindsInCopies, CopiesOverWhatOthersMayStillRead) {
    for (const bool has_barrier : {false, true}) {
        const InterpreterReport report = Copying{}.run([&](Builder& b) {
            finish(b);
            b.barrier();
            read(b, 1);
            if (has_barrier) b.barrier();
            b.store(shared, 4 * b.thread(), b.load(0, 4 * b.thread(), {.lanes = 4}), {.asynchronous = true});
            finish(b);
        });
        EXPECT_EQ(report.ok(), has_barrier) << report.text();
        EXPECT_EQ(found(report, Diagnostic::Kind::race, shared), !has_barrier);
    }
}

TEST(InterpreterFindsInCopies, StoresBetweenACopyAndItsWait) {
    for (const bool by_another : {false, true}) {
        const InterpreterReport report = Copying{}.run([&](Builder& b) {
            b.commit_async_group();
            b.barrier();
            const Affine element_index = by_another ? 4 * (threads - 1) - 4 * b.thread() : 4 * b.thread();
            b.store(shared, element_index, b.constant({DataType::float32, 1}, 1));
            b.barrier();
            b.wait_async_group(0);
        });
        EXPECT_TRUE(found(report, Diagnostic::Kind::race, shared)) << report.text();
    }
}

TEST(InterpreterFindsInCopies, WhatIsNeverWaitedFor) {
    for (const auto& then :
         {+[](Builder&) {}, +[](Builder& b) { b.commit_async_group(); }, +[](Builder& b) { finish(b, 1); }}) {
        const InterpreterReport report = Copying{.blocks = 2}.run(then);
        EXPECT_TRUE(found(report, Diagnostic::Kind::unfinished_async_copy, shared)) << report.text();
        EXPECT_EQ(report.diagnostics[0].times, 2 * threads);
        EXPECT_NE(report.text().find("copy that is not waited for: between[0]"), std::string::npos)
            << report.text();
    }
}

TEST(InterpreterFindsInCopies, OutOfBoundsAndMisalignedAddresses) {
    EXPECT_TRUE(found(Copying{.shared_offset = 2}.run([](Builder& b) { finish(b); }),
                      Diagnostic::Kind::misaligned, shared));
    const Copying in_pairs{.lanes = 2, .shared_offset = 2};
    EXPECT_TRUE(in_pairs.run([](Builder& b) { finish(b); }).ok());
    const InterpreterReport outside = Copying{}.run([](Builder& b) {
        finish(b);
        b.if_then({{b.thread() - 30, Condition::Relation::nonnegative}}, [&] {
            b.store(shared, 4 * b.thread() + 8, b.load(0, 0, {.lanes = 4}), {.asynchronous = true});
        });
        finish(b);
    });
    EXPECT_TRUE(found(outside, Diagnostic::Kind::out_of_bounds, shared)) << outside.text();
    EXPECT_FALSE(found(outside, Diagnostic::Kind::unfinished_async_copy, shared));
}

// ---- dynamic indices -------------------------------------------------------------------------------------

/// y = what thread t finds at 4·t + offset, the multiple of 4 being computed.
InterpreterReport at_scaled_place(Integer offset, Integer scale, std::vector<double>* result = nullptr) {
    Builder b("scaled");
    b.launch({.blocks = {1, 1, 1}, .threads = {threads, 1, 1}});
    b.add(aligned("x", 256, false));
    const Buffer y = b.output("y", DataType::float32, 4 * threads);
    const Value element_index = b.index(b.thread());
    const Value loaded = b.load(0, offset, {.lanes = 4, .dynamic = element_index, .dynamic_scale = scale});
    for (std::int8_t lane = 0; lane < 4; ++lane)
        b.store(y, 4 * b.thread() + lane, b.shuffle(loaded, loaded, {lane}));
    const Program program = b.finish();
    EXPECT_NE(to_string(program, PrintStyle::compact).find(fmt::format("*{}", scale)), std::string::npos);
    Arguments arguments(program);
    for (Integer i = 0; i < 256; ++i) arguments["x"].set(i, static_cast<long double>(i));
    InterpreterReport report = run(program, arguments);
    if (result != nullptr) *result = arguments["y"].values();
    return report;
}

TEST(InterpreterScaledIndices, MultiplyTheDynamicIndex) {
    std::vector<double> y;
    const InterpreterReport report = at_scaled_place(8, 4, &y);
    EXPECT_TRUE(report.ok()) << report.text();
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], static_cast<double>(8 + i));
    EXPECT_TRUE(found(at_scaled_place(2, 4), Diagnostic::Kind::misaligned, 0));
    EXPECT_TRUE(found(at_scaled_place(0, 6), Diagnostic::Kind::misaligned, 0));
    EXPECT_TRUE(at_scaled_place(0, 8).ok());
    EXPECT_TRUE(found(at_scaled_place(0, 16), Diagnostic::Kind::out_of_bounds, 0));
}

} // namespace interpreter_copies_test
} // namespace swirl::ir::test
