// Products on a GPU that is not there of matrices that lists of pointers name, and what else the C interface says of plans.

#include "api/build.hpp"
#include "gpu_matrix_fixture.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl {
namespace {

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
    plan.execute_each(2, lists.a.data(), lists.b.data(), 0, lists.c.data());
    EXPECT_EQ(pointer_given(fake, 0), lists.a.data());
    EXPECT_EQ(pointer_given(fake, 1), lists.b.data());
    EXPECT_EQ(pointer_given(fake, 2), lists.c.data());
    EXPECT_EQ(last_given().factors[0], 2);
    plan.execute_each(0, nullptr, nullptr, 3, lists.c.data());
    EXPECT_EQ(last_given().multiplies, 0);
}

TEST_F(GpuListsInterface, RefusesListsThatDoNotFit) {
    const Plan plan = swirl::plan(with_lists(), unchecked), other = swirl::plan(product, unchecked);
    const Lists lists;
    const gpu::Array<float> matrix(64 * 48);
    const gpu::Array<const float*> little(4);
    const auto refused = [&](const Plan& by, const float* const* a) {
        return error_of<UserError>([&] { by.execute_each(1, a, lists.b.data(), 0, lists.c.data()); });
    };
    expect_contains(refused(plan, nullptr), {"list a is null"});
    expect_contains(refused(plan, little.data()), {"list a", "too small"});
    expect_contains(refused(other, lists.a.data()), {"has no lists", "'listed'"});
    expect_contains(
        error_of<UserError>([&] { plan.execute(1, matrix.data(), matrix.data(), 0, matrix.data()); }),
        {"execute_each()"});
    MatrixProduct wrong = with_lists();
    wrong.list_alignment = 12;
    expect_contains(error_of<UserError>([&] { swirl::plan(wrong, unchecked); }), {"list_alignment is 12"});
    wrong.listed = false;
    wrong.list_alignment = 16;
    expect_contains(error_of<UserError>([&] { swirl::plan(wrong, unchecked); }), {"listed is false"});
    expect_contains(error_of<UserError>([&] { swirl::plan(with_lists()); }), {"listed is true", "gpu::plan"});
    EXPECT_TRUE(fake.launches.empty());
    EXPECT_EQ(refused(plan, lists.a.data()), "");
}

TEST_F(GpuListsInterface, AreMadeForComparisonsAndSearches) {
    fake.free_bytes = std::size_t{1} << 24;
    expect_contains(error_of<InternalError>([] { swirl::plan(with_lists(), {.device = Device::gpu(), .use_kernel_cache = false}); }),
                    {"64 by 48 by 32", "is wrong at"}); // such kernels do nothing
    fake.launches.clear();
    swirl::plan(with_lists(), {.device = Device::gpu(), .effort = Effort::measure, .time_budget_seconds = 0.05, .check = false, .use_wisdom = false, .use_kernel_cache = false});
    EXPECT_FALSE(fake.launches.empty());
}

TEST_F(GpuListsInterface, GroupsAreLaunchedTogetherOrNotAtAll) {
    MatrixProduct other = with_lists();
    other.rows = 32;
    const Plan first = swirl::plan(with_lists(), unchecked), second = swirl::plan(other, unchecked);
    const Lists lists;
    std::vector<MatrixGroup> groups;
    for (const Plan& plan : {first, second})
        groups.push_back({plan, 1, lists.a.data(), lists.b.data(), 0, lists.c.data()});
    auto* const stream = reinterpret_cast<void*>(0x1234);
    execute_groups(groups, gpu::Stream(stream));
    ASSERT_EQ(fake.launches.size(), 2U);
    EXPECT_EQ(static_cast<void*>(fake.launches[1].stream), stream);
    groups[1].c = nullptr;
    expect_contains(error_of<UserError>([&] { execute_groups(groups); }), {"list c is null"});
    EXPECT_EQ(fake.launches.size(), 2U);
}

