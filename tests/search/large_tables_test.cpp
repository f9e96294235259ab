// Plans whose factors, in one table each, would fill as much memory as the data: products of entries of small tables.

#include "plan/plan.hpp"
#include "problem/syntax.hpp"
#include "search/planner.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::search {
namespace {

Integer table_bytes(const planning::Plan& plan) {
    Integer bytes = 0;
    for (const planning::StepDescription& step : plan.describe()) bytes += step.info.table_bytes;
    return bytes;
}

TEST(LargeTables, AreReplacedByProductsOfSmallOnes) {
    constexpr Integer most = Integer{9} << 20; // of data of 8 MiB and more
    for (const std::string text : {"dct3 1048576 inplace", "dct4 1048600 float32", "rdft 4194304",
                                   "rdft 4194304 backward", "dct2 1048602"})
        for (const char* name : {"avx512", "avx2", "sse2", "portable"}) {
            const target::Cpu& cpu = target::cpu_named(name);
            if (!target::host_can_run(cpu)) continue;
            const Problem problem = swirl::problem(text);
            // The check compares all outputs with the definition.
            const auto plan = planning::Plan::build(problem, estimate(problem, cpu).recipe, {.check = true});
            EXPECT_LT(table_bytes(*plan), most) << name << ": " << text;
        }
}

} // namespace
} // namespace swirl::search
