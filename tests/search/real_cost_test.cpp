#include "search/cost/cpu/real_cost.hpp"
#include "search/cost/cpu/real_cycles.hpp"

#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <gtest/gtest.h>

namespace swirl::search {
namespace real_cost_test {

using formula::RDFT;

Setting setting_with(Memo* memo) {
    return {
        .lanes = 8, .registers = 32, .loops = 1, .cache_bytes = 1 << 20, .element_bytes = 16, .memo = memo};
}

double cycles_of(const std::vector<Candidate>& candidates, std::string_view rule) {
    for (const Candidate& candidate : candidates)
        if (candidate.tree.rule == rule) return candidate.cycles;
    ADD_FAILURE() << "no candidate by " << rule;
    return 0;
}

TEST(RealCandidates, TakeHalfTheComplexTime) {
    for (const Integer n : {945, 2187, 3125})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            Memo memo;
            const auto all = real_candidates(RDFT(n, direction), setting_with(&memo));
            EXPECT_EQ(all.front().tree.rule, "rdft-stockham") << n;
            EXPECT_LT(1.5 * all.front().cycles, cycles_of(all, "rdft-embedding")) << n;
        }
}

TEST(RealCandidates, HaveARealConvolutionForPrimes) {
    Memo memo;
    const auto all = real_candidates(RDFT(10007), setting_with(&memo));
    EXPECT_EQ(all.front().tree.rule, "rdft-rader");
    EXPECT_EQ(all.front().tree.children.size(), 2U);
}

TEST(RealCandidates, CountAHalfSizeTransformOnce) {
    Memo memo;
    const auto setting = setting_with(&memo);
    const auto all = real_candidates(RDFT(1024), setting);
    const double half = cycles_of(all, "rdft-half-size"), whole = cycles_of(all, "rdft-embedding");
    EXPECT_LT(1.5 * half, whole);
}

TEST(RealCandidates, ChargeCacheConflictsOfPageStrides) {
    Memo memo;
    const auto setting = setting_with(&memo);
    const rules::Choice radices{64, 32, 32};
    EXPECT_GT(rdft_stockham_cycles(radices, 65536, Direction::backward, setting),
              rdft_stockham_cycles(radices, 65536, Direction::forward, setting));
}

} // namespace real_cost_test
} // namespace swirl::search
