// Lengths with a prime factor that no codelet has.

#include "problem/syntax.hpp"
#include "rules/number_theory.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/planner.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>

namespace swirl::search {
namespace rough_lengths_test {

planning::Schedule estimated(const std::string& text, const target::Cpu& cpu) {
    return estimate(swirl::problem(text), cpu).schedule;
}

/// Each choice in the tree of a DFT of n points is one that its rule takes.
void expect_valid(const rules::BreakdownTree& tree, Integer n) {
    if (tree.rule != "stockham") return;
    EXPECT_EQ(std::accumulate(tree.choice.begin(), tree.choice.end(), Integer{1}, std::multiplies<>()), n)
        << rules::to_string(tree);
}

TEST(RoughLengths, HaveRadicesForTheirSmoothFactor) {
    for (const target::Cpu* cpu : target::cpus())
        for (const Integer n : {58275, 58608, 62234, 64380, 113160, 4100000})
            for (const char* precision : {"", " float32"})
                expect_valid(
                    estimated(fmt::format("dft {}{}", n, precision), *cpu).transform().passes.front().tree,
                    n);
}

/// Of the columns: n = p·m for a prime p without a codelet.
bool has_columns_in_two_sweeps(const std::string& text, const target::Cpu& cpu) {
    const rules::BreakdownTree tree = estimated(text, cpu).transform().passes.front().tree;
    EXPECT_EQ(tree.rule, "stockham") << text;
    return rules::to_string(tree).find("two-sweep") != std::string::npos;
}

TEST(RoughLengths, HaveColumnsSideBySideWhereTheCachesHoldThem) {
    for (const target::Cpu* cpu : {&target::avx2_cpu(), &target::avx512_cpu()}) {
        for (const char* text :
             {"dft 526724 float32", "dft 275223 float32 inplace", "dft 1097564 backward float32"})
            EXPECT_FALSE(has_columns_in_two_sweeps(text, *cpu)) << text;
        EXPECT_TRUE(has_columns_in_two_sweeps("dft 623853875", *cpu));
    }
}

TEST(RoughLengths, AreTransformedToo) {
    for (const char* text : {"dft 58275", "dft 62234 float32 backward inplace", "dct3 116550", "dst2 58275"})
        EXPECT_NO_THROW(make_plan<planning::Plan>(swirl::problem(text), {.use_wisdom = false}))
            << text; // and checked
}

} // namespace rough_lengths_test
} // namespace swirl::search
