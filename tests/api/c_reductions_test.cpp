// Reductions through the C interface.

#include "api/c_interface.hpp"

#include <gtest/gtest.h>

namespace c_reductions_test {

TEST(CReductions, AreGivenByNameAndWritten) {
    const c::Problem problem = c::product(SWIRL_FLOAT32, 2, 3, 1);
    ASSERT_EQ(swirl_problem_add_reduction(problem.get(), "amax", SWIRL_MAXIMUM, SWIRL_OVER_COLUMNS, "abs(x)"),
              SWIRL_OK);
    ASSERT_EQ(swirl_problem_add_reduction(problem.get(), "total", SWIRL_SUM, SWIRL_OVER_ALL, nullptr),
              SWIRL_OK);
    const c::Plan plan = c::plan(problem);
    const float a[] = {1, 2}, b[] = {1, -3, 2};
    float c[6] = {}, amax[2] = {}, total = 7;
    const swirl_array arrays[] = {{"a", a, nullptr},
                                  {"b", b, nullptr},
                                  {"c", c, nullptr},
                                  {"amax", amax, nullptr},
                                  {"total", &total, nullptr}};
    ASSERT_EQ(swirl_execute_arrays(plan.get(), arrays, 5, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(amax[0], 3);
    EXPECT_EQ(amax[1], 6);
    EXPECT_EQ(total, 0);
    c::expect_error(swirl_execute_arrays(plan.get(), arrays, 4, nullptr), SWIRL_USER_ERROR, "total");
}

TEST(CReductions, OfNoKnownKindAreRefused) {
    const c::Problem problem = c::product(SWIRL_FLOAT32, 2, 3, 1);
    c::expect_error(swirl_problem_add_reduction(problem.get(), "sum", SWIRL_SUM, 3, nullptr),
                    SWIRL_USER_ERROR, "over");
    c::expect_error(swirl_problem_add_reduction(problem.get(), "sum", -1, SWIRL_OVER_ALL, nullptr),
                    SWIRL_USER_ERROR, "operation");
    c::expect_error(swirl_problem_add_reduction(problem.get(), nullptr, 0, 0, nullptr), SWIRL_USER_ERROR,
                    "name");
    EXPECT_EQ(c::text_of(problem), "gemm 2x3x1 float32");
}

} // namespace c_reductions_test
