#include <swirl/swirl.h>
#include <swirl/swirl.hpp>

#include "gpu_interface.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace swirl {
namespace {

using Complex = std::complex<float>;
using runtime::expect_contains;
using Handle = struct StreamOfSomeone*;

static_assert(std::is_convertible_v<Handle, gpu::Stream> &&
              std::is_convertible_v<std::nullptr_t, gpu::Stream>);
static_assert(!std::is_convertible_v<float*, gpu::Stream> && !std::is_convertible_v<Complex*, gpu::Stream>);
static_assert(!std::is_convertible_v<void*, gpu::Stream> && std::is_constructible_v<gpu::Stream, void*>);

const Options unchecked{.device = Device::gpu(), .check = false, .use_kernel_cache = false};

struct Destroy {
    void operator()(swirl_gpu_plan* plan) const { swirl_gpu_plan_destroy(plan); }
};
using OwnedPlan = std::unique_ptr<swirl_gpu_plan, Destroy>;

OwnedPlan c_plan(const char* text) {
    swirl_gpu_plan* plan = nullptr;
    EXPECT_EQ(swirl_gpu_plan_from_text(text, 0, SWIRL_NO_CHECK | SWIRL_NO_CACHE, &plan), SWIRL_OK)
        << swirl_last_error();
    return OwnedPlan(plan);
}

TEST_F(GpuInterface, PlansAndExecutesOnAStream) {
    const Plan plan = swirl::plan("dft 256 float32 batch=10", unchecked);
    EXPECT_EQ(plan.schedule().substr(0, 7), "sm_90: ");
    EXPECT_EQ(
        swirl::plan("dft 256 float32 batch=10", {.device = Device::gpu(), .schedule = plan.schedule(), .check = false, .use_kernel_cache = false})
            .schedule(),
        plan.schedule());
    EXPECT_EQ(plan.device(), 0);
    EXPECT_NE(plan.description().find("registers"), std::string::npos);
    const gpu::Array<Complex> x(2560), y(2560);
    plan.execute(x.data(), y.data());
    auto* const stream = reinterpret_cast<Handle>(0x1234);
    plan.execute(x.data(), y.data(), stream);
    const gpu::Memory workspace(4096);
    plan.execute(x.data(), y.data(), stream, {workspace.data(), workspace.bytes()});
    ASSERT_EQ(fake.launches.size(), 3U);
    EXPECT_EQ(fake.launches[0].stream, nullptr);
    EXPECT_EQ(static_cast<void*>(fake.launches[1].stream), static_cast<void*>(stream));
}

TEST_F(GpuInterface, TakesTheArraysThatTheProblemHas) {
    const Plan plan = swirl::plan("dft 8 planar batch=4", unchecked);
    const gpu::Array<double> a(32), b(32), c(32), d(32);
    plan.execute(a.data(), b.data(), c.data(), d.data());
    const gpu::Array<std::complex<double>> x(32), y(32);
    expect_contains(error_of<UserError>([&] { plan.execute(x.data(), y.data()); }), {"it takes 4"});
    const Plan single = swirl::plan("dft 8 float32 batch=4", unchecked);
    expect_contains(error_of<UserError>([&] { single.execute(x.data(), y.data()); }),
                    {"std::complex<double>", "std::complex<float>"});
}

TEST_F(GpuInterface, TakesNumbersOf16Bits) {
    static_assert(sizeof(complex_float16) == 4 && alignof(complex_float16) == 4 && sizeof(bfloat16) == 2);
    const Plan plan = swirl::plan("dft 8 float16 batch=4", unchecked);
    const gpu::Array<complex_float16> x(std::vector<complex_float16>(32, complex_float16(Complex(1, -2)))),
        y(32);
    plan.execute(x.data(), y.data());
    std::vector<complex_float16> back(32);
    x.copy_to(back);
    EXPECT_EQ(static_cast<Complex>(back[31]), Complex(1, -2));
    const gpu::Array<complex_bfloat16> z(32);
    expect_contains(error_of<UserError>([&] { plan.execute(z.data(), z.data()); }),
                    {"complex_bfloat16", "it takes swirl::complex_float16"});
    const gpu::Array<bfloat16> reals(32);
    swirl::plan("rdft 8 bfloat16", unchecked).execute(reals.data(), z.data());
    swirl::plan("rdft 8 bfloat16 backward", unchecked).execute(z.data(), reals.data());
    swirl::plan("wht 8 bfloat16 inplace", unchecked).execute(reals.data(), reals.data());
    const gpu::Array<float16> a(8), b(8), c(8), d(8);
    swirl::plan("dft 8 float16 planar", unchecked).execute(a.data(), b.data(), c.data(), d.data());
    expect_contains(error_of<UserError>([] { swirl::plan("dft 8 float16"); }),
                    {"float16 is for GPUs only", "use float32 or float64 on a CPU", "--device gpu"});
}

TEST_F(GpuInterface, CopiesArraysToTheGpuAndBack) {
    const std::vector<float> host{1, 2, 3};
    const gpu::Array<float> there(host);
    std::vector<float> back(3);
    there.copy_to(back);
    EXPECT_EQ(back, host);
    std::vector<float> longer(4);
    expect_contains(error_of<UserError>([&] { there.copy_to(longer); }), {"16 bytes", "has 12"});
    expect_contains(error_of<OutOfMemory>([&] { gpu::Array<float>(std::size_t{1} << 30); }),
                    {"no room"});
}

TEST_F(GpuInterface, NamesWhatIsWrong) {
    expect_contains(error_of<UserError>([] { swirl::plan("dft 8", {.device = Device::gpu(7)}); }), {"no GPU 7"});
    expect_contains(error_of<UserError>([] { swirl::plan("dft 100000007", unchecked); }),
                    {"length 100000007 is too long", "use lengths up to about"});
    expect_contains(error_of<UserError>([] { swirl::plan("dft 0", unchecked); }), {"dft 0"});
    expect_contains(error_of<UserError>([] { swirl::plan("dft 8", {.device = Device::gpu(), .schedule = "avx2: 0 codelet"}); }), {"avx2"});
}

TEST_F(GpuInterface, ServesManyThreads) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 6; ++k)
        threads.emplace_back([] {
            const gpu::Array<Complex> x(64), y(64);
            for (int i = 0; i < 10; ++i) swirl::plan("dft 64 float32", unchecked).execute(x.data(), y.data());
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(fake.launches.size(), 60U);
}

TEST_F(GpuInterface, WorksFromC) {
    const OwnedPlan plan = c_plan("dft 64 float32 batch=3");
    ASSERT_TRUE(plan);
    EXPECT_STREQ(swirl_gpu_plan_problem(plan.get()), "dft 64 float32 batch=3");
    EXPECT_NE(std::string(swirl_gpu_plan_recipe(plan.get())).find("stockham(8,8) on "), std::string::npos);
    EXPECT_EQ(swirl_gpu_plan_device(plan.get()), 0);
    EXPECT_GT(swirl_gpu_plan_flops(plan.get()), 0);
    const gpu::Array<Complex> x(192), y(192);
    EXPECT_EQ(swirl_gpu_execute(plan.get(), x.data(), y.data(), nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(fake.launches.size(), 1U);

    std::vector<Complex> host(192);
    EXPECT_EQ(swirl_gpu_execute(plan.get(), host.data(), y.data(), nullptr), SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"input", "memory of the host"});
    EXPECT_EQ(swirl_gpu_execute_planar(plan.get(), x.data(), x.data(), y.data(), y.data(), nullptr),
              SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"use swirl_gpu_execute"});
    EXPECT_EQ(swirl_gpu_execute(nullptr, x.data(), y.data(), nullptr), SWIRL_USER_ERROR);

    swirl_gpu_plan* none = nullptr;
    EXPECT_EQ(swirl_gpu_plan_from_text("dft 64", 0, 1U << 20, &none), SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"flags"});
    EXPECT_EQ(swirl_gpu_plan_from_text("dft 64", 9, 0, &none), SWIRL_USER_ERROR);
    EXPECT_EQ(none, nullptr);
    fake.free_bytes = 16;
    EXPECT_EQ(swirl_gpu_plan_from_text("dft 2048", 0, SWIRL_NO_CHECK | SWIRL_NO_CACHE, &none),
              SWIRL_OUT_OF_MEMORY);
    swirl_gpu_plan_destroy(nullptr);
}

