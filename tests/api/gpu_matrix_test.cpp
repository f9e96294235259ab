// Matrix multiplications on a GPU that is not there, from C++ and from C: what is launched is what was planned.

#include "api/c_interface.hpp"
#include "gpu_matrix_fixture.hpp"
#include "support/gpu_schedules.hpp"

#include <swirl/half.hpp>

#include <fmt/format.h>

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace swirl {
namespace gpu_matrix_test {

TEST_F(GpuMatrixInterface, PlansAndExecutesOnAStream) {
    const Plan plan = swirl::plan(product, unchecked);
    EXPECT_EQ(plan.problem(), Problem(product));
    EXPECT_EQ(plan.flops(), 2.0 * 64 * 48 * 32);
    EXPECT_EQ(plan.device(), Device::gpu());
    EXPECT_NE(plan.description().find("registers"), std::string::npos);
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48);
    auto* const stream = reinterpret_cast<void*>(0x1234);
    plan.execute(2, a.data(), b.data(), 0, c.data(), gpu::Stream(stream));
    ASSERT_EQ(fake.launches.size(), 1U);
    EXPECT_EQ(static_cast<void*>(fake.launches[0].stream), stream);
    const Given given = last_given();
    EXPECT_EQ(given.a, a.data());
    EXPECT_EQ(given.b, b.data());
    EXPECT_EQ(given.c, c.data());
    EXPECT_EQ(given.factors[0], 2);
    EXPECT_EQ(given.factors[1], 0);
    EXPECT_EQ(given.multiplies, 1);
    EXPECT_EQ(given.reads_c, 0);
}

TEST_F(GpuMatrixInterface, SaysWhatIsNotRead) {
    const Plan plan = swirl::plan(product, unchecked);
    const gpu::Array<float> c(64 * 48);
    plan.execute(0, nullptr, nullptr, 3, c.data());
    EXPECT_EQ(last_given().multiplies, 0);
    EXPECT_EQ(last_given().reads_c, 1);
    const Plan flat = swirl::plan(MatrixProduct::column_major(DataType::float32, 64, 48, 0), unchecked);
    flat.execute(1, nullptr, nullptr, 3, c.data());
    EXPECT_EQ(last_given().multiplies, 0);
    EXPECT_EQ(fake.launches.size(), 2U);
}

TEST_F(GpuMatrixInterface, DoesNothingWhereNothingIsToBeComputed) {
    for (const MatrixProduct& empty : {MatrixProduct::column_major(DataType::float32, 0, 3, 4),
                                       MatrixProduct::column_major(DataType::float32, 3, 0, 4)}) {
        const Plan plan = swirl::plan(empty, {.device = Device::gpu()});
        plan.execute(1, nullptr, nullptr, 0, static_cast<float*>(nullptr));
        EXPECT_EQ(plan.flops(), 0);
    }
    MatrixProduct none = product;
    none.batch = 0;
    swirl::plan(none, {.device = Device::gpu()})
        .execute(1, nullptr, nullptr, 0, static_cast<float*>(nullptr));
    EXPECT_TRUE(fake.launches.empty());
}

TEST_F(GpuMatrixInterface, TakesSchedules) {
    const std::vector<std::string> schedules = swirl::gpu_schedules(product, 5);
    ASSERT_EQ(schedules.size(), 5U);
    for (const std::string& schedule : schedules) {
        Options options = unchecked;
        options.schedule = schedule;
        EXPECT_EQ(swirl::plan(product, options).schedule(), schedule);
    }
    EXPECT_EQ(swirl::plan(product, unchecked).schedule(), schedules.front());
    Options options = unchecked;
    options.schedule = "sm_90: cta_m=1000";
    expect_contains(error_of<UserError>([&] { swirl::plan(product, options); }),
                    {"this schedule is infeasible"});
    options.schedule = "sm_90: thread_m=0";
    expect_contains(error_of<UserError>([&] { swirl::plan(product, options); }), {"thread_m is 0"});
}

TEST_F(GpuMatrixInterface, SearchesForSchedules) {
    int lines = 0;
    const Plan plan = swirl::plan(product, {.device = Device::gpu(),
                                            .effort = Effort::measure,
                                            .time_budget_seconds = 0.05,
                                            .progress = [&](const std::string&) { ++lines; },
                                            .check = false,
                                            .use_wisdom = false,
                                            .use_kernel_cache = false});
    EXPECT_EQ(plan.schedule(), swirl::plan(product, unchecked).schedule()) << "all take as long here";
    EXPECT_GE(lines, 2);
    EXPECT_FALSE(fake.launches.empty());
    expect_contains(error_of<UserError>([] {
                        swirl::plan(
                            product,
                            {.device = Device::gpu(), .effort = Effort::measure, .time_budget_seconds = -1});
                    }),
                    {"time_budget_seconds is -1"});
}

TEST_F(GpuMatrixInterface, HasAKernelForMatricesThatAreNotAligned) {
    Options options = unchecked;
    options.schedule = "sm_90: cta_m=32 cta_n=16 thread_m=4 thread_n=4 a_vector_m=4 c_vector_m=4";
    const Plan plan = swirl::plan(product, options);
    const gpu::Array<float> a(64 * 32 + 1), b(32 * 48), c(64 * 48);
    const std::size_t compiled = fake.compiled.size();
    plan.execute(1, a.data(), b.data(), 0, c.data());
    EXPECT_EQ(fake.compiled.size(), compiled);
    for (int k = 0; k < 3; ++k) plan.execute(1, a.data() + 1, b.data(), 0, c.data());
    EXPECT_EQ(fake.compiled.size(), compiled + 1);
    EXPECT_EQ(last_given().a, a.data() + 1);
}

TEST_F(GpuMatrixInterface, ChecksTheKernelForMatricesThatAreNotAligned) {
    Options options = unchecked;
    options.check = true;
    options.schedule = "sm_90: cta_m=32 cta_n=16 thread_m=4 thread_n=4 a_vector_m=4 c_vector_m=4";
    const auto multiply = [this] {
        const Given given = last_given();
        for (std::ptrdiff_t j = 0; j < 48; ++j)
            for (std::ptrdiff_t i = 0; i < 64; ++i) {
                double sum = 0;
                for (std::ptrdiff_t k = 0; k < 32; ++k)
                    sum += double{given.a[i + 64 * k]} * double{given.b[k + 32 * j]};
                float& element = given.c[i + 64 * j];
                element = static_cast<float>(
                    double{given.factors[0]} * sum +
                    (given.reads_c != 0 ? double{given.factors[1]} * double{element} : 0.0));
            }
    };
    const auto is_aligned = [](const void* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
    };
    int misaligned = 0;
    fake.kernel = [&, this] {
        multiply();
        const Given given = last_given();
        misaligned += is_aligned(given.a) || is_aligned(given.b) || is_aligned(given.c) ? 0 : 1;
    };
    const Plan plan = swirl::plan(product, options);
    const gpu::Array<float> a(64 * 32 + 1), b(32 * 48), c(64 * 48);
    fake.launches.clear();
    fake.is_capturing = true;
    auto* const stream = reinterpret_cast<void*>(0x1234);
    const auto execute = [&](gpu::Stream on) { plan.execute(1, a.data() + 1, b.data(), 0, c.data(), on); };
    expect_contains(error_of<UserError>([&] { execute(gpu::Stream(stream)); }),
                    {"which no graph captures", "execute once before the capture"});
    EXPECT_TRUE(fake.launches.empty());
    fake.is_capturing = false;
    execute({});
    EXPECT_EQ(fake.launches.size(), 2U) << "one to check it";
    EXPECT_EQ(misaligned, 1);
    fake.is_capturing = true;
    execute(gpu::Stream(stream));
    EXPECT_EQ(fake.launches.size(), 3U);
    fake.is_capturing = false;

    const Plan other = swirl::plan(product, options);
    fake.kernel = [&, this] {
        multiply();
        last_given().c[63 + 64 * 47] += 1;
    };
    expect_contains(error_of<InternalError>([&] { other.execute(1, a.data() + 1, b.data(), 0, c.data()); }),
                    {"64 by 48 by 32", "is wrong at"});
    fake.kernel = {};
}

/// Both matrices are split, threads stand by, tensor cores multiply; where A and B are not wanted only these are launched.
TEST_F(GpuMatrixInterface, ChecksTheRangeOfSplitOperands) {
    constexpr Integer extent = 256;
    const MatrixProduct square = MatrixProduct::column_major(DataType::float32, extent, extent, extent);
    Options options = unchecked;
    for (const std::string& schedule : swirl::gpu_schedules(square, 1000))
        if (options.schedule.empty() && schedule.find("range_check=1") != std::string::npos)
            options.schedule = schedule;
    ASSERT_NE(options.schedule.find("bf16_split=3"), std::string::npos);
    fake.argument_bytes.clear();
    const Plan plan = swirl::plan(square, options);
    EXPECT_GE(plan.workspace_bytes(), 2 * 3 * sizeof(bfloat16) * extent * extent + sizeof(std::int64_t));
    const gpu::Array<float> a(extent * extent), b(extent * extent), c(extent * extent);
    fake.calls.clear();
    plan.execute(1, a.data(), b.data(), 0, c.data());
    EXPECT_EQ(fake.launches.size(), 4U);
    EXPECT_EQ(fake.count("cuMemsetD8Async"), 1);
    plan.execute(0, nullptr, nullptr, 1, c.data());
    EXPECT_EQ(fake.launches.size(), 5U);
    constexpr std::string_view checks = "range_check=1";
    options.schedule.replace(options.schedule.find(checks), checks.size(), "range_check=0");
    swirl::plan(square, options).execute(1, a.data(), b.data(), 0, c.data());
    EXPECT_EQ(fake.launches.size(), 8U);
    EXPECT_EQ(fake.count("cuMemsetD8Async"), 2);
}

TEST_F(GpuMatrixInterface, WaitsForNothing) {
    const Plan plan = swirl::plan(product, unchecked);
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48);
    fake.calls.clear();
    plan.execute(1, a.data(), b.data(), 0, c.data());
    for (const char* call : {"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "cuMemAlloc",
                             "cuMemAllocAsync", "cuMemcpyHtoD", "cuMemcpyDtoH"})
        EXPECT_EQ(fake.count(call), 0) << call;
}

