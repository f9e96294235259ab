// Reductions through the C interface.

#include <gtest/gtest.h>
#include <swirl/swirl.h>

#include <array>
#include <cstring>

namespace c_reductions_test {

TEST(CReductions, AreGivenByNameAndWritten) {
    const swirl_matrix_product product = {SWIRL_REAL32, 2,      3, 1, 1, {1, 2, 0, 0}, {1, 1, 0, 0},
                                          {1, 2, 0, 0}, nullptr};
    const std::array<swirl_reduction, 2> reductions = {
        {{"amax", SWIRL_REDUCE_MAXIMUM, SWIRL_OVER_COLUMNS, "abs(x)"},
         {"total", SWIRL_REDUCE_SUM, SWIRL_OVER_ALL, nullptr}}};
    swirl_matrix_options options = {};
    options.threads = 1;
    options.reductions = reductions.data();
    options.reduction_count = reductions.size();
    swirl_matrix_plan* plan = nullptr;
    ASSERT_EQ(swirl_matrix_plan_create_with(&product, &options, &plan), SWIRL_OK) << swirl_last_error();
    const float alpha = 1, beta = 0, a[] = {1, 2}, b[] = {1, -3, 2};
    float c[6] = {}, amax[2] = {}, total = 7;
    const swirl_array arrays[] = {{"amax", amax, nullptr}, {"total", &total, nullptr}};
    ASSERT_EQ(swirl_matrix_execute_with_arrays(plan, arrays, 2, &alpha, a, b, &beta, c), SWIRL_OK);
    EXPECT_EQ(amax[0], 3);
    EXPECT_EQ(amax[1], 6);
    EXPECT_EQ(total, 0);
    EXPECT_EQ(swirl_matrix_execute_with_arrays(plan, arrays, 1, &alpha, a, b, &beta, c), SWIRL_USER_ERROR);
    EXPECT_NE(std::strstr(swirl_last_error(), "total"), nullptr);
    swirl_matrix_plan_destroy(plan);
}

TEST(CReductions, OfNoKnownKindAreRefused) {
    const swirl_matrix_product product = {SWIRL_REAL32, 2,      3, 1, 1, {1, 2, 0, 0}, {1, 1, 0, 0},
                                          {1, 2, 0, 0}, nullptr};
    const swirl_reduction wrong = {"sum", 0, 3, nullptr};
    swirl_matrix_options options = {};
    options.reductions = &wrong;
    options.reduction_count = 1;
    swirl_matrix_plan* plan = nullptr;
    EXPECT_EQ(swirl_matrix_plan_create_with(&product, &options, &plan), SWIRL_USER_ERROR);
    EXPECT_NE(std::strstr(swirl_last_error(), "reductions[].over is 3"), nullptr);
    EXPECT_EQ(plan, nullptr);
}

} // namespace c_reductions_test