TEST_F(GpuInterface, TakesTheSpectrumOfAConvolution) {
    const Plan plan = swirl::plan("convolution 64 float32 batch=3", unchecked);
    const gpu::Array<Complex> x(192), y(192), h(64), small(8);
    expect_contains(error_of<UserError>([&] { plan.execute(x.data(), y.data()); }),
                    {"array spectrum is missing", "64 complex"});
    plan.with("spectrum", h.data()).execute(x.data(), y.data());
    ASSERT_EQ(fake.launches.size(), 1U);
    expect_contains(error_of<UserError>([&] { plan.with("spectra", h.data()); }),
                    {"no array \"spectra\"", "it has: spectrum"});
    expect_contains(
        error_of<UserError>([&] { plan.with("spectrum", reinterpret_cast<const float*>(h.data())); }),
        {"array spectrum is given as one of float", "std::complex<float>"});
    expect_contains(error_of<UserError>([&] { plan.with("spectrum", static_cast<const Complex*>(nullptr)); }),
                    {"array spectrum is null"});
    expect_contains(
        error_of<UserError>([&] { plan.with("spectrum", y.data() + 128).execute(x.data(), y.data()); }),
        {"array spectrum", "overlap"});
    const std::vector<Complex> host(64);
    expect_contains(
        error_of<UserError>([&] { plan.with("spectrum", host.data()).execute(x.data(), y.data()); }),
        {"array spectrum", "memory of the host"});
    expect_contains(error_of<UserError>([&] { swirl::plan("dft 64", unchecked).with("spectrum", h.data()); }),
                    {"no array", "it has none beside input and output"});
    const Plan planar = swirl::plan("convolution 8 planar", unchecked);
    const gpu::Array<double> a(8), b(8), c(8), d(8);
    expect_contains(error_of<UserError>([&] { planar.with("spectrum", a.data()); }),
                    {"array spectrum was given in 1 parts"});
    planar.with("spectrum", a.data(), b.data()).execute(a.data(), b.data(), c.data(), d.data());
}

