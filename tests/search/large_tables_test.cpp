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

struct Case {
    std::string problem;
    std::vector<std::string> cpus;
};

TEST(LargeTables, AreReplacedByProductsOfSmallOnes) {
    constexpr Integer most = Integer{9} << 20; // of data of 4 MiB and 32 MiB
    const std::vector<std::string> with_vectors = {"avx512", "avx2", "sse2"};
    for (const Case& one : {Case{"dct4 1048600 float32", {"avx512", "avx2", "sse2", "portable"}},
                            Case{"rdft 4194304", with_vectors}, Case{"rdft 4194304 backward", with_vectors}})
        for (const std::string& name : one.cpus) {
            const target::Cpu& cpu = target::cpu_named(name);
            if (!target::host_can_run(cpu)) continue;
            const Problem problem = swirl::problem(one.problem);
            // The check compares all outputs with the definition.
            const auto plan = planning::Plan::build(problem, estimate(problem, cpu).recipe, {.check = true});
            EXPECT_LT(table_bytes(*plan), most) << name << ": " << one.problem;
        }
}

} // namespace
} // namespace swirl::search
