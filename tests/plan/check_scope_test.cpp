// The subproblem that a plan's check computes, and that it suffices.

#include "plan/check/scope.hpp"

#include "base/error.hpp"
#include "plan/check/cpu_transform.hpp"
#include "plan/check/sampled_execution.hpp"
#include "plan/check/transform.hpp"
#include "problem/syntax.hpp"
#include "support/cuda_fixture.hpp"
#include "support/error_of.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::planning {
namespace check_scope_test {

using runtime::expect_contains;

constexpr Integer mebibyte = Integer{1} << 20;
const CheckCapacity little{.bytes = 64 * mebibyte},
    much{.bytes = mebibyte << 20, .batch_bytes = mebibyte << 20};

std::string scope_of(const char* text, const CheckCapacity& capacity, Integer chunk = 0) {
    const Transform problem = swirl::problem(text);
    return to_string(CheckScope::of(problem, capacity, chunk), problem);
}

TEST(TheScopeOfAPlansCheck, IsTheProblemOrABatchSample) {
    EXPECT_EQ(scope_of("dft 1024", little), "yes");
    EXPECT_EQ(scope_of("dft 1024 float32 batch=512", little), "yes");
    EXPECT_EQ(scope_of("dft 1024 float32 batch=20000", little), "yes, 512 of 20000 transforms");
    EXPECT_EQ(scope_of("dft 1024 float32 batch=200000", much), "yes, 512 of 200000 transforms");
    EXPECT_EQ(scope_of("dft 2^20 batch=5", little), "yes, 3 of 5 transforms");
    EXPECT_EQ(scope_of("dft 2^20 batch=2", little), "yes");
    EXPECT_EQ(scope_of("dft 2^24", little), "yes") << "256 MiB";
}

TEST(TheScopeOfAPlansCheck, IsTheWholeBatchIfTransformsDifferOrInterleave) {
    EXPECT_EQ(scope_of("dft 1024 strides=20000 batch=20000:1 float32", little), "yes");
    EXPECT_EQ(scope_of("dft 64 float32 batch=20000 load=\"x * b0\"", little), "yes");
}

TEST(TheScopeOfAPlansCheck, IsAShorterBatchBeyond256MebibytesOnTheHost) {
    EXPECT_EQ(scope_of("dft 1024 float32 batch=100003", little),
              "yes, by a plan of the same schedule for 8163 of 100003 transforms");
    static_assert((100003 - 8163) % 64 == 0);
    EXPECT_EQ(scope_of("dft 1024 float32 batch=100003", little, 300),
              "yes, by a plan of the same schedule for 403 of 100003 transforms");
    EXPECT_EQ(scope_of("dft 2^20 float32 batch=99", little),
              "yes, by a plan of the same schedule for 7 of 99 transforms");
    EXPECT_EQ(scope_of("dft 2^24 float32 batch=5", little),
              "yes, by a plan of the same schedule for 2 of 5 transforms");
}

/// Each of few transforms spans the memory of all, so that fewer transforms alone need no less of it.
TEST(TheScopeOfAPlansCheck, ShrinksInterleavedBatchesBeyondMemory) {
    const char* const text = "dft 64 strides=10000003 batch=10000003:1 float32";
    EXPECT_EQ(scope_of(text, little),
              "yes, by a plan of the same schedule for 195 of 10000003 transforms with "
              "smaller strides");
    static_assert((10000003 - 195) % 64 == 0);
    EXPECT_EQ(scope_of(text, much), "yes") << "memory suffices for all of it";
    EXPECT_EQ(scope_of("dft 64x64 strides=(64000000,1000000) batch=1000000:1 inplace", little),
              "yes, by a plan of the same schedule for 256 of 1000000 transforms with smaller strides");
    const Transform problem = swirl::problem(text);
    const CheckScope scope = CheckScope::of(problem, little);
    const Dimension dimension = scope.shorter->dimensions[0];
    EXPECT_EQ(dimension.input_stride % 64, 10000003 % 64) << "the same remainder modulo cache lines";
    EXPECT_GE(dimension.input_stride, 195);
    const auto plan = Plan::build(problem, transform_schedule("portable: 0 codelet"),
                                  {.memory_limit = std::size_t{1} << 28});
    EXPECT_EQ(plan->checked(), to_string(scope, problem));
}

TEST(TheScopeOfAPlansCheck, SaysWhyThereIsNone) {
    EXPECT_EQ(scope_of("dft 2^26", much), "yes");
    expect_contains(scope_of("dft 2^26", little),
                    {"no, because it would take 2151677952 bytes of memory, and may take 67108864"});
    EXPECT_EQ(to_string(CheckScope::not_wanted(), swirl::problem("dft 8")),
              "no, because the caller planned without it (check = false)");
    const auto plan = Plan::build(swirl::problem("dft 8"), transform_schedule("portable: 0 codelet"));
    EXPECT_EQ(plan->checked(), "yes");
}

/// What the check of a sample says of a right plan after whose executions on the whole batch `spoil` is called.
template <class F> std::string error_after(const char* text, Integer bytes, F&& spoil) {
    const Transform problem = swirl::problem(text);
    const auto plan = Plan::build(problem, transform_schedule("portable: 0 codelet"), {.check = false});
    const auto sample = BatchSample::of(problem, bytes);
    if (!sample) return "no sample";
    return error_of<InternalError>([&] {
        SampledExecution batch(*sample, "a plan");
        check_against_definition(sample->problem(), "a plan", [&](ProblemData& sampled) {
            batch.run(sampled, [&](ProblemData& data) {
                plan->execute(data.arguments());
                spoil(data.arguments());
            });
        });
    });
}

TEST(ASampleOfABatch, AcceptsPlansThatAreRight) {
    for (const char* text :
         {"dft 16 batch=100", "dft 16 batch=100 inplace", "dft 16 batch=100 planar", "rdft 16 batch=100",
          "rdft 16 batch=100 inplace", "rdft 16 backward batch=100", "dct2 16 batch=100:20",
          "dft 8 strides=3 batch=100:40 inplace", "dft 8 in=-2 out=1 batch=100:(-20,9)", "dft 4x8 batch=100",
          "dft 16 batch=2x100", "dft 16 batch=100x2", "dft 16 batch=3x3x30",
          "dft 16 batch=100 load=\"x * w[i]\"", "dft 16 float32 batch=100 store=\"x * 2\""})
        EXPECT_EQ(error_after(text, 2048, [](const Arguments&) {}), "") << text;
}

TEST(ASampleOfABatch, IncludesFirstLastAndMiddleTransforms) {
    const Transform problem = swirl::problem("dft 8 batch=100");
    const auto sample = BatchSample::of(problem, 9 * 8 * 16);
    ASSERT_TRUE(sample);
    EXPECT_EQ(batch_count(sample->problem()), 9);
    std::vector<Integer> first;
    for (const BatchSample::Window& window : sample->windows())
        if (window.array == 0) first.push_back(window.in_batch / 128);
    EXPECT_EQ(first, (std::vector<Integer>{0, 48, 97}));
}

TEST(ASampleOfABatch, FindsWrongElementsOfItsTransforms) {
    for (const std::ptrdiff_t transform : {0, 2, 48, 50, 97, 99}) {
        const std::string error = error_after("dft 8 batch=100", 9 * 8 * 16, [&](const Arguments& arguments) {
            static_cast<double*>(arguments.output)[(transform * 8 + 5) * 2] += 0.01;
        });
        EXPECT_NE(error.find("failed its check"), std::string::npos) << transform << " " << error;
    }
}

TEST(ASampleOfABatch, FindsWritesAroundTheBatchAndIntoItsInput) {
    const auto set_byte = [](const void* base, std::ptrdiff_t offset) {
        static_cast<unsigned char*>(const_cast<void*>(base))[offset] = 0;
    };
    const auto error = [&](auto spoil) { return error_after("dft 8 batch=100", 9 * 8 * 16, spoil); };
    expect_contains(error([&](const Arguments& a) { set_byte(a.output, 100 * 128); }),
                    {"output, byte 12800 "});
    expect_contains(error([&](const Arguments& a) { set_byte(a.output, -1); }), {"output, byte -1 "});
    expect_contains(error([&](const Arguments& a) { set_byte(a.input, 10 * 128); }), {"input, byte 1280 "});
    expect_contains(error([&](const Arguments& a) { set_byte(a.input, 5); }), {"changed its input"});
    expect_contains(error_after("dft 8 strides=2 batch=100", 9 * 16 * 16,
                                [&](const Arguments& a) { set_byte(a.output, 99 * 256 + 16); }),
                    {"wrote where it must not: a plan: output"});
}

TEST(ThePlanForAShorterBatch, StandsForALargeOne) {
    const Transform problem = swirl::problem("dft 16 float32 batch=1000");
    const auto plan = Plan::build(problem, transform_schedule("portable: 0 codelet"), {.check = false});
    CheckScope scope{.kind = CheckScope::Kind::shorter_batch,
                     .shorter = swirl::problem("dft 16 float32 batch=40")};
    EXPECT_EQ(to_string(check_plan(*plan, scope, {}), problem),
              "yes, by a plan of the same schedule for 40 of 1000 transforms");
}

TEST(TheCheckOfPlans, CallsItsInterruptBetweenParts) {
    const Transform problem = swirl::problem("dft 2^19 float32");
    const auto plan =
        Plan::build(problem, transform_schedule("portable: 0 stockham(8,8,8,8,8,16)"), {.check = false});
    int calls = 0;
    plan->check({.interrupt = [&] { ++calls; }});
    EXPECT_GE(calls, 12) << "once for 2^17 elements of sums, and around the others";
    EXPECT_THROW(plan->check({.interrupt =
                                  [&] {
                                      if (--calls == 5) throw Cancelled("enough");
                                  }}),
                 Cancelled);
}

} // namespace check_scope_test
} // namespace swirl::planning
