#include "loops/gpu/split_regions.hpp"

#include "loops/gpu/passes.hpp"

#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace swirl::loops {
namespace split_regions_test {

/// Calls within vectors of 100 reals, arrays 0 and 1, in a loop i of 10 iterations; j is a loop around.
class WholeVectors : public testing::Test {
protected:
    WholeVectors() {
        loops.extents.set(i, 10);
        loops.extents.set(j, 4);
        for (int k = 0; k < 2; ++k)
            loops.arrays.push_back({Array::Role::temporary, Memory::Kind::real, 0, 100});
    }

    static Location at(const Affine& form) { return {.re = form, .im = form, .diagonals = {}, .table = {}}; }
    Call moving(int from, const Affine& source, int to, const Affine& target) const {
        return {.codelet = copying_codelet(),
                .input = {Memory::Kind::real, from},
                .output = {Memory::Kind::real, to},
                .complex = false,
                .placement = {{at(source)}, {at(target)}},
                .loops = {{i, 10}}};
    }
    bool independent(const std::vector<Call>& calls) const { return are_independent(loops, calls, {{j, 4}}); }

    static constexpr Variable i = 0, j = 1;
    LoopProgram loops;
};

TEST_F(WholeVectors, AreMergedWhereCallsTouchDisjointElements) {
    const Affine x = Affine::of(i);
    const Call alone = moving(0, x, 0, x);
    EXPECT_TRUE(independent({alone}));
    EXPECT_TRUE(independent({alone, moving(0, x + 10, 0, x + 10)}));
    EXPECT_TRUE(independent({alone, moving(0, 19 - x, 0, 19 - x)})); // 10 … 19
    EXPECT_FALSE(independent({alone, moving(0, 18 - x, 0, 18 - x)}));
    EXPECT_FALSE(independent({moving(0, x, 1, x), moving(1, x, 0, x + 50)}))
        << "one reads what the other writes";
    EXPECT_FALSE(independent({moving(1, x, 0, x), moving(0, x, 1, x + 50)})) << "or the other way round";
    EXPECT_FALSE(independent({moving(0, x, 1, x), moving(0, x, 1, x + 9)})) << "both write one place";
    EXPECT_TRUE(independent({moving(0, x, 1, x), moving(0, x, 1, x + 10)})) << "both may read it";
}

TEST_F(WholeVectors, AreDisjointWithinOuterIterations) {
    const Affine x = Affine::of(i), y = x + Affine::of(j, 20);
    EXPECT_TRUE(independent({moving(0, y, 0, y), moving(0, y + 10, 0, y + 10)}));
    EXPECT_FALSE(independent({moving(0, y, 0, y), moving(0, x + 10, 0, x + 10)})) << "which meets others";
    Call looked_up = moving(0, x + 10, 0, x + 10);
    looked_up.placement.targets[0].table = IndexTable{};
    EXPECT_FALSE(independent({moving(0, x, 0, x), looked_up}));
}

TEST(RegionsOverWholeVectors, SplitAtLargeIntermediates) {
    const formula::Formula f = rules::expand(
        formula::DCT(2, 1024),
        rules::parse_tree("dct2-rdft[rdft-half-size[two-sweep(32,1,1)[stockham(4,4), stockham(8,4)]]]"));
    const Request request{.formula = f,
                          .complex = false,
                          .scalar = DataType::float32,
                          .input = Layout::contiguous(1024),
                          .output = Layout::contiguous(1024),
                          .for_gpu = true};
    const auto over_all = [&](Integer separate) {
        const KernelRegions regions = kernel_regions({request, Between::global, separate});
        for (const KernelRegion& region : regions.regions)
            EXPECT_TRUE(!region.over_all || are_independent(regions.loops, region.calls, region.around));
        return std::pair(regions.regions.size(),
                         std::count_if(regions.regions.begin(), regions.regions.end(),
                                       [](const KernelRegion& region) { return region.over_all; }));
    };
    const auto fused = over_all(0), separate = over_all(256);
    EXPECT_EQ(fused.second, 0);
    EXPECT_GT(separate.second, 1);
    EXPECT_GT(separate.first, fused.first);
    EXPECT_EQ(over_all(100000), fused);
}

} // namespace split_regions_test
} // namespace swirl::loops
