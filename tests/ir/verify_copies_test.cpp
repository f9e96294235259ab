// The verifier's rules for asynchronous stores, for arguments that are passed by value, and for scaled indices: a program that
// passes, and twins that break one rule each.

#include "ir/verify.hpp"

#include "ir/builder.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace swirl::ir {
namespace verify_copies_test {

constexpr Buffer x = 0, y = 1, factors = 2, between = 3, other = 4;

/// A copy of 4 elements by each of 8 threads, and a product with values passed by value.
Program copying(const std::function<void(Builder&)>& more = {}) {
    Builder b("copying");
    b.launch({.blocks = {2, 1, 1}, .threads = {8, 1, 1}});
    b.input("x", DataType::float32, 64);
    b.output("y", DataType::float32, 64);
    BufferInfo few;
    few.name = "factors";
    few.role.argument = ArgumentRole::alpha_beta;
    few.element = DataType::float32;
    few.elements = 2;
    few.by_value = true;
    b.add(few);
    b.shared("between", DataType::float32, 64);
    b.shared("other", DataType::float32, 64);
    b.store(between, 4 * b.thread(), b.load(x, 4 * b.thread(), {.lanes = 4}), {.asynchronous = true});
    b.commit_async_group();
    b.wait_async_group(0);
    b.store(y, b.thread(), b.multiply(b.load(between, b.thread()), b.load(factors, 1)));
    if (more) more(b);
    return b.finish();
}

std::string failure(const Program& program) {
    return error_of<InternalError>([&] { verify(program, VerificationLevel::vectorized); });
}

void expect_fails(const std::function<void(Builder&)>& more, const std::string& what) {
    const std::string message = failure(copying(more));
    EXPECT_NE(message.find(what), std::string::npos) << message;
}

TEST(VerifyCopies, PassesWhatIsRight) { EXPECT_EQ(failure(copying()), ""); }

TEST(VerifyCopies, AreFromGlobalToSharedMemory) {
    const Access asynchronous{.asynchronous = true};
    expect_fails([&](Builder& b) { b.store(y, b.thread(), b.load(x, b.thread()), asynchronous); },
                 "to memory that is not shared");
    expect_fails([&](Builder& b) { b.store(other, b.thread(), b.load(between, b.thread()), asynchronous); },
                 "what is not in global memory");
    expect_fails([&](Builder& b) { b.store(other, b.thread(), b.load(factors, 0), asynchronous); },
                 "what is not in global memory");
}

TEST(VerifyCopies, AreOfWhatIsLoadedForThemAlone) {
    const Access asynchronous{.asynchronous = true};
    const std::string what = "something other than what is loaded for it alone";
    expect_fails(
        [&](Builder& b) {
            b.store(other, b.thread(), b.constant({DataType::float32, 1}, 0), asynchronous);
        },
        what);
    expect_fails(
        [&](Builder& b) { b.store(other, b.thread(), b.negate(b.load(x, b.thread())), asynchronous); }, what);
    const auto used_twice = [&](bool copied_first) {
        return [&asynchronous, copied_first](Builder& b) {
            const Value loaded = b.load(x, b.thread());
            if (copied_first) b.store(other, b.thread(), loaded, asynchronous);
            b.store(y, b.thread(), loaded);
            if (!copied_first) b.store(other, b.thread(), loaded, asynchronous);
        };
    };
    expect_fails(used_twice(true), "is stored asynchronously, and has no other use");
    expect_fails(used_twice(false), what);
}

TEST(VerifyCopies, AreOfNeighbours) {
    const std::string what = "elements that are not next to each other";
    expect_fails(
        [&](Builder& b) {
            b.store(other, 4 * b.thread(), b.load(x, b.thread(), {.lanes = 4, .lane_stride = 8}),
                    {.asynchronous = true});
        },
        what);
    expect_fails(
        [&](Builder& b) {
            b.store(other, b.thread(), b.load(x, 4 * b.thread(), {.lanes = 4}),
                    {.lane_stride = 8, .asynchronous = true});
        },
        what);
    expect_fails(
        [&](Builder& b) {
            b.store(other, 4 * b.thread(), b.load(x, 4 * b.thread(), {.lanes = 4, .active = 3}),
                    {.asynchronous = true});
        },
        what);
}

TEST(VerifyCopies, OnlyStoresAreAsynchronous) {
    Program program = copying();
    for (Operation& operation : program.operations)
        operation.asynchronous = operation.asynchronous || operation.opcode == Opcode::load;
    EXPECT_NE(failure(program).find("asynchronous, and no store"), std::string::npos) << failure(program);
}

TEST(VerifyCopies, RejectsNegativeGroupCounts) {
    expect_fails([](Builder& b) { b.wait_async_group(-1); }, "with -1 groups in flight");
}

TEST(VerifyArgumentsByValue, AreFewScalarsThatAreOnlyRead) {
    const std::string what = "is passed by value, but is written or too large";
    const auto changed = [&](const std::function<void(BufferInfo&)>& change) {
        Program program = copying();
        change(program.buffers[static_cast<std::size_t>(factors)]);
        return failure(program);
    };
    EXPECT_NE(changed([](BufferInfo& info) { info.elements = 17; }).find(what), std::string::npos);
    EXPECT_NE(changed([](BufferInfo& info) { info.written = true; }).find(what), std::string::npos);
    EXPECT_NE(changed([](BufferInfo& info) { info.first = -1; }).find(what), std::string::npos);
    EXPECT_NE(changed([](BufferInfo& info) { info.space = Space::scratch; }).find(what), std::string::npos);
    EXPECT_EQ(changed([](BufferInfo& info) { info.elements = 16; }), "");
}

TEST(VerifyArgumentsByValue, AreReadAtConstantIndices) {
    const std::string what = "is at no constant index of what is passed by value";
    expect_fails([](Builder& b) { b.load(factors, b.block()); }, what);
    expect_fails([](Builder& b) { b.load(factors, 0, {.dynamic = b.index(b.block())}); }, what);
}

TEST(VerifyScaledIndices, AreNotTakenNoTimes) {
    Program program = copying([](Builder& b) {
        b.store(y, 0, b.load(x, 0, {.dynamic = b.index(b.thread()), .dynamic_scale = 4}));
    });
    EXPECT_EQ(failure(program), "");
    for (Operation& operation : program.operations)
        if (operation.address.dynamic != no_value) operation.address.dynamic_scale = 0;
    EXPECT_NE(failure(program).find("taken 0 times"), std::string::npos) << failure(program);
}

} // namespace verify_copies_test
} // namespace swirl::ir