TEST_F(GpuMatrixInterface, IsComparedWithTheDefinition) {
    expect_contains(error_of<InternalError>(
                        [] { swirl::plan(product, {.device = Device::gpu(), .use_kernel_cache = false}); }),
                    {"64 by 48 by 32", "is wrong at"}); // such kernels do nothing
}

TEST_F(GpuMatrixInterface, RejectsKernelsThatWriteOutsideC) {
    MatrixProduct padded = product;
    padded.a.column_stride = 67;
    padded.c.column_stride = 70;
    const auto error_where_a_byte_is_flipped = [&](const float* Given::*array, std::ptrdiff_t byte) {
        fake.kernel = [=, this] {
            const Given given = last_given();
            auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<float*>(given.*array));
            bytes[byte] = static_cast<unsigned char>(~bytes[byte]);
        };
        return error_of<InternalError>(
            [&] { swirl::plan(padded, {.device = Device::gpu(), .use_kernel_cache = false}); });
    };
    const auto expect_found = [&](const float* Given::*array, std::ptrdiff_t byte, const char* words) {
        expect_contains(error_where_a_byte_is_flipped(array, byte),
                        {"64 by 48 by 32", "wrote where it must not", "cta_m", words});
    };
    expect_found(&Given::a, 12, "a, byte 12 ");
    expect_found(&Given::a, 4 * (67 * 3 + 65), "a, byte 1064 "); // between its columns
    expect_found(&Given::b, -1, "b, byte -1 ");
    expect_found(&Given::b, 4 * 32 * 48 - 1, "b, byte 6143 ");
    const auto c_error = [&](std::ptrdiff_t byte) {
        fake.kernel = [=, this] {
            auto* const bytes = reinterpret_cast<unsigned char*>(last_given().c);
            bytes[byte] = static_cast<unsigned char>(~bytes[byte]);
        };
        return error_of<InternalError>(
            [&] { swirl::plan(padded, {.device = Device::gpu(), .use_kernel_cache = false}); });
    };
    for (const std::ptrdiff_t byte : {4 * 64, 4 * 70 - 1, 4 * (70 * 46 + 64), 4 * (70 * 47 + 64), -3})
        expect_contains(c_error(byte), {"wrote where it must not", fmt::format("c, byte {} ", byte).c_str()});
    for (const std::ptrdiff_t byte : {0, 4 * 64 - 1, 4 * 70}) // of elements: these are merely wrong
        expect_contains(c_error(byte), {"is wrong at"});
    fake.kernel = {};
}