TEST_F(GpuListsInterface, TakesListsFromC) {
    const swirl_matrix_product wanted = {SWIRL_REAL32,  64,     48, 32, 5, {1, 64, 0, 0}, {1, 32, 0, 0},
                                         {1, 64, 0, 0}, nullptr};
    swirl_gpu_matrix_options options = {};
    options.listed = 1;
    options.list_alignment = 16;
    options.flags = SWIRL_NO_CHECK | SWIRL_NO_CACHE;
    swirl_gpu_matrix_plan* made = nullptr;
    ASSERT_EQ(swirl_gpu_matrix_plan_create_with(&wanted, &options, &made), SWIRL_OK) << swirl_last_error();
    const std::unique_ptr<swirl_gpu_matrix_plan, Destroy> plan(made);
    const Lists lists;
    const float alpha = 2, beta = 0;
    const auto* const a = reinterpret_cast<const void* const*>(lists.a.data());
    const auto* const b = reinterpret_cast<const void* const*>(lists.b.data());
    auto* const c = reinterpret_cast<void* const*>(lists.c.data());
    ASSERT_EQ(swirl_gpu_matrix_execute_each(made, nullptr, 0, &alpha, a, b, &beta, c, nullptr, nullptr, 0),
              SWIRL_OK)
        << swirl_last_error();
    EXPECT_EQ(pointer_given(fake, 2), lists.c.data());
    const swirl_gpu_matrix_group groups[] = {{made, &alpha, a, b, &beta, c}, {made, &alpha, a, b, &beta, c}};
    EXPECT_EQ(swirl_gpu_matrix_execute_groups(groups, 2, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(fake.launches.size(), 3U);
    EXPECT_EQ(swirl_gpu_matrix_execute(made, &alpha, a, b, &beta, lists.c.data(), nullptr), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_gpu_matrix_execute_groups(groups, static_cast<std::size_t>(-1), nullptr),
              SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"argument 'groups' has 18446744073709551615 elements"});
    const swirl_reduction reduction = {};
    options.reductions = &reduction;
    options.reduction_count = std::size_t{1} << 62;
    EXPECT_EQ(swirl_gpu_matrix_plan_create_with(&wanted, &options, &made), SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"argument 'reductions' has 4611686018427387904 elements"});
    options.reduction_count = 0;
    options.accuracy = 99;
    EXPECT_EQ(swirl_gpu_matrix_plan_create_with(&wanted, &options, &made), SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"accuracy is 99"});
}

TEST_F(GpuListsInterface, TakesNumbersAndAccuracyFromC) {
    swirl_matrix_product wanted = {SWIRL_REAL32,   256,    256, 256, 1, {256, 1, 0, 0}, {1, 256, 0, 0},
                                   {1, 256, 0, 0}, nullptr};
    swirl_gpu_matrix_options options = {};
    options.flags = SWIRL_NO_CHECK | SWIRL_NO_CACHE;
    const auto schedule = [&] {
        swirl_gpu_matrix_plan* made = nullptr;
        EXPECT_EQ(swirl_gpu_matrix_plan_create_with(&wanted, &options, &made), SWIRL_OK)
            << swirl_last_error();
        const std::unique_ptr<swirl_gpu_matrix_plan, Destroy> plan(made);
        return std::string(made == nullptr ? "" : swirl_gpu_matrix_plan_schedule(made));
    };
    const auto expected = [&](std::optional<DataType> number, Accuracy accuracy) {
        MatrixProduct same = MatrixProduct::column_major(DataType::float32, 256, 256, 256);
        same.a = {256, 1};
        same.a_type = same.b_type = number;
        return api::gpu_schedules(same, 1, 0, accuracy).front();
    };
    for (const Accuracy accuracy : {Accuracy::ordinary, Accuracy::ordinary_in_range, Accuracy::reduced,
                                    Accuracy::eleven_bits, Accuracy::low}) {
        options.accuracy = static_cast<int>(accuracy);
        EXPECT_EQ(schedule(), expected(std::nullopt, accuracy));
    }
    const int numbers[] = {SWIRL_TYPE_FLOAT8_E4M3, SWIRL_TYPE_FLOAT8_E4M3, SWIRL_REAL32};
    options.accuracy = 0;
    options.types = numbers;
    EXPECT_EQ(schedule(), expected(DataType::float8_e4m3, Accuracy::ordinary));
}

} // namespace
} // namespace swirl
