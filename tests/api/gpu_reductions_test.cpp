// What kernels of products with reductions are given, on a GPU that is not there.

#include "gpu_matrix_fixture.hpp"

#include "support/error_of.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace gpu_reductions_test {

using GpuReductions = GpuMatrixInterface;

MatrixProduct reduced() {
    MatrixProduct result = product;
    result.reductions = {{"amax", Reduce::maximum, Over::columns, Expression("abs(x) * scale[j]")},
                         {"total", Reduce::sum, Over::all, {}}};
    return result;
}

TEST_F(GpuReductions, FollowTheProductWithWhatItHasLeft) {
    fake.argument_bytes = {}; // of several kernels
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), scale(48), amax(64), total(1);
    const Plan plan = swirl::plan(reduced(), {.device = Device::gpu(),
                                              .schedule = "sm_90: cta_m=32 cta_n=16 cta_k=8 "
                                                          "thread_m=4 thread_n=4 stages=2",
                                              .check = false,
                                              .use_wisdom = false,
                                              .use_kernel_cache = false});
    EXPECT_GE(plan.workspace_bytes(), (64 * 3 + 6) * sizeof(float));
    plan.with("scale", scale.data())
        .with("amax", const_cast<float*>(amax.data()))
        .with("total", const_cast<float*>(total.data()))
        .execute(1, a.data(), b.data(), 0, const_cast<float*>(c.data()));
    EXPECT_EQ(fake.launches.size(), 3U);
}

/// Results are written that there are, and nothing else.
TEST_F(GpuReductions, OfMatricesWithoutElementsAreLaunched) {
    fake.argument_bytes = {8};
    MatrixProduct none = reduced();
    none.rows = 0;
    gpu::Array<float> total(1);
    swirl::plan(none, unchecked)
        .with("total", total.data())
        .execute(1, nullptr, nullptr, 0, static_cast<float*>(nullptr));
    ASSERT_EQ(fake.launches.size(), 1U);
    EXPECT_EQ(pointer_given(fake, 0), total.data());
}

TEST_F(GpuReductions, RefuseArraysThatLieOverOthers) {
    gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), scale(48), amax(64), total(1);
    const Plan plan = swirl::plan(reduced(), unchecked).with("scale", scale.data());
    const auto refused = [&](const Plan& one) {
        return error_of<UserError>([&] { one.execute(1, a.data(), b.data(), 0, c.data()); });
    };
    expect_contains(refused(plan), {"amax", "with(\"amax\""});
    const Plan with_total = plan.with("total", total.data());
    expect_contains(refused(with_total.with("amax", c.data())), {"array amax", "c = ", "overlap"});
    expect_contains(refused(with_total.with("amax", b.data() + 9)), {"array amax", "b = ", "overlap"});
    expect_contains(refused(plan.with("amax", amax.data()).with("total", amax.data() + 63)),
                    {"array amax", "array total", "overlap"});
    const float* const constant = amax.data();
    expect_contains(error_of<UserError>([&] { plan.with("amax", constant); }), {"amax", "const float"});
}

} // namespace gpu_reductions_test
} // namespace swirl