TEST_F(GpuMatrixInterface, ReportsThatTheCheckLacksMemory) {
    const std::size_t free_bytes = std::exchange(fake.free_bytes, 20'000);
    expect_contains(error_of<OutOfMemory>(
                        [] { swirl::plan(product, {.device = Device::gpu(), .use_kernel_cache = false}); }),
                    {"cannot allocate", "check before first use", "check = false"});
    fake.free_bytes = free_bytes;
}

TEST_F(GpuMatrixInterface, NeedsNoMoreThanTheMemoryLimit) {
    Options options = unchecked;
    options.memory_limit_bytes = 20'000;
    EXPECT_NO_THROW(swirl::plan(product, options));
    options.check = true;
    expect_contains(error_of<OutOfMemory>([&] { swirl::plan(product, options); }),
                    {"for the check before first use", "memory_limit_bytes is 20000", "check = false"});
    options.check = false;
    options.effort = Effort::measure;
    options.use_wisdom = false;
    expect_contains(error_of<OutOfMemory>([&] { swirl::plan(product, options); }),
                    {"for benchmarks", "effort = estimate"});
}

TEST_F(GpuMatrixInterface, RefusesArgumentsThatDoNotFit) {
    const Plan plan = swirl::plan(product, unchecked);
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), small(10), all(1 << 14);
    std::vector<float> host(64 * 48);
    const auto refused = [&](const float* left, const float* right, float* result) {
        return error_of<UserError>([&] { plan.execute(1, left, right, 0, result); });
    };
    expect_contains(refused(nullptr, b.data(), c.data()), {"a is null"});
    expect_contains(refused(a.data(), nullptr, c.data()), {"b is null"});
    expect_contains(refused(a.data(), b.data(), nullptr), {"c is null"});
    expect_contains(refused(host.data(), b.data(), c.data()), {"a", "memory of the host", "GPU 0"});
    expect_contains(refused(a.data(), b.data(), host.data()), {"c", "memory of the host"});
    expect_contains(refused(small.data(), b.data(), c.data()), {"a", "too small"});
    expect_contains(refused(all.data(), b.data(), all.data() + 2000), {"c", "a", "overlap"});
    const auto* const odd = reinterpret_cast<const float*>(reinterpret_cast<std::uintptr_t>(b.data()) + 2);
    expect_contains(refused(a.data(), odd, c.data()), {"b", "not aligned", "multiple of 4"});
    const gpu::Array<double> wide(64 * 48);
    expect_contains(error_of<UserError>([&] { plan.execute(1, wide.data(), wide.data(), 0, wide.data()); }),
                    {"a is an array of double", "it takes float"});
    EXPECT_TRUE(fake.launches.empty());
    EXPECT_EQ(refused(a.data(), b.data(), c.data()), "");
}

