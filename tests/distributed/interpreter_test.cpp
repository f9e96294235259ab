#include "distributed/interpreter.hpp"

#include "base/error.hpp"
#include "distributed/scheduled.hpp"
#include "support/distributed_case.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace swirl;
using namespace swirl::distributed;

std::vector<Program> programs_of(const Transform& problem, const AllBoxes& given) {
    AllBoxes boxes = given;
    check_boxes(problem, boxes);
    const Scheduled made = scheduled(problem, boxes, choose(problem, boxes, Model{}).schedule);
    std::vector<Program> programs;
    for (std::size_t rank = 0; rank < boxes.input.size(); ++rank) {
        programs.push_back(program_of(made.factors, factors_of_rank(made.factors, made.schedule, made.stages,
                                                                    made.output, static_cast<int>(rank))));
        plan_transforms(programs.back(), {});
    }
    return programs;
}

std::vector<std::byte> bytes_of_numbers(const std::vector<double>& numbers) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(double));
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

TEST(Interpreter, HasTheBitsAndTheTrafficOfRanksThatAreThreads) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 40; ++trial) {
        const char* const texts[] = {"dft 12x10x9", "dft 360", "rdft 7x12x10", "rdft 8x9 backward",
                                     "dft 7x9 batch=2"};
        const Transform problem = swirl::problem(texts[trial % 5]);
        const int ranks = static_cast<int>(2 + random() % 5);
        const AllBoxes boxes{support::random_boxes(input_lengths(problem), ranks, random),
                             support::random_boxes(output_lengths(problem), ranks, random)};
        support::GlobalArray x{input_lengths(problem), support::components_of(problem, true), {}};
        support::GlobalArray y{output_lengths(problem), support::components_of(problem, false), {}};
        std::uniform_real_distribution<double> number(-1, 1);
        x.numbers.resize(static_cast<std::size_t>(x.size() * x.components));
        for (double& value : x.numbers) value = number(random);

        const std::vector<Program> programs = programs_of(problem, boxes);
        std::vector<std::vector<std::byte>> inputs, outputs, expected(boxes.input.size());
        for (const Box& box : boxes.input) inputs.push_back(bytes_of_numbers(x.local<double>(box)));
        for (const Box& box : *boxes.output)
            outputs.emplace_back(static_cast<std::size_t>(elements(box) * y.components) * sizeof(double));
        const Traffic traffic = Interpreter().run(programs, inputs, outputs);

        auto instruments = std::make_shared<support::Instruments>();
        run_ranks(ranks, [&](Communicator& inner) {
            support::InstrumentedCommunicator communicator(inner, instruments);
            const auto rank = static_cast<std::size_t>(communicator.rank());
            const DistributedPlan plan =
                distributed::plan(problem, communicator, {boxes.input[rank], (*boxes.output)[rank]});
            expected[rank].resize(outputs[rank].size());
            plan.execute(static_cast<const void*>(inputs[rank].data()),
                         static_cast<void*>(expected[rank].data()));
        });
        EXPECT_EQ(outputs, expected) << texts[trial % 5];
        EXPECT_EQ(traffic.bytes, instruments->bytes);
        EXPECT_EQ(traffic.messages, instruments->messages);
        EXPECT_EQ(traffic.exchanges * ranks, instruments->exchanges);
    }
}

TEST(Interpreter, RejectsBlocksThatDoNotFit) {
    const Transform problem = swirl::problem("dft 4x6");
    std::vector<Program> programs = programs_of(problem, {slabs({4, 6}, 2), slabs({4, 6}, 2)});
    std::vector<std::vector<std::byte>> inputs(2, std::vector<std::byte>(192)), outputs = inputs;
    EXPECT_NO_THROW(Interpreter().run(programs, inputs, outputs));
    const auto exchange_of = [](Program& program) {
        for (Step& step : program.steps)
            if (auto* exchange = std::get_if<ExchangeStep>(&step)) return exchange;
        return static_cast<ExchangeStep*>(nullptr);
    };
    std::vector<Program> wrong = programs;
    exchange_of(wrong[1])->blocks.send_bytes[0] -= 16;
    EXPECT_THROW(Interpreter().run(wrong, inputs, outputs), InternalError);
    wrong = programs;
    exchange_of(wrong[0])->blocks.receive_offsets[1] += 192;
    EXPECT_THROW(Interpreter().run(wrong, inputs, outputs), InternalError);
    wrong = programs;
    wrong[0].steps.pop_back();
    while (exchange_of(wrong[0]) != nullptr) wrong[0].steps.pop_back();
    EXPECT_THROW(Interpreter().run(wrong, inputs, outputs), InternalError);
}

} // namespace