TEST_F(GpuInterface, TakesArraysOfExpressions) {
    const Plan plan = swirl::plan(
        "dft 64 float32 batch=3 load=\"float16: x * w[i]\" store=\"x * complex h[b, i]\"", unchecked);
    const gpu::Array<complex_float16> x(192);
    const gpu::Array<Complex> y(192), h(192);
    const gpu::Array<float> w(64);
    expect_contains(error_of<UserError>([&] { plan.with("w", w.data()).execute(x.data(), y.data()); }),
                    {"array h is missing", "192 complex"});
    plan.with("w", w.data()).with("h", h.data()).execute(x.data(), y.data());
    EXPECT_EQ(fake.launches.size(), 1U);
    expect_contains(error_of<UserError>([&] { plan.with("w", h.data()); }), {"array w", "it takes float"});
    expect_contains(error_of<UserError>([&] { plan.with("w", w.data()).execute(y.data(), h.data()); }),
                    {"input is an array of std::complex<float>", "swirl::complex_float16"});
    expect_contains(error_of<UserError>([&] {
                        plan.with("w", w.data() + 32).with("h", h.data()).execute(x.data(), y.data());
                    }),
                    {"array w", "too small"});
    expect_contains(error_of<UserError>([&] { swirl::plan("dft 64 load=\"x * w[j]\"", unchecked); }),
                    {"there is no index j", "indices of this problem: i"});
    expect_contains(error_of<UserError>([&] { swirl::plan("dft 64 load=\"2 * x\""); }), {"for GPUs only"});
}

