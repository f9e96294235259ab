#include "cufft/fake_gpu.hpp"

#include "cufft/version.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <functional>
#include <thread>
#include <vector>

extern "C" const int swirl_cufft_version = 12000; // of this program

namespace swirl::cufft {
namespace interface_test {

using S = Status;
using Complex = std::complex<float>;

class CufftInterface : public CufftOnFakeGpu {
protected:
    void SetUp() override {
        CufftOnFakeGpu::SetUp();
        ASSERT_EQ(cufftCreate(&created), S::success);
    }
    void TearDown() override {
        fake.failures.clear();
        cufftDestroy(created);
    }

    Handle created = 0;
    std::size_t bytes = 0;
    int n[3] = {4, 6, 10};
    Long n64[3] = {4, 6, 10};
    std::vector<Complex> x = std::vector<Complex>(1 << 16), y = x;
};

/// A plan that needs a work area: between the dimensions of an inverse real transform.
constexpr int rows = 96, columns = 130;

TEST_F(CufftInterface, EveryWayToPlanMakesTheSameTransform) {
    const Request request{{Kind::Sides::complex, DataType::float32}, {4, 6, 10}, 1, {}};
    std::vector<Handle> plans(8, 0);
    EXPECT_EQ(cufftPlan3d(&plans[0], 4, 6, 10, Type::c2c), S::success);
    EXPECT_EQ(cufftPlanMany(&plans[1], 3, n, nullptr, 9, 9, nullptr, 9, 9, Type::c2c, 1), S::success);
    for (std::size_t k = 2; k < plans.size(); ++k) EXPECT_EQ(cufftCreate(&plans[k]), S::success);
    EXPECT_EQ(cufftMakePlan3d(plans[2], 4, 6, 10, Type::c2c, &bytes), S::success);
    EXPECT_EQ(cufftMakePlanMany(plans[3], 3, n, nullptr, 0, 0, nullptr, 0, 0, Type::c2c, 1, &bytes),
              S::success);
    EXPECT_EQ(cufftMakePlanMany64(plans[4], 3, n64, nullptr, 0, 0, nullptr, 0, 0, Type::c2c, 1, &bytes),
              S::success);
    // One of the two layouts does not count.
    EXPECT_EQ(cufftMakePlanMany(plans[5], 3, n, n, 2, 700, nullptr, 1, 1, Type::c2c, 1, &bytes), S::success);
    EXPECT_EQ(cufftMakePlanMany(plans[6], 3, n, nullptr, 2, 700, n, 1, 1, Type::c2c, 1, &bytes), S::success);
    EXPECT_EQ(cufftXtMakePlanMany(plans[7], 3, n64, nullptr, 0, 0, ElementType::complex_float32, nullptr, 0,
                                  0, ElementType::complex_float32, 1, &bytes, ElementType::complex_float32),
              S::success);
    for (std::size_t k = 0; k < 240; ++k)
        x[k] = Complex(static_cast<float>(k % 7), static_cast<float>(k % 5));
    std::vector<Complex> first;
    for (const Handle plan : plans) {
        EXPECT_EQ(cufftExecC2C(plan, x.data(), y.data(), forward_sign), S::success);
        run_launched(request, x.data(), y.data());
        if (first.empty()) first = y;
        EXPECT_EQ(y, first);
        EXPECT_EQ(cufftDestroy(plan), S::success);
    }
    EXPECT_NE(first[1], Complex());
}

TEST_F(CufftInterface, ExecutesEveryType) {
    const struct {
        Type type;
        Kind kind;
        std::function<Status(Handle, void*, void*)> execute;
    } cases[] = {
        {Type::c2c,
         {Kind::Sides::complex, DataType::float32},
         [](Handle h, void* a, void* b) { return cufftExecC2C(h, a, b, inverse_sign); }},
        {Type::r2c, {Kind::Sides::real_to_complex, DataType::float32}, cufftExecR2C},
        {Type::c2r, {Kind::Sides::complex_to_real, DataType::float32}, cufftExecC2R},
        {Type::z2z,
         {Kind::Sides::complex, DataType::float64},
         [](Handle h, void* a, void* b) { return cufftExecZ2Z(h, a, b, inverse_sign); }},
        {Type::d2z, {Kind::Sides::real_to_complex, DataType::float64}, cufftExecD2Z},
        {Type::z2d, {Kind::Sides::complex_to_real, DataType::float64}, cufftExecZ2D},
    };
    for (const auto& one : cases) {
        Handle plan = 0;
        ASSERT_EQ(cufftPlan1d(&plan, 20, one.type, 3), S::success);
        const Request request{one.kind, {20}, 3, {}};
        const auto check = [&](void* in, void* out) {
            EXPECT_EQ(one.execute(plan, in, out), S::success);
            run_launched(request, in, out);
            EXPECT_EQ(cufftXtExec(plan, in, out, one.kind.sides == Kind::Sides::real_to_complex ? -1 : 1),
                      S::success);
            run_launched(request, in, out);
        };
        check(x.data(), y.data());
        check(x.data(), x.data());
        for (const auto& other : cases) {
            if (other.type == one.type) continue;
            EXPECT_EQ(other.execute(plan, x.data(), y.data()), S::invalid_type);
        }
        cufftDestroy(plan);
    }
    EXPECT_TRUE(fake.launches.empty());
}

TEST_F(CufftInterface, RefusesInvalidArguments) {
    Handle plan = 0;
    EXPECT_EQ(cufftCreate(nullptr), S::invalid_value);
    EXPECT_EQ(cufftPlan1d(nullptr, 8, Type::c2c, 1), S::invalid_value);
    EXPECT_EQ(cufftPlan1d(&plan, 0, Type::c2c, 1), S::invalid_size);
    EXPECT_EQ(cufftPlan1d(&plan, -8, Type::c2c, 1), S::invalid_size);
    EXPECT_EQ(cufftPlan1d(&plan, 8, Type::c2c, 0), S::invalid_size);
    EXPECT_EQ(cufftPlan1d(&plan, 8, static_cast<Type>(0x30), 1), S::invalid_type);
    EXPECT_EQ(cufftPlan2d(&plan, 8, 0, Type::r2c), S::invalid_size);
    EXPECT_EQ(cufftPlan3d(&plan, 8, 1, 0, Type::r2c), S::invalid_size);
    for (const int rank : {-1, 0, 4})
        EXPECT_EQ(cufftPlanMany(&plan, rank, n, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1),
                  S::invalid_value);
    EXPECT_EQ(cufftPlanMany(&plan, 1, nullptr, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1), S::invalid_value);
    EXPECT_EQ(cufftPlanMany(&plan, 2, n, n, 0, 24, n, 1, 24, Type::c2c, 2), S::invalid_value);
    EXPECT_EQ(cufftPlanMany(&plan, 2, n, n, 1, 24, n, 1, 23, Type::c2c, 2),
              S::invalid_value); // outputs overlap
    EXPECT_EQ(plan, 0);
    EXPECT_EQ(cufftMakePlan1d(created, 8, Type::c2c, 1, nullptr), S::invalid_value);
    Long huge[] = {Long{1} << 40, Long{1} << 40};
    EXPECT_EQ(cufftMakePlanMany64(created, 2, huge, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1, &bytes),
              S::invalid_size);
    const auto xt = [&](ElementType in, ElementType out, ElementType arithmetic) {
        return cufftXtMakePlanMany(created, 1, n64, nullptr, 1, 1, in, nullptr, 1, 1, out, 1, &bytes,
                                   arithmetic);
    };
    using E = ElementType;
    EXPECT_EQ(xt(E::real_float32, E::real_float32, E::real_float32), S::invalid_type);
    EXPECT_EQ(xt(E::complex_float16, E::complex_float32, E::complex_float32), S::invalid_type);
    EXPECT_EQ(xt(E::complex_float32, E::complex_float32, E::complex_float64), S::invalid_type);
    EXPECT_EQ(xt(E::complex_float16, E::complex_float16, E::complex_bfloat16), S::invalid_type);
    EXPECT_EQ(xt(static_cast<E>(3), static_cast<E>(3), static_cast<E>(3)), S::invalid_type);
    // None of these has made the plan.
    EXPECT_EQ(cufftGetSize(created, &bytes), S::invalid_plan);
    EXPECT_EQ(cufftExecC2C(created, x.data(), y.data(), forward_sign), S::invalid_plan);
    ASSERT_EQ(cufftMakePlan1d(created, 8, Type::c2c, 1, &bytes), S::success);
    EXPECT_EQ(cufftMakePlan1d(created, 8, Type::c2c, 1, &bytes), S::invalid_plan);
    EXPECT_EQ(cufftGetSize(created, nullptr), S::invalid_value);
    EXPECT_EQ(cufftExecC2C(created, nullptr, y.data(), forward_sign), S::invalid_value);
    EXPECT_EQ(cufftExecC2C(created, x.data(), nullptr, forward_sign), S::invalid_value);
    for (const int sign : {0, 2, -2})
        EXPECT_EQ(cufftExecC2C(created, x.data(), y.data(), sign), S::invalid_value);
    EXPECT_EQ(cufftExecC2C(created, x.data(), x.data() + 1, forward_sign), S::invalid_value); // overlap
    EXPECT_EQ(cufftExecC2C(created, reinterpret_cast<char*>(x.data()) + 4, y.data(), forward_sign),
              S::invalid_value); // misaligned
    EXPECT_TRUE(fake.launches.empty());
}

TEST_F(CufftInterface, ForgetsDestroyedHandles) {
    Handle plan = 0;
    ASSERT_EQ(cufftPlan1d(&plan, 8, Type::c2c, 1), S::success);
    EXPECT_EQ(cufftDestroy(plan), S::success);
    EXPECT_EQ(cufftDestroy(null_plan), S::success);
    Long value = 0;
    int ordinals[] = {0};
    void* areas[] = {nullptr};
    Descriptor* descriptor = nullptr;
    using E = ElementType;
    const Status answers[] = {
        cufftDestroy(plan),
        cufftMakePlan1d(plan, 8, Type::c2c, 1, &bytes),
        cufftMakePlan2d(plan, 8, 8, Type::c2c, &bytes),
        cufftMakePlan3d(plan, 8, 8, 8, Type::c2c, &bytes),
        cufftMakePlanMany(plan, 1, n, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1, &bytes),
        cufftMakePlanMany64(plan, 1, n64, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1, &bytes),
        cufftXtMakePlanMany(plan, 1, n64, nullptr, 1, 1, E::complex_float32, nullptr, 1, 1,
                            E::complex_float32, 1, &bytes, E::complex_float32),
        cufftGetSize1d(plan, 8, Type::c2c, 1, &bytes),
        cufftGetSize2d(plan, 8, 8, Type::c2c, &bytes),
        cufftGetSize3d(plan, 8, 8, 8, Type::c2c, &bytes),
        cufftGetSizeMany(plan, 1, n, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1, &bytes),
        cufftGetSizeMany64(plan, 1, n64, nullptr, 1, 1, nullptr, 1, 1, Type::c2c, 1, &bytes),
        cufftXtGetSizeMany(plan, 1, n64, nullptr, 1, 1, E::complex_float32, nullptr, 1, 1, E::complex_float32,
                           1, &bytes, E::complex_float32),
        cufftGetSize(plan, &bytes),
        cufftSetStream(plan, nullptr),
        cufftSetAutoAllocation(plan, 0),
        cufftSetWorkArea(plan, nullptr),
        cufftXtSetWorkArea(plan, areas),
        cufftXtSetWorkAreaPolicy(plan, WorkAreaPolicy::minimal, &bytes),
        cufftExecC2C(plan, x.data(), y.data(), -1),
        cufftExecR2C(plan, x.data(), y.data()),
        cufftExecC2R(plan, x.data(), y.data()),
        cufftExecZ2Z(plan, x.data(), y.data(), -1),
        cufftExecD2Z(plan, x.data(), y.data()),
        cufftExecZ2D(plan, x.data(), y.data()),
        cufftXtExec(plan, x.data(), y.data(), -1),
        cufftSetPlanPropertyInt64(plan, PlanProperty::patient_jit, 1),
        cufftGetPlanPropertyInt64(plan, PlanProperty::patient_jit, &value),
        cufftResetPlanProperty(plan, PlanProperty::patient_jit),
        cufftXtSetGPUs(plan, 1, ordinals),
        cufftXtMalloc(plan, &descriptor, SubFormat::input),
        cufftXtMemcpy(plan, nullptr, nullptr, CopyType::host_to_device),
        cufftXtQueryPlan(plan, &value, 0),
        cufftXtSetCallback(plan, areas, 0, areas),
        cufftXtClearCallback(plan, 0),
        cufftXtSetCallbackSharedSize(plan, 0, 8),
        cufftXtSetJITCallback(plan, "f", &value, 8, 0, areas),
        __cufftXtSetJITCallback_12_7(plan, "f", &value, 8, 0, areas)};
    for (const Status answer : answers) EXPECT_EQ(answer, S::invalid_plan) << &answer - answers;
    Handle next = 0;
    EXPECT_EQ(cufftPlan1d(&next, 8, Type::c2c, 1), S::success);
    EXPECT_NE(next, plan);
    cufftDestroy(next);
}

TEST_F(CufftInterface, SizesOfTheWorkAreaAgree) {
    std::vector<std::size_t> sizes;
    const auto add = [&](Status status) {
        EXPECT_EQ(status, S::success);
        sizes.push_back(bytes);
        bytes = 1;
    };
    int lengths[] = {rows, columns};
    Long lengths64[] = {rows, columns};
    add(cufftEstimate2d(rows, columns, Type::z2d, &bytes));
    add(cufftEstimateMany(2, lengths, nullptr, 1, 1, nullptr, 1, 1, Type::z2d, 1, &bytes));
    add(cufftGetSize2d(created, rows, columns, Type::z2d, &bytes));
    add(cufftGetSizeMany(created, 2, lengths, nullptr, 1, 1, nullptr, 1, 1, Type::z2d, 1, &bytes));
    add(cufftGetSizeMany64(created, 2, lengths64, nullptr, 1, 1, nullptr, 1, 1, Type::z2d, 1, &bytes));
    add(cufftXtGetSizeMany(created, 2, lengths64, nullptr, 1, 1, ElementType::complex_float64, nullptr, 1, 1,
                           ElementType::real_float64, 1, &bytes, ElementType::complex_float64));
    add(cufftMakePlan2d(created, rows, columns, Type::z2d, &bytes));
    add(cufftGetSize(created, &bytes));
    EXPECT_GE(sizes[0], std::size_t{rows * (columns / 2 + 1) * 16});
    for (const std::size_t size : sizes) EXPECT_EQ(size, sizes[0]);
    std::size_t limit = sizes[0] - 1;
    EXPECT_EQ(cufftXtSetWorkAreaPolicy(created, WorkAreaPolicy::user, &limit), S::invalid_size);
    limit = sizes[0] + 1;
    EXPECT_EQ(cufftXtSetWorkAreaPolicy(created, WorkAreaPolicy::user, &limit), S::success);
    EXPECT_EQ(limit, sizes[0]);
    EXPECT_EQ(cufftXtSetWorkAreaPolicy(created, WorkAreaPolicy::performance, nullptr), S::success);
    for (const Status status :
         {cufftEstimate1d(8, Type::c2c, 2, &bytes), cufftEstimate3d(4, 6, 10, Type::c2r, &bytes),
          cufftGetSize1d(created, 8, Type::c2c, 2, &bytes),
          cufftGetSize3d(created, 4, 6, 10, Type::c2r, &bytes)})
        EXPECT_EQ(status, S::success);
    EXPECT_EQ(cufftEstimate1d(8, Type::c2c, 1, nullptr), S::invalid_value);
    EXPECT_EQ(cufftEstimate1d(0, Type::c2c, 1, &bytes), S::invalid_size);
}

TEST_F(CufftInterface, TakesItsWorkAreaOnceUnlessThePlanMayNot) {
    EXPECT_EQ(cufftEstimate2d(rows, columns, Type::z2d, &bytes), S::success); // the plan's kernels and tables
    const std::size_t before = fake.blocks.size();
    ASSERT_EQ(cufftMakePlan2d(created, rows, columns, Type::z2d, &bytes), S::success);
    EXPECT_EQ(fake.blocks.size(), before + 1);
    EXPECT_EQ(cufftDestroy(created), S::success);
    EXPECT_EQ(fake.blocks.size(), before);

    Handle plan = 0, other = 0;
    for (Handle* each : {&plan, &other}) {
        ASSERT_EQ(cufftCreate(each), S::success);
        EXPECT_EQ(cufftSetAutoAllocation(*each, 0), S::success);
        ASSERT_EQ(cufftMakePlan2d(*each, rows, columns, Type::z2d, &bytes), S::success);
    }
    EXPECT_EQ(fake.blocks.size(), before);
    EXPECT_EQ(cufftExecZ2D(plan, x.data(), y.data()), S::no_workspace);
    EXPECT_TRUE(fake.launches.empty());
    // One area for both, aligned to nothing in particular.
    std::vector<char> area(bytes + 8);
    void* const misaligned = area.data() + 8;
    EXPECT_EQ(cufftSetWorkArea(plan, misaligned), S::success);
    void* areas[] = {misaligned};
    EXPECT_EQ(cufftXtSetWorkArea(other, areas), S::success);
    for (const Handle each : {plan, other}) {
        fake.argument_bytes.assign(2, 8);
        EXPECT_EQ(cufftExecZ2D(each, x.data(), y.data()), S::success);
        ASSERT_GE(fake.launches.size(), 2U);
        const auto [input, output] = first_and_last_argument();
        EXPECT_EQ(input, x.data());
        EXPECT_EQ(output, y.data());
        void* between = nullptr;
        std::memcpy(&between, fake.launches[0].arguments.data() + 8, 8);
        EXPECT_GE(between, area.data());
        EXPECT_LT(between, area.data() + area.size());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(between) % 256, 0U);
        fake.launches.clear();
        cufftDestroy(each);
    }
}

TEST_F(CufftInterface, SetWorkAreaFreesThePlansOwn) {
    EXPECT_EQ(cufftEstimate2d(rows, columns, Type::z2d, &bytes), S::success);
    const std::size_t before = fake.blocks.size();
    ASSERT_EQ(cufftMakePlan2d(created, rows, columns, Type::z2d, &bytes), S::success);
    EXPECT_EQ(fake.blocks.size(), before + 1);
    std::vector<char> area(bytes);
    EXPECT_EQ(cufftSetWorkArea(created, area.data()), S::success);
    EXPECT_EQ(fake.blocks.size(), before);
}

TEST_F(CufftInterface, ExecutionsOnlyLaunch) {
    ASSERT_EQ(cufftMakePlan2d(created, rows, columns, Type::c2c, &bytes), S::success);
    auto* const stream = reinterpret_cast<runtime::cuda::Stream>(0x77);
    EXPECT_EQ(cufftSetStream(created, stream), S::success);
    fake.is_capturing = true;
    fake.calls.clear();
    EXPECT_EQ(cufftExecC2C(created, x.data(), y.data(), forward_sign), S::success);
    EXPECT_EQ(cufftExecC2C(created, x.data(), x.data(), inverse_sign), S::success);
    fake.is_capturing = false;
    const std::set<std::string> allowed = {"cuCtxGetCurrent", "cuCtxPushCurrent", "cuCtxPopCurrent",
                                           "cuLaunchKernel",  "cuLaunchKernelEx", "cuMemsetD8Async"};
    for (const std::string& call : fake.calls) EXPECT_TRUE(allowed.contains(call)) << call;
    EXPECT_GE(fake.launches.size(), 2U);
    for (const support::FakeLaunch& launch : fake.launches) EXPECT_EQ(launch.stream, stream);
    EXPECT_EQ(fake.stack_depth(), 0);
}

TEST_F(CufftInterface, SameTransformsShareTheirKernels) {
    Handle first = 0, second = 0;
    ASSERT_EQ(cufftPlan1d(&first, 24, Type::c2c, 5), S::success);
    EXPECT_EQ(cufftExecC2C(first, x.data(), y.data(), forward_sign), S::success);
    EXPECT_EQ(cufftDestroy(first), S::success); // the GPU may still run it
    const int modules = fake.modules;
    ASSERT_EQ(cufftPlan1d(&second, 24, Type::c2c, 5), S::success);
    EXPECT_EQ(fake.modules, modules);
    cufftDestroy(second);
}

/// A program that makes plan after plan does not fill the GPU with kernels.
TEST_F(CufftInterface, KernelsOfOldTransformsAreUnloaded) {
    constexpr int kept = 256, more = 10;
    const auto plan_and_destroy = [&](int batch) {
        Handle plan = 0;
        ASSERT_EQ(cufftPlan1d(&plan, 2, Type::r2c, batch), S::success);
        EXPECT_EQ(cufftDestroy(plan), S::success);
    };
    Handle held = 0;
    ASSERT_EQ(cufftPlan1d(&held, 2, Type::r2c, 1000), S::success);
    for (int batch = 1; batch <= kept; ++batch) plan_and_destroy(batch);
    const int modules = fake.modules;
    fake.calls.clear();
    for (int batch = kept + 1; batch <= kept + more; ++batch) plan_and_destroy(batch);
    EXPECT_EQ(fake.modules, modules);
    EXPECT_GE(fake.count("cuCtxSynchronize"), more); // before they are unloaded
    EXPECT_EQ(cufftExecR2C(held, x.data(), y.data()), S::success);
    EXPECT_EQ(fake.launches.size(), 1U);
    cufftDestroy(held);
}

TEST_F(CufftInterface, SaysWhatItPlansAndWhyItFailsIfAsked) {
    setenv("SWIRL_CUFFT_VERBOSE", "1", 1);
    testing::internal::CaptureStderr();
    Handle plan = 0;
    EXPECT_EQ(cufftPlan1d(&plan, 34, Type::c2c, 1), S::success);
    EXPECT_EQ(cufftExecC2C(plan, x.data(), x.data() + 1, forward_sign), S::invalid_value);
    const std::string text = testing::internal::GetCapturedStderr();
    unsetenv("SWIRL_CUFFT_VERBOSE");
    for (const char* part : {"dft 34 float32  sm_90: ", "dft 34 backward float32 inplace", "overlap"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    cufftDestroy(plan);
}

TEST_F(CufftInterface, PlansBelongToTheCurrentGpu) {
    runtime::CudaDriver driver(support::fake_cuda_library(12080));
    const runtime::GpuDevice device(1, driver);
    {
        const runtime::CurrentGpu current(device);
        ASSERT_EQ(cufftMakePlan2d(created, rows, columns, Type::z2d, &bytes), S::success);
    }
    const auto on_second = [&] {
        return std::count_if(fake.blocks.begin(), fake.blocks.end(),
                             [](const auto& block) { return block.second.device == 1; });
    };
    EXPECT_GE(on_second(), 1);
    EXPECT_EQ(cufftExecZ2D(created, x.data(), y.data()), S::success); // whatever is current now
    Handle plan = 0;
    ASSERT_EQ(cufftCreate(&plan), S::success);
    int ordinals[] = {1, 0};
    EXPECT_EQ(cufftXtSetGPUs(plan, 2, ordinals), S::not_supported);
    EXPECT_EQ(cufftXtSetGPUs(plan, 0, ordinals), S::invalid_value);
    EXPECT_EQ(cufftXtSetGPUs(plan, 1, nullptr), S::invalid_value);
    const auto before = on_second();
    EXPECT_EQ(cufftXtSetGPUs(plan, 1, ordinals), S::success);
    ASSERT_EQ(cufftMakePlan2d(plan, rows, columns, Type::z2d, &bytes), S::success);
    EXPECT_EQ(on_second(), before + 1);
    cufftDestroy(plan);
    ordinals[0] = 2;
    ASSERT_EQ(cufftCreate(&plan), S::success);
    EXPECT_EQ(cufftXtSetGPUs(plan, 1, ordinals), S::invalid_device);
    cufftDestroy(plan);
}

TEST_F(CufftInterface, SaysWhatFailed) {
    Handle plan = 0;
    fake.failures["cuCtxGetDevice"] = runtime::cuda::not_initialized;
    EXPECT_NE(cufftPlan1d(&plan, 8, Type::c2c, 1), S::success);
    fake.failures.clear();
    fake.failures["cuMemAlloc"] = runtime::cuda::out_of_memory;
    EXPECT_EQ(cufftPlan2d(&plan, rows + 1, columns, Type::z2d), S::alloc_failed);
    fake.failures.clear();
    ASSERT_EQ(cufftMakePlan1d(created, 8, Type::c2c, 1, &bytes), S::success);
    fake.failures["cuLaunchKernel"] = runtime::cuda::launch_failed;
    fake.failures["cuLaunchKernelEx"] = runtime::cuda::launch_failed;
    EXPECT_EQ(cufftExecC2C(created, x.data(), y.data(), forward_sign), S::exec_failed);
}

TEST_F(CufftInterface, RefusesCallbacks) {
    ASSERT_EQ(cufftMakePlan1d(created, 8, Type::c2c, 1, &bytes), S::success);
    void* pointers[] = {nullptr};
    EXPECT_EQ(cufftXtSetCallback(created, pointers, 0, pointers), S::not_implemented);
    EXPECT_EQ(cufftXtClearCallback(created, 0), S::not_implemented);
    EXPECT_EQ(cufftXtSetCallbackSharedSize(created, 0, 16), S::not_implemented);
    EXPECT_EQ(cufftXtSetJITCallback(created, "load", pointers, 8, 0, pointers), S::not_supported);
    EXPECT_EQ(__cufftXtSetJITCallback_12_7(created, "load", pointers, 8, 0, pointers), S::not_supported);
    EXPECT_EQ(cufftXtQueryPlan(created, pointers, 0), S::not_supported);
}

TEST_F(CufftInterface, KeepsProperties) {
    Long value = -1;
    EXPECT_EQ(cufftGetPlanPropertyInt64(created, PlanProperty::patient_jit, &value), S::success);
    EXPECT_EQ(value, 0);
    EXPECT_EQ(cufftSetPlanPropertyInt64(created, PlanProperty::max_host_threads, 3), S::success);
    EXPECT_EQ(cufftGetPlanPropertyInt64(created, PlanProperty::max_host_threads, &value), S::success);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(cufftResetPlanProperty(created, PlanProperty::max_host_threads), S::success);
    EXPECT_EQ(cufftGetPlanPropertyInt64(created, PlanProperty::max_host_threads, &value), S::success);
    EXPECT_EQ(value, 0);
    EXPECT_EQ(cufftSetPlanPropertyInt64(created, static_cast<PlanProperty>(9), 1), S::invalid_value);
}

TEST_F(CufftInterface, DescriptorsHoldThePlansData) {
    ASSERT_EQ(cufftMakePlan1d(created, 10, Type::r2c, 3, &bytes), S::success);
    const Request request{{Kind::Sides::real_to_complex, DataType::float32}, {10}, 3, {}};
    Descriptor* input = nullptr;
    Descriptor* output = nullptr;
    Descriptor* copy = nullptr;
    ASSERT_EQ(cufftXtMalloc(created, &input, SubFormat::input), S::success);
    ASSERT_EQ(cufftXtMalloc(created, &output, SubFormat::output), S::success);
    ASSERT_EQ(cufftXtMalloc(created, &copy, SubFormat::output), S::success);
    EXPECT_EQ(input->memories->bytes[0], 3 * 10 * sizeof(float));
    EXPECT_EQ(output->memories->bytes[0], 3 * 6 * sizeof(Complex));
    std::vector<float> reals(30);
    for (std::size_t k = 0; k < reals.size(); ++k) reals[k] = static_cast<float>(k % 10 == 0);
    std::vector<Complex> spectra(18);
    EXPECT_EQ(cufftXtMemcpy(created, input, reals.data(), CopyType::host_to_device), S::success);
    EXPECT_EQ(cufftXtExecDescriptorR2C(created, input, output), S::success);
    run_launched(request, input->memories->data[0], output->memories->data[0]);
    EXPECT_EQ(cufftXtExecDescriptor(created, input, output, forward_sign), S::success);
    run_launched(request, input->memories->data[0], output->memories->data[0]);
    EXPECT_EQ(cufftXtMemcpy(created, copy, output, CopyType::device_to_device), S::success);
    EXPECT_EQ(cufftXtMemcpy(created, spectra.data(), copy, CopyType::device_to_host), S::success);
    for (const Complex value : spectra) EXPECT_EQ(value, Complex(1, 0)); // of impulses
    EXPECT_EQ(cufftXtExecDescriptorC2C(created, input, output, forward_sign), S::invalid_type);
    EXPECT_EQ(cufftXtExecDescriptorC2R(created, input, output), S::invalid_type);
    EXPECT_EQ(cufftXtExecDescriptorZ2Z(created, input, output, forward_sign), S::invalid_type);
    EXPECT_EQ(cufftXtExecDescriptorD2Z(created, input, output), S::invalid_type);
    EXPECT_EQ(cufftXtExecDescriptorZ2D(created, input, output), S::invalid_type);
    EXPECT_EQ(cufftXtExecDescriptorR2C(created, nullptr, output), S::invalid_value);
    EXPECT_EQ(cufftXtMalloc(created, &input, static_cast<SubFormat>(7)), S::invalid_value);
    EXPECT_EQ(cufftXtMemcpy(created, input, output, CopyType::device_to_device),
              S::invalid_value); // other sizes
    EXPECT_EQ(cufftXtMemcpy(created, input, reals.data(), static_cast<CopyType>(3)), S::invalid_value);
    for (Descriptor* each : {input, output, copy}) EXPECT_EQ(cufftXtFree(each), S::success);
    EXPECT_EQ(cufftXtFree(nullptr), S::invalid_value);
}

TEST_F(CufftInterface, ServesManyThreads) {
    ASSERT_EQ(cufftMakePlan1d(created, 16, Type::c2c, 4, &bytes), S::success);
    constexpr int threads = 6, rounds = 20;
    std::atomic<int> failures{0};
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            std::vector<Complex> mine(64), result(64);
            for (int k = 0; k < rounds; ++k) {
                Handle plan = 0;
                std::size_t size = 0;
                failures += cufftCreate(&plan) != S::success;
                failures += cufftMakePlan1d(plan, 8 + 8 * (t % 3), Type::c2c, 1, &size) != S::success;
                failures += cufftExecC2C(plan, mine.data(), result.data(), forward_sign) != S::success;
                failures += cufftExecC2C(created, mine.data(), result.data(), inverse_sign) != S::success;
                failures += cufftDestroy(plan) != S::success;
                failures += cufftExecC2C(plan, mine.data(), result.data(), forward_sign) != S::invalid_plan;
            }
        });
    for (std::thread& thread : team) thread.join();
    EXPECT_EQ(failures, 0);
}

/// For the machine without any driver see the test of the installed library.
TEST_F(CufftInterface, WithoutTheGpuSetupFails) {
    fake.devices = 3;
    runtime::CudaDriver driver(support::fake_cuda_library(12080));
    const runtime::GpuDevice device(2, driver);
    fake.devices = 2;
    const runtime::CurrentGpu current(device);
    Handle plan = 0;
    EXPECT_EQ(cufftPlan1d(&plan, 8, Type::c2c, 1), S::setup_failed);
    EXPECT_EQ(cufftEstimate1d(8, Type::c2c, 1, &bytes), S::setup_failed);
}

} // namespace interface_test
} // namespace swirl::cufft
