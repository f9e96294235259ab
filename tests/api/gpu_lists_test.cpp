// Products on a GPU that is not there of matrices that lists of pointers name, and what else the C interface says of plans.

#include "api/c_interface.hpp"
#include "gpu_matrix_fixture.hpp"
#include "support/gpu_schedules.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl {
namespace gpu_lists_test {

class GpuListsInterface : public GpuMatrixInterface {};

MatrixProduct with_lists() {
    MatrixProduct result = product;
    result.batch = 5;
    result.listed = true;
    return result;
}

/// Lists of pointers that a fake GPU never follows.
struct Lists {
    gpu::Array<const float*> a{5}, b{5};
    gpu::Array<float*> c{5};
};

TEST_F(GpuListsInterface, GivesKernelsListsOfPointers) {
    const Plan plan = swirl::plan(with_lists(), unchecked);
    const Lists lists;
    plan.execute_each(2, lists.a.data(), lists.b.data(), 0, lists.c.data(), 5);
    EXPECT_EQ(pointer_given(fake, 0), lists.a.data());
    EXPECT_EQ(pointer_given(fake, 1), lists.b.data());
    EXPECT_EQ(pointer_given(fake, 2), lists.c.data());
    EXPECT_EQ(last_given().factors[0], 2);
    plan.execute_each(0, nullptr, nullptr, 3, lists.c.data(), 5);
    EXPECT_EQ(last_given().multiplies, 0);
}

TEST_F(GpuListsInterface, RefusesListsThatDoNotFit) {
    const Plan plan = swirl::plan(with_lists(), unchecked), other = swirl::plan(product, unchecked);
    const Lists lists;
    const gpu::Array<float> matrix(64 * 48);
    const gpu::Array<const float*> little(4);
    const auto refused = [&](const Plan& by, const float* const* a) {
        return error_of<UserError>([&] { by.execute_each(1, a, lists.b.data(), 0, lists.c.data(), 5); });
    };
    expect_contains(refused(plan, nullptr), {"list a is null"});
    expect_contains(refused(plan, little.data()), {"list a", "too small"});
    expect_contains(refused(other, lists.a.data()), {"not a pointer-array batch", "'listed'"});
    expect_contains(
        error_of<UserError>([&] { plan.execute(1, matrix.data(), matrix.data(), 0, matrix.data()); }),
        {"execute_each()"});
    MatrixProduct wrong = with_lists();
    wrong.list_alignment = 12;
    expect_contains(error_of<UserError>([&] { swirl::plan(wrong, unchecked); }), {"list_alignment is 12"});
    wrong.listed = false;
    wrong.list_alignment = 16;
    expect_contains(error_of<UserError>([&] { swirl::plan(wrong, unchecked); }), {"listed is false"});
    expect_contains(error_of<Unsupported>([&] { swirl::plan(with_lists()); }),
                    {"listed is true", "Options::device"});
    expect_contains(error_of<UserError>(
                        [&] { plan.execute_each(1, lists.a.data(), lists.b.data(), 0, lists.c.data(), 4); }),
                    {"count is 4", "batch of 5"});
    EXPECT_TRUE(fake.launches.empty());
    EXPECT_EQ(refused(plan, lists.a.data()), "");
}

TEST_F(GpuListsInterface, AreMadeForComparisonsAndSearches) {
    fake.free_bytes = std::size_t{1} << 24;
    expect_contains(error_of<InternalError>([] {
                        swirl::plan(with_lists(), {.device = Device::gpu(), .use_kernel_cache = false});
                    }),
                    {"64 by 48 by 32", "is wrong at"}); // such kernels do nothing
    fake.launches.clear();
    swirl::plan(with_lists(), {.device = Device::gpu(),
                               .effort = Effort::measure,
                               .time_budget_seconds = 0.05,
                               .check = false,
                               .use_wisdom = false,
                               .use_kernel_cache = false});
    EXPECT_FALSE(fake.launches.empty());
}

TEST_F(GpuListsInterface, GroupsAreLaunchedTogetherOrNotAtAll) {
    MatrixProduct other = with_lists();
    other.rows = 32;
    const Plan first = swirl::plan(with_lists(), unchecked), second = swirl::plan(other, unchecked);
    const Lists lists;
    std::vector<MatrixGroup> groups;
    for (const Plan& plan : {first, second})
        groups.push_back({plan, 1, lists.a.data(), lists.b.data(), 0, lists.c.data(), 5});
    auto* const stream = reinterpret_cast<void*>(0x1234);
    execute_groups(groups, gpu::Stream(stream));
    ASSERT_EQ(fake.launches.size(), 2U);
    EXPECT_EQ(static_cast<void*>(fake.launches[1].stream), stream);
    groups[1].c = {};
    expect_contains(error_of<UserError>([&] { execute_groups(groups); }), {"list c is null"});
    EXPECT_EQ(fake.launches.size(), 2U);
}

TEST_F(GpuListsInterface, TakesListsFromC) {
    const c::Problem problem = c::product(SWIRL_FLOAT32, 64, 48, 32);
    ASSERT_EQ(swirl_problem_set_batch(problem.get(), 5), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_pointer_arrays(problem.get(), 16), SWIRL_OK);
    const swirl_options options = c::on_gpu();
    const c::Plan plan = c::plan(problem, &options);
    const Lists lists;
    const float alpha = 2, beta = 0;
    const auto* const a = reinterpret_cast<const void* const*>(lists.a.data());
    const auto* const b = reinterpret_cast<const void* const*>(lists.b.data());
    auto* const c = reinterpret_cast<void* const*>(lists.c.data());
    const swirl_array arrays[] = {
        {"alpha", &alpha, nullptr}, {"a", a, nullptr}, {"b", b, nullptr}, {"c", c, nullptr}};
    ASSERT_EQ(swirl_execute_arrays(plan.get(), arrays, 4, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(pointer_given(fake, 2), lists.c.data());
    const swirl_group groups[] = {{plan.get(), &alpha, a, b, &beta, c, 5},
                                  {plan.get(), &alpha, a, b, &beta, c, 5}};
    EXPECT_EQ(swirl_execute_groups(groups, 2, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(fake.launches.size(), 3U);
    EXPECT_EQ(swirl_execute_product(plan.get(), &alpha, a, b, &beta, lists.c.data()), SWIRL_USER_ERROR);
    c::expect_error(swirl_execute_groups(groups, static_cast<std::size_t>(-1), nullptr), SWIRL_USER_ERROR,
                    "argument 'groups' has 18446744073709551615 elements");
}

TEST_F(GpuListsInterface, TakesDataTypesAndAccuracyFromC) {
    const c::Problem problem = c::product(SWIRL_FLOAT32, 256, 256, 256);
    const swirl_matrix_layout rows = {256, 1, 0, 0};
    ASSERT_EQ(swirl_problem_set_matrix(problem.get(), SWIRL_A, &rows), SWIRL_OK);
    swirl_options options = c::on_gpu();
    const auto schedule = [&] {
        const c::Plan plan = c::plan(problem, &options);
        return std::string(plan == nullptr ? "" : swirl_plan_schedule(plan.get()));
    };
    const auto expected = [&](std::optional<DataType> data_type, Accuracy accuracy) {
        MatrixProduct same = MatrixProduct::column_major(DataType::float32, 256, 256, 256);
        same.a = {256, 1};
        same.a_type = same.b_type = data_type;
        return swirl::gpu_schedules(same, 1, accuracy).front();
    };
    for (const Accuracy accuracy : {Accuracy::ordinary, Accuracy::ordinary_in_range, Accuracy::reduced,
                                    Accuracy::eleven_bits, Accuracy::low}) {
        options.accuracy = static_cast<int>(accuracy);
        EXPECT_EQ(schedule(), expected(std::nullopt, accuracy));
    }
    options.accuracy = SWIRL_ORDINARY;
    for (const int matrix : {SWIRL_A, SWIRL_B})
        ASSERT_EQ(swirl_problem_set_matrix_type(problem.get(), matrix, SWIRL_FLOAT8_E4M3), SWIRL_OK);
    EXPECT_EQ(schedule(), expected(DataType::float8_e4m3, Accuracy::ordinary));
}

} // namespace gpu_lists_test
} // namespace swirl