TEST_F(GpuMatrixInterface, RefusesWorkspacesThatDoNotFit) {
    Options options = unchecked;
    options.schedule =
        "sm_90: cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 split_k=2 "
        "split_k_in_workspace=1";
    const Plan plan = swirl::plan(product, options);
    const std::size_t needed = plan.workspace_bytes();
    ASSERT_GT(needed, 256U);
    fake.argument_bytes = {8, 8, 8, 8, 8, 8, 8, 8};
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48);
    const gpu::Array<float> memory((needed + 256) / 4), little((needed - 256) / 4);
    const auto refused = [&](float* data, std::size_t bytes) {
        return error_of<UserError>([&] {
            plan.execute(1, a.data(), b.data(), 0, c.data(), {}, {data, bytes});
        });
    };
    expect_contains(refused(memory.data(), needed - 1), {"the workspace has", "this plan needs"});
    expect_contains(refused(memory.data() + 2, needed), {"not aligned to 256 bytes"});
    expect_contains(refused(little.data(), needed), {"workspace", "too small"});
    std::vector<float> host((needed + 256) / 4);
    float* const aligned = host.data() + (256 - reinterpret_cast<std::uintptr_t>(host.data()) % 256) / 4;
    expect_contains(refused(aligned, needed), {"workspace", "memory of the host"});
    const gpu::Array<float> all(needed / 4 + 64 * 48);
    float* const last = all.data() + needed / 4 - 1; // of the workspace
    expect_contains(error_of<UserError>([&] {
                        plan.execute(1, a.data(), b.data(), 0, last, {}, {all.data(), needed});
                    }),
                    {"workspace", "c = ", "overlap"});
    EXPECT_TRUE(fake.launches.empty());
    EXPECT_EQ(refused(memory.data(), needed), "");
}

