#include "distributed/chunked_program.hpp"

#include "distributed/interpreter.hpp"
#include "distributed/scheduled.hpp"
#include "support/distributed_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

using namespace swirl;
using namespace swirl::distributed;

std::vector<Program> chunked_programs(const Transform& problem, AllBoxes boxes, const std::string& schedule,
                                      SharedArrays shared, Integer cache_bytes,
                                      Integer least_message_bytes = 1 << 16) {
    check_boxes(problem, boxes);
    const Scheduled made = scheduled(
        problem, boxes,
        schedule.empty() ? choose(problem, boxes, {{}, shared}).schedule : parse_schedule(schedule));
    std::vector<Program> programs;
    for (std::size_t rank = 0; rank < boxes.input.size(); ++rank) {
        programs.push_back(chunked_program_of(made.factors, made.schedule, made.stages, made.output,
                                              static_cast<int>(rank), shared,
                                              {cache_bytes, least_message_bytes}));
        plan_transforms(programs.back(), {});
    }
    return programs;
}

std::vector<double> random_numbers(std::size_t count, std::mt19937_64& random) {
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<double> result(count);
    for (double& value : result) value = number(random);
    return result;
}

/// The largest difference to one plan.
double error_of(const Transform& problem, const AllBoxes& boxes, const std::vector<Program>& programs,
                std::mt19937_64& random, Traffic* traffic = nullptr) {
    support::GlobalArray x{input_lengths(problem), support::components_of(problem, true), {}};
    support::GlobalArray y{output_lengths(problem), support::components_of(problem, false), {}};
    x.numbers = random_numbers(static_cast<std::size_t>(x.size() * x.components), random);
    y.numbers.resize(static_cast<std::size_t>(y.size() * y.components));
    std::vector<double> expected(y.numbers.size());
    swirl::plan(problem).execute(static_cast<const void*>(x.numbers.data()),
                                 static_cast<void*>(expected.data()));
    std::vector<std::vector<std::byte>> inputs, outputs;
    for (const Box& box : boxes.input) {
        const std::vector<double> local = x.local<double>(box);
        const auto bytes = std::as_bytes(std::span(local));
        inputs.emplace_back(bytes.begin(), bytes.end());
    }
    for (const Box& box : *boxes.output)
        outputs.emplace_back(static_cast<std::size_t>(elements(box) * y.components) * sizeof(double));
    const Traffic counted = Interpreter().run(programs, inputs, outputs);
    if (traffic != nullptr) *traffic = counted;
    double largest = 0;
    for (std::size_t rank = 0; rank < outputs.size(); ++rank) {
        std::vector<double> local(outputs[rank].size() / sizeof(double));
        if (!local.empty()) std::memcpy(local.data(), outputs[rank].data(), outputs[rank].size());
        y.put<double>((*boxes.output)[rank], local);
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
        largest = std::max(largest, std::abs(expected[i] - y.numbers[i]));
    return largest;
}

TEST(ChunkedPrograms, AreRightForAnyChunks) {
    std::mt19937_64 random(28);
    for (int trial = 0; trial < 90; ++trial) {
        const char* const texts[] = {"dft 12x10x9",     "rdft 7x12x10", "dft 360",
                                     "dft 7x9 batch=3", "dct2 8x9x4",   "dft 5x6x7 float32"};
        const Transform problem = swirl::problem(texts[trial % 5]);
        const int ranks = static_cast<int>(1 + random() % 5);
        const AllBoxes boxes{support::random_boxes(input_lengths(problem), ranks, random),
                             support::random_boxes(output_lengths(problem), ranks, random)};
        const Integer cache_bytes = Integer{1} << (6 + random() % 14);
        constexpr SharedArrays kinds[] = {SharedArrays::none, SharedArrays::between, SharedArrays::all};
        const SharedArrays shared = kinds[random() % 3];
        const Integer least_message_bytes = Integer{1} << (4 + random() % 9);
        const auto programs = chunked_programs(problem, boxes, "", shared, cache_bytes, least_message_bytes);
        EXPECT_LE(error_of(problem, boxes, programs, random), 1e-13 * 360)
            << texts[trial % 5] << " with a cache of " << cache_bytes;
    }
}

const DeliverStep& delivery(const Program& program, std::size_t which) {
    for (const Step& step : program.steps)
        if (const auto* deliver = std::get_if<DeliverStep>(&step); deliver != nullptr && which-- == 0)
            return *deliver;
    throw InternalError("no such step");
}

TEST(ChunkedPrograms, SweepOnceForEachStageAndCopyNothingElse) {
    const Transform problem = swirl::problem("dft 16x16x16");
    const AllBoxes boxes{slabs({16, 16, 16}, 2), slabs({16, 16, 16}, 2)};
    const auto programs =
        chunked_programs(problem, boxes, "in[2,1] > 1/2[0] > out", SharedArrays::all, 8 * 16 * 16 * 16);
    for (const Program& program : programs) {
        ASSERT_EQ(program.steps.size(), 4u);               // deliver, meet, deliver, meet
        EXPECT_EQ(delivery(program, 0).chunks.size(), 8u); // of one plane each
        EXPECT_EQ(delivery(program, 0).problems.size(), 1u);
        EXPECT_EQ(delivery(program, 1).to, Array::output);
        EXPECT_EQ(bytes_copied(program), 0);
        EXPECT_EQ(program.local_bytes, 0);
    }
    std::mt19937_64 random(1);
    Traffic traffic;
    EXPECT_LE(error_of(problem, boxes, programs, random, &traffic), 1e-12);
    EXPECT_EQ(traffic.bytes, 2 * 16 * 16 * 16 * 16 / 2); // half of the array in each of two exchanges
}

/// Slabs of the slowest axis become contiguous parts of the receiver's array; those of the second one are sorted as they arrive.
TEST(ChunkedPrograms, SendMessagesOfEqualChunksInTurn) {
    const Transform problem = swirl::problem("dft 16x16x16");
    const AllBoxes boxes{slabs({16, 16, 16}, 2), slabs({16, 16, 16}, 2)};
    const auto programs = chunked_programs(problem, boxes, "in[2,1] > 1/2[0] > out", SharedArrays::none,
                                           8 * 16 * 16 * 16, 1 << 12);
    const auto stream = [&](std::size_t which) {
        for (const Step& step : programs[0].steps)
            if (const auto* found = std::get_if<StreamStep>(&step); found != nullptr && which-- == 0)
                return *found;
        throw InternalError("no such step");
    };
    EXPECT_EQ(stream(0).chunks.size(), 4u); // 32 KiB, in messages of 4 KiB at least
    EXPECT_EQ(stream(0).chunks[0].parts.size(), 2u);
    EXPECT_TRUE(stream(0).receives_in_place);
    EXPECT_FALSE(stream(1).receives_in_place);
    EXPECT_EQ(stream(1).to, Array::output);
    std::mt19937_64 random(1);
    Traffic traffic;
    EXPECT_LE(error_of(problem, boxes, programs, random, &traffic), 1e-12);
    EXPECT_EQ(traffic.exchanges, 8);
    EXPECT_EQ(traffic.bytes, 2 * 16 * 16 * 16 * 16 / 2);
}

TEST(ChunkedPrograms, SweepTwiceWherePlanesFitInNoCache) {
    const AllBoxes boxes{slabs({16, 16, 16}, 2), slabs({16, 16, 16}, 2)};
    const auto programs = chunked_programs(swirl::problem("dft 16x16x16"), boxes, "in[2,1] > 1/2[0] > out",
                                           SharedArrays::all, 16 * 16 * 16);
    EXPECT_GT(programs[0].local_bytes, 0);
    ASSERT_FALSE(delivery(programs[0], 0).problems.empty());
    EXPECT_EQ(delivery(programs[0], 0).problems[0].dimensions.size(), 1u);
}

TEST(ChunkedPrograms, AlternateWhereTheLastExecutionMayStillRead) {
    const AllBoxes boxes{slabs({6, 6, 4}, 2), slabs({6, 6, 4}, 2)};
    const auto alternates = [&](const char* schedule, SharedArrays shared) {
        return chunked_programs(swirl::problem("dft 6x6x4"), boxes, schedule, shared, 1 << 20)[0].alternates;
    };
    EXPECT_FALSE(alternates("in[2,1] > 1/2[0] > out", SharedArrays::all));
    EXPECT_FALSE(alternates("in[2,1] > 1/2[0] > out", SharedArrays::between));
    EXPECT_TRUE(
        alternates("in[2] > 1/2[0] > 2/2[1] > out", SharedArrays::between)); // an odd number of exchanges
    EXPECT_FALSE(alternates("in[2] > 1/2[0] > 2/2[1] > out", SharedArrays::all));
    EXPECT_FALSE(alternates("in[2] > 1/2[0] > 2/2[1] > out", SharedArrays::none));
}

} // namespace