TEST_F(GpuInterface, TakesExpressionsFromC) {
    swirl_problem* problem = nullptr;
    const int64_t length = 64;
    ASSERT_EQ(swirl_problem_create(SWIRL_DFT, 1, &length, &problem), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_load(problem, "x * w[i]"), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_store(problem, "x where i < 9"), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_store(problem, nullptr), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_load(problem, "x *"), SWIRL_USER_ERROR);
    swirl_gpu_plan* plan = nullptr;
    ASSERT_EQ(swirl_gpu_plan_create(problem, 0, SWIRL_NO_CHECK | SWIRL_NO_CACHE, &plan), SWIRL_OK)
        << swirl_last_error();
    EXPECT_STREQ(swirl_gpu_plan_problem(plan), "dft 64 load=\"x * w[i]\"");
    swirl_gpu_plan_destroy(plan);
    swirl_problem_destroy(problem);
}

TEST_F(GpuInterface, TakesTheSpectrumOfAConvolutionFromC) {
    swirl_problem* problem = nullptr;
    const int64_t length = 64;
    ASSERT_EQ(swirl_problem_create(SWIRL_CONVOLUTION, 1, &length, &problem), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_precision(problem, SWIRL_FLOAT32), SWIRL_OK);
    ASSERT_EQ(swirl_problem_add_batch(problem, 3), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_spectrum(problem, SWIRL_EACH), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_spectrum(problem, 2), SWIRL_USER_ERROR);
    swirl_gpu_plan* plan = nullptr;
    ASSERT_EQ(swirl_gpu_plan_create(problem, 0, SWIRL_NO_CHECK | SWIRL_NO_CACHE, &plan), SWIRL_OK)
        << swirl_last_error();
    EXPECT_STREQ(swirl_gpu_plan_problem(plan), "convolution 64 float32 batch=3 spectrum=each");
    const gpu::Array<Complex> x(192), y(192), h(192);
    const auto execute = [&](const swirl_array& array) {
        return swirl_gpu_execute_with_arrays(plan, &array, 1, x.data(), nullptr, y.data(), nullptr, nullptr,
                                             nullptr, 0);
    };
    EXPECT_EQ(execute({"spectrum", h.data(), nullptr}), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(execute({"spectrum", nullptr, nullptr}), SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"array spectrum is missing"});
    EXPECT_EQ(execute({"filter", h.data(), nullptr}), SWIRL_USER_ERROR);
    EXPECT_EQ(execute({nullptr, h.data(), nullptr}), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_gpu_execute(plan, x.data(), y.data(), nullptr), SWIRL_USER_ERROR);
    swirl_gpu_plan_destroy(plan);
    swirl_plan* on_cpu = nullptr;
    EXPECT_EQ(swirl_plan_create(problem, 0, &on_cpu), SWIRL_USER_ERROR);
    expect_contains(swirl_last_error(), {"convolution is for GPUs only"});
    swirl_problem_destroy(problem);
}

