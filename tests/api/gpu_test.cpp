#include <swirl/swirl.hpp>
#include "api/c_interface.hpp"

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
namespace gpu_test {

using Complex = std::complex<float>;
using runtime::expect_contains;
using Handle = struct StreamOfSomeone*;

static_assert(std::is_convertible_v<Handle, gpu::Stream> &&
              std::is_convertible_v<std::nullptr_t, gpu::Stream>);
static_assert(!std::is_convertible_v<float*, gpu::Stream> && !std::is_convertible_v<Complex*, gpu::Stream>);
static_assert(!std::is_convertible_v<void*, gpu::Stream> && std::is_constructible_v<gpu::Stream, void*>);

/// Plans launch nothing: they neither check nor time.
const Options unchecked{
    .device = Device::gpu(), .time_budget_seconds = 0, .check = false, .use_kernel_cache = false};

const swirl_options c_options = c::on_gpu();

TEST_F(GpuInterface, PlansAndExecutesOnAStream) {
    const Plan plan = swirl::plan("dft 256 float32 batch=10", unchecked);
    EXPECT_EQ(plan.schedule().substr(0, 7), "sm_90: ");
    EXPECT_EQ(
        swirl::plan(
            "dft 256 float32 batch=10",
            {.device = Device::gpu(), .schedule = plan.schedule(), .check = false, .use_kernel_cache = false})
            .schedule(),
        plan.schedule());
    EXPECT_EQ(plan.device(), Device::gpu());
    EXPECT_EQ(plan.device().name(), swirl::Device::gpu().name());
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

TEST_F(GpuInterface, Takes16BitTypes) {
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
}

TEST_F(GpuInterface, CopiesArraysToTheGpuAndBack) {
    const std::vector<float> host{1, 2, 3};
    const gpu::Array<float> there(host);
    std::vector<float> back(3);
    there.copy_to(back);
    EXPECT_EQ(back, host);
    std::vector<float> longer(4);
    expect_contains(error_of<UserError>([&] { there.copy_to(longer); }), {"16 bytes", "of 12 bytes"});
    expect_contains(error_of<OutOfMemory>([&] { gpu::Array<float>(std::size_t{1} << 30); }),
                    {"cannot allocate"});
}

TEST_F(GpuInterface, NeedsNoMoreThanTheMemoryLimit) {
    Options options = unchecked;
    options.memory_limit_bytes = 20'000;
    EXPECT_NO_THROW(swirl::plan("dft 1024 float32 batch=4", options));
    options.check = true;
    expect_contains(error_of<OutOfMemory>([&] { swirl::plan("dft 1024 float32 batch=4", options); }),
                    {"for the check before first use", "memory_limit_bytes is 20000", "check = false"});
    options.check = false;
    expect_contains(error_of<OutOfMemory>([&] { swirl::plan("dft 2^22 float32", options); }),
                    {"of workspace", "memory_limit_bytes is 20000"});
}

TEST_F(GpuInterface, NamesWhatIsWrong) {
    expect_contains(error_of<Unavailable>([] { swirl::plan("dft 8", {.device = Device::gpu(7)}); }),
                    {"no GPU 7"});
    expect_contains(error_of<UserError>([] { swirl::plan("dft 100000007", unchecked); }),
                    {"length 100000007 is too long", "use lengths up to about"});
    expect_contains(error_of<UserError>([] { swirl::plan("dft 0", unchecked); }), {"dft 0"});
    expect_contains(error_of<UserError>([] {
                        swirl::plan("dft 8", {.device = Device::gpu(), .schedule = "avx2: 0 codelet"});
                    }),
                    {"the schedule is for avx2, but the plan is for sm_90"});
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
    const c::Plan plan = c::plan("dft 64 float32 batch=3", &c_options);
    ASSERT_TRUE(plan);
    EXPECT_STREQ(swirl_plan_problem(plan.get()), "dft 64 float32 batch=3");
    EXPECT_NE(std::string(swirl_plan_schedule(plan.get())).find("stockham(8,8) on "), std::string::npos);
    EXPECT_NE(std::string(swirl_plan_description(plan.get())).find("registers"), std::string::npos);
    EXPECT_EQ(swirl_plan_device(plan.get()), SWIRL_GPU);
    EXPECT_EQ(swirl_plan_ordinal(plan.get()), 0);
    EXPECT_GT(swirl_plan_flops(plan.get()), 0);
    const gpu::Array<Complex> x(192), y(192);
    EXPECT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(fake.launches.size(), 1U);

    std::vector<Complex> host(192);
    c::expect_error(swirl_execute(plan.get(), host.data(), y.data()), SWIRL_USER_ERROR, "memory of the host");
    c::expect_error(swirl_execute_planar(plan.get(), x.data(), x.data(), y.data(), y.data()),
                    SWIRL_USER_ERROR, "use swirl_execute");
    EXPECT_EQ(swirl_execute(nullptr, x.data(), y.data()), SWIRL_USER_ERROR);
    swirl_execution execution = SWIRL_EXECUTION_INIT;
    execution.stream = reinterpret_cast<void*>(0x1234);
    const swirl_array arrays[] = {{"output", y.data(), nullptr}, {"input", x.data(), nullptr}};
    EXPECT_EQ(swirl_execute_arrays(plan.get(), arrays, 2, &execution), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(static_cast<void*>(fake.launches.back().stream), execution.stream);
    c::expect_error(swirl_execute_arrays(plan.get(), arrays, 1, &execution), SWIRL_USER_ERROR, "input");

    swirl_plan* none = nullptr;
    swirl_options options = c_options;
    options.ordinal = 9;
    c::expect_error(swirl_plan_from_text("dft 64", &options, &none), SWIRL_UNAVAILABLE, "no GPU 9");
    EXPECT_EQ(none, nullptr);
    fake.free_bytes = 16;
    EXPECT_EQ(swirl_plan_from_text("dft 2048", &c_options, &none), SWIRL_OUT_OF_MEMORY);
}

TEST_F(GpuInterface, TellsOfDevices) {
    EXPECT_EQ(gpu_count(), swirl_gpu_count());
    EXPECT_GE(gpu_count(), 1);
    EXPECT_EQ(why_no_gpu(), "");
    EXPECT_EQ(swirl_gpu_available(), SWIRL_OK);
    char name[100] = {};
    ASSERT_EQ(swirl_device_name(SWIRL_GPU, 0, name, sizeof name, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(Device::gpu().name(), name);
    std::size_t all = 0, free_bytes = 0;
    ASSERT_EQ(swirl_device_memory(SWIRL_GPU, 0, &all, &free_bytes), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(all, Device::gpu().memory_bytes());
    EXPECT_EQ(free_bytes, fake.free_bytes);
    c::expect_error(swirl_device_name(SWIRL_GPU, 99, name, sizeof name, nullptr), SWIRL_UNAVAILABLE,
                    "no GPU 99");
    c::expect_error(swirl_device_name(2, 0, name, sizeof name, nullptr), SWIRL_USER_ERROR, "device is 2");
    EXPECT_EQ(Device::gpu(1).text(), "gpu:1");
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
        {"array spectrum is an array of float", "std::complex<float>"});
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
                    {"no array", "it has no auxiliary arrays"});
    const Plan planar = swirl::plan("convolution 8 planar", unchecked);
    const gpu::Array<double> a(8), b(8), c(8), d(8);
    expect_contains(error_of<UserError>([&] { planar.with("spectrum", a.data()); }),
                    {"array spectrum was given in 1 components"});
    planar.with("spectrum", a.data(), b.data()).execute(a.data(), b.data(), c.data(), d.data());
}

TEST_F(GpuInterface, ConvolvesSignalsInDeviceMemory) {
    for (const Integer n : {50, 30001})
        for (const Integer m : {7, 40})
            for (const ConvolutionMode mode : {ConvolutionMode::same, ConvolutionMode::valid}) {
                ConvolutionProblem problem;
                problem.signal = {n};
                problem.kernel = {m};
                problem.mode = mode;
                problem.precision = DataType::float32;
                Convolution convolution(problem, unchecked);
                SCOPED_TRACE(convolution.description());
                const gpu::Array<float> x(static_cast<std::size_t>(n)), h(static_cast<std::size_t>(m)),
                    y(static_cast<std::size_t>(convolution.result_lengths()[0]));
                convolution.set_kernel(h);
                fake.launches.clear();
                EXPECT_NO_THROW(convolution.execute(x, y));
                EXPECT_FALSE(fake.launches.empty());
                EXPECT_TRUE(convolution.device() == Device::gpu());
                const std::vector<float> host(static_cast<std::size_t>(n + m));
                expect_contains(error_of<UserError>([&] { convolution.execute(host, y); }),
                                {"memory of the host"});
                expect_contains(error_of<UserError>([&] { convolution.set_kernel(host.data()); }),
                                {"memory of the host"});
                expect_contains(error_of<UserError>([&] { convolution.execute(x.data(), x.data()); }),
                                {"overlap"});
            }
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
}

TEST_F(GpuInterface, TakesExpressionsFromC) {
    const c::Problem problem = c::transform(SWIRL_DFT, {64});
    ASSERT_EQ(swirl_problem_set_load(problem.get(), "x * w[i]"), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_store(problem.get(), "x where i < 9"), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_store(problem.get(), nullptr), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_load(problem.get(), "x *"), SWIRL_USER_ERROR);
    EXPECT_STREQ(swirl_plan_problem(c::plan(problem, &c_options).get()), "dft 64 load=\"x * w[i]\"");
}

TEST_F(GpuInterface, TakesTheSpectrumOfAConvolutionFromC) {
    const c::Problem problem = c::transform(SWIRL_CONVOLUTION, {64});
    ASSERT_EQ(swirl_problem_set_data_type(problem.get(), SWIRL_COMPLEX64), SWIRL_OK);
    ASSERT_EQ(swirl_problem_add_batch(problem.get(), 3), SWIRL_OK);
    ASSERT_EQ(swirl_problem_set_spectrum(problem.get(), SWIRL_EACH), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_spectrum(problem.get(), 2), SWIRL_USER_ERROR);
    const c::Plan plan = c::plan(problem, &c_options);
    EXPECT_STREQ(swirl_plan_problem(plan.get()), "convolution 64 float32 batch=3 spectrum=each");
    const gpu::Array<Complex> x(192), y(192), h(192);
    const auto execute = [&](const swirl_array& array) {
        const swirl_array arrays[] = {{"input", x.data(), nullptr}, {"output", y.data(), nullptr}, array};
        return swirl_execute_arrays(plan.get(), arrays, 3, nullptr);
    };
    EXPECT_EQ(execute({"spectrum", h.data(), nullptr}), SWIRL_OK) << swirl_last_error();
    c::expect_error(execute({"spectrum", nullptr, nullptr}), SWIRL_USER_ERROR, "array spectrum is null");
    EXPECT_EQ(execute({"filter", h.data(), nullptr}), SWIRL_USER_ERROR);
    EXPECT_EQ(execute({nullptr, h.data(), nullptr}), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_USER_ERROR);
}

TEST_F(GpuInterface, RefusesAbsurdCountsFromC) {
    const c::Plan plan = c::plan("convolution 64 float32", &c_options);
    const gpu::Array<Complex> h(64);
    const swirl_array spectrum{"spectrum", h.data(), nullptr};
    for (const std::size_t count : {std::size_t{7}, std::size_t{1} << 62, static_cast<std::size_t>(-1),
                                    static_cast<std::size_t>(-1) / 24 + 1}) {
        EXPECT_EQ(swirl_execute_arrays(plan.get(), &spectrum, count, nullptr), SWIRL_USER_ERROR);
        expect_contains(swirl_last_error(), {"argument 'arrays'", std::to_string(count).c_str()});
    }
    swirl_plan* made = nullptr;
    for (const int64_t count : {int64_t{-1}, int64_t{0}, INT64_MIN, INT64_MAX, int64_t{1} << 61}) {
        const c::Problem batched = c::transform(SWIRL_DFT, {64});
        ASSERT_EQ(swirl_problem_add_batch(batched.get(), count), SWIRL_OK);
        EXPECT_EQ(swirl_plan_create(batched.get(), &c_options, &made), SWIRL_USER_ERROR) << count;
    }
    for (const int ordinal : {-1, 1 << 30, INT32_MIN}) {
        swirl_options options = c_options;
        options.ordinal = ordinal;
        EXPECT_EQ(swirl_plan_from_text("dft 64", &options, &made), SWIRL_UNAVAILABLE) << ordinal;
        EXPECT_EQ(made, nullptr);
    }
}

TEST_F(GpuInterface, RefusesAbsurdLengthsAtOnce) {
    for (const char* text :
         {"dft 1099511627776", "dft 4294967296", "rdft 10999999999900", "dft 1099511627791",
          "convolution 1099511627689 float32", "wht 2^55", "dct2 2^50", "dft 3x1099511627689x2"}) {
        swirl_plan* plan = nullptr;
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(swirl_plan_from_text(text, &c_options, &plan), SWIRL_USER_ERROR);
        expect_contains(swirl_last_error(), {"GiB", "use lengths up to"});
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100)) << text;
    }
}

TEST_F(GpuInterface, Takes16BitTypesFromC) {
    const c::Problem problem = c::transform(SWIRL_DFT, {64});
    ASSERT_EQ(swirl_problem_set_data_type(problem.get(), SWIRL_BFLOAT16), SWIRL_OK);
    const c::Plan plan = c::plan(problem, &c_options);
    EXPECT_STREQ(swirl_plan_problem(plan.get()), "dft 64 bfloat16");
    const gpu::Memory x(64 * 4), y(64 * 4);
    EXPECT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_OK) << swirl_last_error();
}

TEST_F(GpuInterface, WorksFromCOnPlanarData) {
    const c::Plan plan = c::plan("dft 8 planar float32 batch=4 inplace", &c_options);
    const gpu::Array<float> re(32), im(32);
    EXPECT_EQ(swirl_execute_planar(plan.get(), re.data(), im.data(), re.data(), im.data()), SWIRL_OK)
        << swirl_last_error();
    const swirl_array arrays[] = {{"input", re.data(), im.data()}, {"output", re.data(), im.data()}};
    EXPECT_EQ(swirl_execute_arrays(plan.get(), arrays, 2, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(swirl_plan_workspace_bytes(plan.get()), 0U);
}

} // namespace gpu_test
} // namespace swirl