MatrixProduct with_bias() {
    MatrixProduct result = product;
    result.epilogue = Expression("max(0, x * scale[j] + bias[i])");
    return result;
}

TEST_F(GpuMatrixInterface, GivesKernelsTheArraysOfEpilogues) {
    fake.argument_bytes = {8, 8, 8, 8, 8, 8, 8, 8};
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), bias(64), scale(48);
    const Plan plan = swirl::plan(with_bias(), unchecked);
    const Plan ready = plan.with("bias", bias.data()).with("scale", scale.data());
    ready.execute(1, a.data(), b.data(), 0, c.data());
    EXPECT_EQ(pointer_given(fake, 2), c.data());
    EXPECT_EQ(pointer_given(fake, 3), scale.data()) << "in the order in which the expression names them";
    EXPECT_EQ(pointer_given(fake, 4), bias.data());
    ready.execute(0, nullptr, nullptr, 0, c.data());
    EXPECT_EQ(pointer_given(fake, 4), bias.data());
}

TEST_F(GpuMatrixInterface, RefusesArraysThatDoNotFit) {
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), bias(64), scale(48), little(47);
    const gpu::Array<double> wide(64);
    const Plan plan = swirl::plan(with_bias(), unchecked).with("bias", bias.data());
    const auto refused = [&](const Plan& one) {
        return error_of<UserError>([&] { one.execute(1, a.data(), b.data(), 0, c.data()); });
    };
    expect_contains(refused(plan), {"scale", "has not been given", "with(\"scale\""});
    expect_contains(refused(plan.with("scale", little.data())), {"array scale", "too small"});
    expect_contains(refused(plan.with("scale", c.data() + 5)), {"array scale", "overlap"});
    const std::vector<float> host(48);
    expect_contains(refused(plan.with("scale", host.data())), {"array scale", "memory of the host"});
    const auto refused_with = [&](const char* name, const auto* array) {
        return error_of<UserError>([&] { plan.with(name, array); });
    };
    expect_contains(refused_with("weight", bias.data()), {"no array \"weight\"", "scale, bias"});
    expect_contains(refused_with("scale", wide.data()), {"array scale", "float"});
    expect_contains(refused_with("scale", static_cast<const float*>(nullptr)), {"array scale is null"});
    EXPECT_TRUE(fake.launches.empty());
}

