#include "plan/schedule.hpp"

#include "plan/transform/cpu/plan.hpp"
#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::planning {
namespace schedule_test {

const MatrixProduct square = MatrixProduct::column_major(DataType::float32, 600, 600, 600);

TEST(Schedules, RoundTripThroughTextWithTheirTarget) {
    for (const char* text :
         {"avx512: 0 stockham(8,8)", "avx2: scalar; 0 codelet", "sm_90: 0 stockham(8,8) on 32x4 pad 32",
          "sm_90: chunk 8; 0 stockham(8,8) on 32x4"}) {
        const Schedule schedule = parse_schedule(text, parse_transform("dft 64"));
        EXPECT_EQ(to_string(schedule), text);
        EXPECT_EQ(schedule.target, target_named_in(text));
        EXPECT_EQ(is_for_gpu(schedule), std::string(text).starts_with("sm_90"));
    }
    for (const Schedule& schedule : {Schedule("sm_90", gemm::GpuGemmSchedule(gemm::SimtGemm{})),
                                     Schedule("sm_90", gemm::GpuGemmSchedule(gemm::WgmmaGemm{})),
                                     Schedule("portable", gemm::CpuGemm{gemm::BuiltinGemm{}})}) {
        EXPECT_TRUE(to_string(schedule).starts_with(schedule.target + ": ")) << to_string(schedule);
        EXPECT_EQ(parse_schedule(to_string(schedule), square), schedule);
    }
}

TEST(Schedules, SayThatTheTargetIsMissing) {
    for (const Problem& problem : {Problem(parse_transform("dft 8")), Problem(square)}) {
        const std::string error = error_of<UserError>([&] { parse_schedule("simt cta_m=64", problem); });
        EXPECT_NE(error.find("the target is missing; begin with one"), std::string::npos) << error;
    }
}

TEST(Schedules, NameBothTargetsWhereTheyDiffer) {
    const Schedule schedule = parse_schedule("sm_90: 0 codelet", parse_transform("dft 8"));
    EXPECT_NO_THROW(require_target(schedule, "sm_90"));
    const std::string error = error_of<UserError>([&] { require_target(schedule, "sm_80"); });
    EXPECT_NE(error.find("the schedule is for sm_90, but the plan is for sm_80"), std::string::npos) << error;
}

} // namespace schedule_test
} // namespace swirl::planning