TEST_F(GpuInterface, RefusesAbsurdCountsFromC) {
    const OwnedPlan plan = c_plan("convolution 64 float32");
    const gpu::Array<Complex> x(64), y(64), h(64);
    const swirl_array spectrum{"spectrum", h.data(), nullptr};
    for (const std::size_t count : {std::size_t{2}, std::size_t{1} << 62, static_cast<std::size_t>(-1),
                                    static_cast<std::size_t>(-1) / 24 + 1}) {
        EXPECT_EQ(swirl_gpu_execute_with_arrays(plan.get(), &spectrum, count, x.data(), nullptr, y.data(),
                                                nullptr, nullptr, nullptr, 0),
                  SWIRL_USER_ERROR);
        expect_contains(swirl_last_error(), {"argument 'arrays'", std::to_string(count).c_str()});
    }
    const int64_t length = 64;
    swirl_problem* problem = nullptr;
    ASSERT_EQ(swirl_problem_create(SWIRL_DFT, 1, &length, &problem), SWIRL_OK);
    swirl_gpu_plan* made = nullptr;
    for (const int64_t count : {int64_t{-1}, int64_t{0}, INT64_MIN, INT64_MAX, int64_t{1} << 61}) {
        swirl_problem* batched = nullptr;
        ASSERT_EQ(swirl_problem_create(SWIRL_DFT, 1, &length, &batched), SWIRL_OK);
        ASSERT_EQ(swirl_problem_add_batch(batched, count), SWIRL_OK);
        EXPECT_EQ(swirl_gpu_plan_create(batched, 0, SWIRL_NO_CACHE, &made), SWIRL_USER_ERROR) << count;
        swirl_problem_destroy(batched);
    }
    for (const int device : {-1, 1 << 30, INT32_MIN}) {
        EXPECT_EQ(swirl_gpu_plan_create(problem, device, SWIRL_NO_CACHE, &made), SWIRL_USER_ERROR) << device;
        EXPECT_EQ(made, nullptr);
    }
    swirl_problem_destroy(problem);
}

TEST_F(GpuInterface, RefusesAbsurdLengthsAtOnce) {
    for (const char* text :
         {"dft 1099511627776", "dft 4294967296", "rdft 10999999999900", "dft 1099511627791",
          "convolution 1099511627689 float32", "wht 2^55", "dct2 2^50", "dft 3x1099511627689x2"}) {
        swirl_gpu_plan* plan = nullptr;
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(swirl_gpu_plan_from_text(text, 0, SWIRL_NO_CACHE, &plan), SWIRL_USER_ERROR);
        expect_contains(swirl_last_error(), {"GiB", "use lengths up to"});
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100)) << text;
    }
}

TEST_F(GpuInterface, TakesNumbersOf16BitsFromC) {
    swirl_problem* problem = nullptr;
    const int64_t length = 64;
    ASSERT_EQ(swirl_problem_create(SWIRL_DFT, 1, &length, &problem), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_precision(problem, SWIRL_BFLOAT16), SWIRL_OK);
    swirl_gpu_plan* plan = nullptr;
    ASSERT_EQ(swirl_gpu_plan_create(problem, 0, SWIRL_NO_CHECK | SWIRL_NO_CACHE, &plan), SWIRL_OK)
        << swirl_last_error();
    EXPECT_STREQ(swirl_gpu_plan_problem(plan), "dft 64 bfloat16");
    const gpu::Memory x(64 * 4), y(64 * 4);
    EXPECT_EQ(swirl_gpu_execute(plan, x.data(), y.data(), nullptr), SWIRL_OK) << swirl_last_error();
    swirl_gpu_plan_destroy(plan);
    swirl_plan* on_cpu = nullptr;
    EXPECT_EQ(swirl_plan_create(problem, 0, &on_cpu), SWIRL_USER_ERROR);
    EXPECT_NE(std::string(swirl_last_error()).find("bfloat16 is for GPUs only"), std::string::npos);
    swirl_problem_destroy(problem);
}

TEST_F(GpuInterface, WorksFromCOnPlanarData) {
    const OwnedPlan plan = c_plan("dft 8 planar float32 batch=4 inplace");
    const gpu::Array<float> re(32), im(32);
    EXPECT_EQ(swirl_gpu_execute_planar(plan.get(), re.data(), im.data(), re.data(), im.data(), nullptr),
              SWIRL_OK)
        << swirl_last_error();
    EXPECT_EQ(swirl_gpu_plan_workspace_bytes(plan.get()), 0U);
}

} // namespace
} // namespace swirl