TEST_F(GpuMatrixInterface, TakesBytesWithSumsOfFloat32) {
    MatrixProduct bytes = product;
    bytes.a_type = DataType::int8;
    bytes.b_type = DataType::unorm8;
    const Plan plan = swirl::plan(bytes, unchecked);
    const gpu::Array<std::int8_t> a(64 * 32);
    const gpu::Array<unorm8> b(32 * 48);
    const gpu::Array<float> c(64 * 48);
    plan.execute(0.5F, a.data(), b.data(), 0, c.data());
    EXPECT_EQ(last_given().factors[0], 0.5F);
    expect_contains(error_of<Unsupported>([&] { swirl::plan(bytes); }),
                    {"int8", "unorm8", "Options::device"});
    bytes.b_type = DataType::float8_e4m3;
    expect_contains(error_of<UserError>([&] { swirl::plan(bytes, {.device = Device::gpu()}); }),
                    {"b_type is float8_e4m3"});
}

TEST_F(GpuMatrixInterface, SupportsComplexTypes) {
    fake.argument_bytes = {8, 8, 8, 16, 8, 8};
    const Plan plan = swirl::plan(MatrixProduct::column_major(DataType::complex64, 64, 48, 32), unchecked);
    EXPECT_EQ(plan.flops(), 8.0 * 64 * 48 * 32);
    const gpu::Array<std::complex<float>> a(64 * 32), b(32 * 48), c(64 * 48);
    plan.execute(std::complex<float>(1, 2), a.data(), b.data(), std::complex<float>(3, 4), c.data());
    std::array<float, 4> factors{};
    std::memcpy(factors.data(), fake.launches.back().arguments.data() + 24, sizeof factors);
    EXPECT_EQ(factors, (std::array<float, 4>{1, 2, 3, 4}));
}

TEST_F(GpuMatrixInterface, RefusesProductsThatThereAreNoKernelsFor) {
    MatrixProduct bytes = MatrixProduct::column_major(DataType::int32, 4, 4, 4);
    bytes.a_type = bytes.b_type = DataType::int8;
    expect_contains(error_of<UserError>([&] { swirl::plan(bytes, {.device = Device::gpu()}); }),
                    {"int32 accumulators", "float32, float64"});
    expect_contains(error_of<Unavailable>([] { swirl::plan(product, {.device = Device::gpu(7)}); }),
                    {"no GPU 7"});
    MatrixProduct wrong = product;
    wrong.rows = -1;
    expect_contains(error_of<UserError>([&] { swirl::plan(wrong, {.device = Device::gpu()}); }), {"-1"});
}

