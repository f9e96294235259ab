#include "loops/gpu/open_loops.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace swirl::loops {
namespace open_loops_test {

/// Counts of the loops around a single codelet with the given own loops, once they are opened.
std::vector<Integer> around(std::vector<Loop> outer, std::vector<Loop> own) {
    LoopProgram loops;
    KernelRegion region;
    region.around = std::move(outer);
    region.calls.resize(1);
    region.calls[0].loops = std::move(own);
    open_loops(loops, region, {.threads = 1});
    std::vector<Integer> counts;
    for (const Loop& loop : region.around) counts.push_back(loop.count);
    return counts;
}

TEST(OpenedLoops, AreBlocksExceptForAFewIterations) {
    EXPECT_EQ(around({}, {{0, 1000}, {1, 16}}), (std::vector<Integer>{1000}));
    EXPECT_EQ(around({}, {{0, 1000}, {1, 100}}), (std::vector<Integer>{1000, 100}));
}

TEST(OpenedLoops, AreBlocksWithinABatchIfABlockHadTooMuchToDo) {
    EXPECT_EQ(around({{2, 2}}, {{0, 1000}}), (std::vector<Integer>{2}));
    EXPECT_EQ(around({{2, 2}}, {{0, 1000000}}), (std::vector<Integer>{2, 1000000}));
}

} // namespace open_loops_test
} // namespace swirl::loops
