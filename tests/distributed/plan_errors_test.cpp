#include "support/distributed_case.hpp"

#include <swirl/error.hpp>

#include <gtest/gtest.h>

namespace {

using namespace swirl;
using namespace swirl::distributed;

using MakePlan = std::function<void(Communicator&)>;

/// The message with which all ranks fail.
template <class Expected> std::string error_of_all(int ranks, const MakePlan& make) {
    std::mutex mutex;
    std::vector<std::string> messages;
    run_ranks(ranks, [&](Communicator& communicator) {
        try {
            make(communicator);
        } catch (const Expected& error) {
            const std::lock_guard lock(mutex);
            messages.emplace_back(error.what());
        }
        communicator.barrier(); // the group still works
    });
    EXPECT_EQ(messages.size(), static_cast<std::size_t>(ranks));
    for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
    return messages.empty() ? "" : messages.front();
}

std::size_t own(const Communicator& communicator) { return static_cast<std::size_t>(communicator.rank()); }

void expect_mention(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(DistributedPlanErrors, OfBoxesNameTheRankAndTheBox) {
    const auto with = [](int rank, const Box& box) {
        return error_of_all<UserError>(3, [&](Communicator& c) {
            const Box mine = slabs({6, 5}, 3)[own(c)];
            distributed::plan("dft 6x5", c, {c.rank() == rank ? box : mine, mine});
        });
    };
    expect_mention(with(1, {{2, 0}, {4, 6}}), {"rank 1", "input box [2,4)x[0,6)", "axis 1"});
    expect_mention(with(2, {{3, 0}, {6, 5}}), {"rank 2", "overlaps that of rank 1", "[3,6)x[0,5)"});
    expect_mention(with(0, {}), {"input boxes hold 20 of 30 elements"});
    expect_mention(with(1, {{2}, {4}}), {"rank 1", "has 1 axes, but the array has 2"});
    expect_mention(with(1, {{2, 0}, {4, 5}, {0, 0}}), {"rank 1", "order that does not name each axis once"});
    expect_mention(with(1, {{4, 0}, {2, 5}}), {"rank 1", "axis 0"});
    expect_mention(with(1, {{2, 0}, {4}}), {"rank 1", "2 lower and 1 upper"});
}

TEST(DistributedPlanErrors, OfOneRankAreThoseOfAll) {
    const std::string message = error_of_all<UserError>(4, [](Communicator& c) {
        const Box mine = slabs({6, 5}, 4)[own(c)];
        DistributedOptions options;
        if (c.rank() == 2) options.local.cpu = "z80";
        distributed::plan("dft 6x5", c, {mine, mine}, options);
    });
    expect_mention(message, {"rank 2: ", "z80"});
    expect_mention(error_of_all<Cancelled>(3,
                                           [](Communicator& c) {
                                               const Box mine = slabs({6, 5}, 3)[own(c)];
                                               DistributedOptions options;
                                               options.local.cancelled = [rank = c.rank()] {
                                                   return rank == 1;
                                               };
                                               distributed::plan("dft 6x5", c, {mine, mine}, options);
                                           }),
                   {"rank 1: "});
}

TEST(DistributedPlanErrors, TellRanksThatAskForDifferentThings) {
    const std::string message = error_of_all<UserError>(3, [](Communicator& c) {
        const Box mine = slabs({6, 5}, 3)[own(c)];
        distributed::plan(c.rank() == 1 ? "dft 6x5 backward" : "dft 6x5", c, {mine, mine});
    });
    expect_mention(message, {"rank 1", "dft 6x5 backward", "rank 0: dft 6x5"});
}

TEST(DistributedPlanErrors, RefuseWhatIsNotDivided) {
    const auto refused = [](const char* problem) {
        return error_of_all<Unsupported>(2, [&](Communicator& c) { distributed::plan(problem, c, {}); });
    };
    expect_mention(refused("convolution 64"), {"convolutions"});
    expect_mention(refused("formula DFT(8)"), {"formulas"});
    expect_mention(refused("dft 8x8 planar"), {"planar"});
    expect_mention(refused("dft 8x8 load=\"2*x\""), {"callbacks"});
    expect_mention(
        error_of_all<UserError>(2, [](Communicator& c) { distributed::plan("dft 8x8 in=(16,1)", c, {}); }),
        {"has no strides"});
}

TEST(DistributedPlanErrors, OfSchedulesSayWhatIsWrong) {
    const auto with = [](const char* schedule) {
        return error_of_all<UserError>(2, [&](Communicator& c) {
            const Box mine = slabs({6, 5}, 2)[own(c)];
            distributed::plan("dft 6x5", c, {mine, mine}, {{}, {}, schedule});
        });
    };
    expect_mention(with("in[1] > 1/2[0"), {"']'"});
    expect_mention(with("in[0,1] > out"), {"transforms axis 0, but rank 0 does not have all of it"});
    expect_mention(with("in[1] > 1/3[0] > out"), {"needs more ranks than 2"});
    expect_mention(with("in[1] > out"), {"leaves transforms out"});
    expect_mention(with("in[1] > 1/2[0]"), {"does not end with the output's boxes"});
    expect_mention(with("in[1] > 1/2[1,0] > out"), {"transforms axis 1 at the wrong time"});
    expect_mention(with("matrix: in[1] > 1/2[0] > out"), {"matrix"});
}

TEST(DistributedPlanErrors, OfAnExecutionEndTheCallsOfOthers) {
    std::mutex mutex;
    std::vector<std::string> messages;
    const auto run = [&](Communicator& c) {
        const Box mine = slabs({6, 5}, 3)[own(c)];
        const DistributedPlan plan = distributed::plan("dft 6x5", c, {mine, mine});
        std::vector<std::complex<double>> x(10), y(c.rank() == 1 ? 3 : 10);
        try {
            plan.execute(x, y);
        } catch (const Error& error) {
            const std::lock_guard lock(mutex);
            messages.emplace_back(error.what());
            throw;
        }
    };
    EXPECT_THROW(run_ranks(3, run), Error);
    ASSERT_EQ(messages.size(), 3u);
    for (const std::string& message : messages) expect_mention(message, {"argument 'output' has 3 elements"});
}

} // namespace