TEST_F(GpuMatrixInterface, WorksFromC) {
    const swirl_options options = c::on_gpu();
    const c::Problem problem = c::product(SWIRL_FLOAT32, 64, 48, 32);
    const c::Plan plan = c::plan(problem, &options);
    swirl_plan* const made = plan.get();
    EXPECT_EQ(swirl_plan_flops(made), 2.0 * 64 * 48 * 32);
    EXPECT_EQ(swirl_plan_device(made), SWIRL_GPU);
    EXPECT_EQ(swirl_plan_ordinal(made), 0);
    const std::string schedule = swirl_plan_schedule(made);
    EXPECT_EQ(schedule, swirl::plan(product, unchecked).schedule());
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48);
    const float alpha = 2, beta = -1, zero = 0;
    swirl_execution execution = SWIRL_EXECUTION_INIT;
    execution.stream = reinterpret_cast<void*>(0x1234);
    const swirl_array arrays[] = {{"alpha", &alpha, nullptr},
                                  {"a", a.data(), nullptr},
                                  {"b", b.data(), nullptr},
                                  {"beta", &beta, nullptr},
                                  {"c", c.data(), nullptr}};
    EXPECT_EQ(swirl_execute_arrays(made, arrays, 5, &execution), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(static_cast<void*>(fake.launches.back().stream), execution.stream);
    EXPECT_EQ(last_given().factors[1], -1);
    EXPECT_EQ(last_given().reads_c, 1);
    EXPECT_EQ(swirl_execute_product(made, &zero, nullptr, nullptr, &beta, c.data()), SWIRL_OK);

    const auto refused = [&](swirl_status status, const char* why) {
        c::expect_error(status, SWIRL_USER_ERROR, why);
    };
    refused(swirl_execute_product(made, nullptr, a.data(), b.data(), &beta, c.data()), "alpha");
    refused(swirl_execute_product(made, &alpha, a.data(), b.data(), nullptr, c.data()), "beta");
    refused(swirl_execute_product(made, &alpha, nullptr, b.data(), &beta, c.data()), "a is null");
    refused(swirl_execute_product(nullptr, &alpha, a.data(), b.data(), &beta, c.data()), "plan");
    refused(swirl_execute_arrays(made, arrays, 6, &execution), "arrays");
    const swirl_array twice[] = {{"a", a.data(), nullptr}, {"a", b.data(), nullptr}};
    refused(swirl_execute_arrays(made, twice, 2, nullptr), "twice");
    swirl_plan* none = made;
    refused(swirl_plan_create(nullptr, &options, &none), "problem");
    EXPECT_EQ(none, nullptr);
    swirl_options other = options;
    other.schedule = "sm_90: rows=3";
    refused(swirl_plan_create(problem.get(), &other, &none), "rows=3");
    other.schedule = schedule.c_str();
    EXPECT_EQ(swirl_plan_schedule(c::plan(problem, &other).get()), schedule);
    other.schedule = nullptr;
    other.use_wisdom = 0;
    other.reorder_sass = 1;
    Options allowed = unchecked;
    allowed.use_wisdom = false;
    allowed.reorder_sass = true;
    const c::Plan reordered = c::plan(problem, &other);
    EXPECT_EQ(swirl_plan_schedule(reordered.get()), swirl::plan(product, allowed).schedule());
    expect_contains(swirl_plan_schedule(reordered.get()), {"reorder_sass=1"});
    expect_contains(schedule, {"reorder_sass=0"});
    other.ordinal = 7;
    c::expect_error(swirl_plan_create(problem.get(), &other, &none), SWIRL_UNAVAILABLE, "no GPU 7");
}

TEST_F(GpuMatrixInterface, TakesArraysFromC) {
    fake.argument_bytes = {8, 8, 8, 8, 8, 8, 8, 8};
    const swirl_options options = c::on_gpu();
    const c::Plan plan = c::plan("gemm 64x48x32 float32 epilogue=max(0, x * scale[j] + bias[i])", &options);
    EXPECT_EQ(swirl_plan_workspace_bytes(plan.get()), swirl::plan(with_bias(), unchecked).workspace_bytes());
    const gpu::Array<float> a(64 * 32), b(32 * 48), c(64 * 48), bias(64), scale(48);
    const swirl_array arrays[] = {{"a", a.data(), nullptr},
                                  {"b", b.data(), nullptr},
                                  {"c", c.data(), nullptr},
                                  {"bias", bias.data(), nullptr},
                                  {"scale", scale.data(), nullptr}};
    ASSERT_EQ(swirl_execute_arrays(plan.get(), arrays, 5, nullptr), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(pointer_given(fake, 3), scale.data());
    EXPECT_EQ(pointer_given(fake, 4), bias.data());
    c::expect_error(swirl_execute_arrays(plan.get(), arrays, 4, nullptr), SWIRL_USER_ERROR, "scale");
    expect_contains(swirl_last_error(), {"scale", "has not been given"});
}

} // namespace gpu_matrix_test
} // namespace swirl
