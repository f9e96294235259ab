#include "distributed/machine.hpp"
#include "distributed/scheduled.hpp"
#include "support/distributed_case.hpp"
#include "support/own_wisdom.hpp"

#include <swirl/distributed/plan.hpp>
#include <swirl/distributed/threads.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <set>

namespace {

using namespace swirl;
using namespace swirl::distributed;

/// With wisdom of its own.
class MeasuredChoice : public testing::Test {
private:
    OwnWisdom wisdom_;
};

TEST(Candidates, AreDifferentSchedulesTheFastestFirst) {
    std::mt19937_64 random(91);
    for (int trial = 0; trial < 20; ++trial) {
        const char* const texts[] = {"dft 12x10x9", "rdft 7x12x10", "dft 360", "dft 7x9 batch=3"};
        const Transform problem = swirl::problem(texts[trial % 4]);
        const int ranks = static_cast<int>(2 + random() % 5);
        AllBoxes boxes{support::random_boxes(input_lengths(problem), ranks, random),
                       support::random_boxes(output_lengths(problem), ranks, random)};
        check_boxes(problem, boxes);
        const std::vector<Chosen> candidates = choose(problem, boxes, Model{}, 8);
        ASSERT_FALSE(candidates.empty());
        EXPECT_EQ(candidates.front().schedule, choose(problem, boxes, Model{}).schedule);
        std::set<std::string> texts_of_candidates;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            EXPECT_TRUE(texts_of_candidates.insert(to_text(candidates[k].schedule)).second);
            if (k > 0) {
                EXPECT_LE(candidates[k - 1].seconds, candidates[k].seconds);
            }
            EXPECT_NO_THROW(scheduled(problem, boxes, candidates[k].schedule));
            const Scheduled made = scheduled(problem, boxes, candidates[k].schedule);
            EXPECT_NEAR(seconds_of(made.schedule, made.factors, made.stages, Model{}), candidates[k].seconds,
                        1e-9 * candidates[k].seconds)
                << to_text(candidates[k].schedule);
        }
    }
}

TEST_F(MeasuredChoice, IsTheSameOnAllRanksAndFoundAgain) {
    std::vector<std::string> schedules(3), again(3), progress;
    const std::vector<Box> boxes = slabs({24, 18, 20}, 3);
    const auto options = [&](Effort effort) {
        DistributedOptions result;
        result.local.effort = effort;
        result.local.time_budget_seconds = 0.3;
        result.local.progress = [&](const std::string& line) { progress.push_back(line); };
        return result;
    };
    run_ranks(3, [&](Communicator& c) {
        const auto rank = static_cast<std::size_t>(c.rank());
        schedules[rank] =
            distributed::plan("dft 24x18x20", c, {boxes[rank], boxes[rank]}, options(Effort::measure))
                .schedule();
    });
    EXPECT_EQ(schedules[1], schedules[0]);
    EXPECT_EQ(schedules[2], schedules[0]);
    EXPECT_FALSE(progress.empty());
    // a plan of less effort has what was measured; one of the same effort measures nothing again
    progress.clear();
    run_ranks(3, [&](Communicator& c) {
        const auto rank = static_cast<std::size_t>(c.rank());
        again[rank] =
            distributed::plan("dft 24x18x20", c, {boxes[rank], boxes[rank]}, options(Effort::estimate))
                .schedule();
    });
    EXPECT_EQ(again, schedules);
    EXPECT_TRUE(progress.empty());
}

TEST_F(MeasuredChoice, OfWisdomIsThatOfTheBoxesAndTheNumberOfRanks) {
    const std::vector<Box> boxes = slabs({12, 10, 8}, 2), others = slabs({12, 10, 8}, 2, 1);
    std::mutex mutex;
    int timed = 0;
    DistributedOptions options;
    options.local.effort = Effort::measure;
    options.local.time_budget_seconds = 0.05;
    options.local.progress = [&](const std::string&) {
        const std::lock_guard lock(mutex);
        ++timed;
    };
    const auto plan = [&](const std::vector<Box>& output) {
        timed = 0;
        run_ranks(2, [&](Communicator& c) {
            const auto rank = static_cast<std::size_t>(c.rank());
            distributed::plan("dft 12x10x8", c, {boxes[rank], output[rank]}, options);
        });
        return timed;
    };
    EXPECT_GT(plan(boxes), 0);
    const int of_others = plan(others);
    EXPECT_GT(of_others, 0);
}

TEST_F(MeasuredChoice, MeasuresTheMachineOnceForAGroup) {
    Machine measured, used, of_three;
    run_ranks(2, [&](Communicator& c) {
        const Machine machine = measure_machine(c);
        const Machine now = machine_in_use(c, {});
        DistributedOptions given;
        given.machine.flops = 123;
        EXPECT_EQ(machine_in_use(c, given).flops, 123);
        if (c.rank() == 0) {
            measured = machine;
            used = now;
        }
    });
    EXPECT_GT(measured.node_bandwidth, 1e7);
    EXPECT_GT(measured.memory_bandwidth, 1e7);
    EXPECT_GT(measured.flops, 1e7);
    EXPECT_GT(measured.node_latency, 0);
    EXPECT_EQ(measured.network_bandwidth, Machine{}.network_bandwidth); // there is one node
    EXPECT_NEAR(used.flops, measured.flops, 1e-3 * measured.flops);
    run_ranks(3, [&](Communicator& c) {
        const Machine now = machine_in_use(c, {});
        if (c.rank() == 0) of_three = now;
    });
    EXPECT_EQ(of_three.flops, Machine{}.flops);
}

} // namespace
