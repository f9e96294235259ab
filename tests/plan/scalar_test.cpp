#include "ir/analysis.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "support/transform_schedule.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

namespace swirl::planning {
namespace scalar_test {

TEST(ScalarSchedule, RoundTrips) {
    for (const char* text :
         {"sse2: scalar; 0 dft-iterative(2,2)", "avx2: 0 codelet", "avx512: scalar; 0 codelet; 1 codelet"})
        EXPECT_EQ(to_string(transform_schedule(text)), text);
    EXPECT_TRUE(transform_schedule("  avx2 :   scalar ;0 codelet").transform().scalar);
    EXPECT_FALSE(transform_schedule("avx2: 0 codelet").transform().scalar);
    EXPECT_FALSE(transform_schedule("avx2: 0 codelet") == transform_schedule("avx2: scalar; 0 codelet"));
}

TEST(ScalarSchedule, NamesWhatItDoesNotKnow) {
    EXPECT_THROW(transform_schedule("sse2: wide; 0 codelet"), UserError);
    EXPECT_THROW(transform_schedule("sse2: scalar; scalar; 0 codelet"), UserError);
    EXPECT_THROW(Plan::build(Transform::dft({8}), transform_schedule("portable: scalar; 0 codelet")),
                 UserError);
}

/// Lanes of the widest value.
int widest(const ir::Program& program) {
    int lanes = 1;
    ir::for_each_operation(program,
                           [&](ir::Value value) { lanes = std::max(lanes, int(program[value].type.lanes)); });
    return lanes;
}

TEST(ScalarSchedule, MakesProgramsWithoutVectorsThatAreTheTransform) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "no generated code can run";
    for (const target::Cpu* cpu : target::cpus()) {
        if (cpu->set == target::InstructionSet::portable || !target::host_can_run(*cpu)) continue;
        for (const char* text :
             {"dft 64", "dft 64 float32", "wht 64", "rdft 64", "dft 64 inplace batch=3", "dft 4096"})
            for (const bool scalar : {false, true}) {
                const Transform problem = parse_transform(text);
                Schedule schedule{cpu->name, TransformSchedule{{{0, {}}}, scalar}};
                if (problem.dimensions[0].length > 64)
                    schedule.transform().passes[0].tree = rules::parse_tree("dft-iterative");
                const auto plan = Plan::build(problem, schedule); // compares with the definition
                for (const PassDescription& pass : plan->describe()) {
                    const int lanes = widest(pass.program);
                    EXPECT_TRUE(scalar ? lanes == 1 : lanes > 1 || problem.dimensions[0].length <= 64)
                        << text << " " << to_string(schedule);
                }
                EXPECT_TRUE(!scalar || plan->listing(0).find("ymm") == std::string::npos) << text;
            }
    }
}

} // namespace scalar_test
} // namespace swirl::planning
