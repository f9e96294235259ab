#include "plan/transform/gpu/kernels.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "runtime/cuda/memory.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace swirl::planning {
namespace gpu_plan_test {

using runtime::expect_contains;
using runtime::fake_cuda_library;
using runtime::fake_of;
using runtime::GpuBuffer;
using runtime::GpuDevice;
using support::FakeLaunch;

void* at(const GpuBuffer& buffer, std::size_t offset = 0) {
    return reinterpret_cast<void*>(buffer.address() + offset);
}

std::vector<runtime::cuda::Address> addresses_in(const FakeLaunch& launch) {
    std::vector<runtime::cuda::Address> result(launch.arguments.size() / sizeof(runtime::cuda::Address));
    std::memcpy(result.data(), launch.arguments.data(), launch.arguments.size());
    return result;
}

/// Plans for a GPU that is not there: what is launched is what was planned.
class GpuPlans : public runtime::Cuda {
protected:
    void SetUp() override {
        Cuda::SetUp();
        fake.devices = 2;
        fake.free_bytes = std::size_t{1} << 24;
    }

    std::shared_ptr<const GpuPlan> plan_of(const std::string& text, const std::string& schedule,
                                           int device = 0) {
        return GpuPlan::build(problem(text), transform_schedule(schedule), GpuDevice(device, driver()),
                              {.check = false, .use_cache = false});
    }
    void expect_parameters(std::size_t count) {
        fake.argument_bytes.assign(count, sizeof(runtime::cuda::Address));
    }
};

TEST_F(GpuPlans, LaunchWhatTheirFactsSay) {
    const auto plan = plan_of("dft 1024 float32 batch=7", "sm_90: 0 stockham(16,8,8) on 128x2 pad 32");
    const std::vector<ir::KernelInfo> kernels = plan->kernels();
    ASSERT_EQ(kernels.size(), 1U);
    const ir::KernelInfo& kernel = kernels[0];
    EXPECT_EQ(kernel.launch, (ir::Launch{{4, 1, 1}, {128, 1, 1}}));
    EXPECT_EQ(kernel.transforms_per_block, 2);
    EXPECT_EQ(kernel.factors, (std::vector<Integer>{16, 8, 8}));
    EXPECT_GT(kernel.registers, 0);
    EXPECT_EQ(kernel.resident_blocks, 2048 / 128);
    EXPECT_GE(kernel.shared_bytes, 2 * 1024 * 8);
    EXPECT_GT(plan->flops(), 7 * 1024 * 20);
    EXPECT_GE(plan->bytes(), 2 * 7 * 1024 * 8);

    const GpuBuffer in(plan->device(), 7 * 1024 * 8), out(plan->device(), 7 * 1024 * 8);
    expect_parameters(2);
    auto* const stream = reinterpret_cast<runtime::cuda::Stream>(0x77);
    plan->execute({.input = at(in), .output = at(out)}, stream);
    ASSERT_EQ(fake.launches.size(), 1U);
    const FakeLaunch& launch = fake.launches[0];
    EXPECT_EQ(launch.grid[0], 4U);
    EXPECT_EQ(launch.block[0], 128U);
    EXPECT_EQ(launch.block[1], 1U);
    EXPECT_EQ(launch.shared_bytes, kernel.dynamic_shared_bytes);
    EXPECT_EQ(launch.stream, stream);
    EXPECT_EQ(addresses_in(launch)[0], in.address());
    EXPECT_EQ(addresses_in(launch)[1], out.address());
}

TEST_F(GpuPlans, RequestDynamicSharedMemory) {
    const auto plan = plan_of("dft 4096 batch=2", "sm_90: 0 stockham(16,16,16) on 256x1");
    EXPECT_EQ(plan->kernels()[0].dynamic_shared_bytes, plan->kernels()[0].shared_bytes);
    EXPECT_GT(plan->kernels()[0].dynamic_shared_bytes, 48 * 1024);
}

TEST_F(GpuPlans, TransformOneDimensionAfterTheOther) {
    const auto plan = plan_of("dft 16x8", "sm_90: 1 codelet on 32x16; 0 codelet on 8x1");
    const GpuBuffer in(plan->device(), 128 * 16), out(plan->device(), 128 * 16);
    expect_parameters(1);
    plan->execute({.input = at(in), .output = at(out)}, nullptr);
    ASSERT_EQ(fake.launches.size(), 2U);
    EXPECT_EQ(addresses_in(fake.launches[0])[0], in.address());
    EXPECT_EQ(addresses_in(fake.launches[1])[0], out.address());
    EXPECT_EQ(plan->describe().size(), 2U);
}

TEST_F(GpuPlans, PassPlanarComponentsSeparately) {
    const auto plan = plan_of("dft 8 planar batch=32", "sm_90: 0 codelet on 32x32");
    std::vector<GpuBuffer> components;
    for (int k = 0; k < 4; ++k) components.emplace_back(plan->device(), 8 * 32 * 8);
    expect_parameters(4);
    plan->execute({.input = at(components[0]),
                   .output = at(components[2]),
                   .input_imaginary = at(components[1]),
                   .output_imaginary = at(components[3])},
                  nullptr);
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(addresses_in(fake.launches.at(0))[k], components[k].address());
}

TEST_F(GpuPlans, Take16BitTypes) {
    for (const char* text : {"dft 256 float16 batch=4", "dft 256 bfloat16 batch=4"}) {
        const auto plan = plan_of(text, "sm_90: 0 stockham(16,16) on 32x2 pad 32");
        EXPECT_EQ(plan->kernels()[0].bytes_stored, 256 * 4 * 4);
        const GpuBuffer in(plan->device(), 256 * 4 * 4), out(plan->device(), 256 * 4 * 4 + 4);
        expect_parameters(2);
        plan->execute({.input = at(in), .output = at(out, 4)}, nullptr);
        ASSERT_EQ(addresses_in(fake.launches.back()).size(), 2U);
        EXPECT_EQ(addresses_in(fake.launches.back())[1], out.address() + 4);
        expect_contains(
            error_of<UserError>([&] { plan->execute({.input = at(in), .output = at(out, 2)}, nullptr); }),
            {"output", "multiple of 4 bytes"});
        expect_contains(
            error_of<UserError>([&] { plan->execute({.input = at(in, 4), .output = at(out)}, nullptr); }),
            {"input", "too small"});
    }
}

TEST_F(GpuPlans, RefuseBfloat16WhereThereIsNone) {
    expect_contains(error_of<UserError>([] {
                        describe_passes(problem("dft 8 bfloat16"),
                                        transform_schedule("generic: 0 codelet on 32x1"));
                    }),
                    {"generic", "bfloat16", "use float16 or float32"});
    EXPECT_EQ(
        describe_passes(problem("dft 8 float16"), transform_schedule("generic: 0 codelet on 32x1")).size(),
        1U);
}

TEST_F(GpuPlans, RefuseLaunchesThatNoGpuOfTheKindHas) {
    const auto error = [](const char* configuration) {
        return error_of<UserError>([&] {
            describe_passes(problem("dft 256"),
                            transform_schedule(std::string("sm_90: 0 stockham(16,16) on ") + configuration));
        });
    };
    expect_contains(error("2048x1"), {"blocks of 2048 threads", "at most 1024"});
    expect_contains(error("64x4 resident 99999999999"),
                    {"99999999999 resident blocks", "sm_90", "at most 32"});
    expect_contains(error("64x4 cluster 99999999999"), {"clusters of 99999999999 blocks", "at most"});
}

TEST_F(GpuPlans, AreCheckedOnceAndKeptIfTheyAreRight) {
    const TemporaryFolder folder;
    ASSERT_EQ(setenv("SWIRL_KERNEL_CACHE", folder.path().c_str(), 1), 0); // no plan before this one has asked
    runtime::KernelCache& cache = *runtime::KernelCache::of_user();
    ASSERT_EQ(cache.folder(), folder.path());
    const Transform transform = problem("dft 256 batch=8");
    const Schedule schedule = transform_schedule("sm_90: chunk 3; 0 stockham(16,16) on 32x2 pad 32");
    const GpuDevice device(0, driver());
    const auto plans = [&] {
        const auto entries = cache.entries();
        return std::count_if(entries.begin(), entries.end(),
                             [](const auto& entry) { return entry.label.name.starts_with("plan of "); });
    };
    const auto build = [&](bool check) {
        return GpuPlan::build(transform, schedule, device, {.check = check});
    };
    expect_parameters(2);
    EXPECT_THROW(build(true), InternalError) << "such kernels do nothing";
    EXPECT_EQ(plans(), 0);
    const auto without_cache =
        GpuPlan::build(transform, schedule, device, {.check = false, .use_cache = false});
    EXPECT_GT(without_cache->planning_work().gpu_kernels, 0);
    const auto derived = build(false);
    EXPECT_GT(derived->planning_work().codelets, 0);
    EXPECT_EQ(derived->planning_work().gpu_kernels, 0)
        << "the cache has the machine code of the refused plan";
    EXPECT_EQ(plans(), 2) << "of a whole chunk and of the rest";
    EXPECT_EQ(build(false)->planning_work().codelets, 0) << "nothing is derived again";
    EXPECT_THROW(build(true), InternalError) << "nobody has checked it yet";
    for (const Integer batch : {3, 2}) {
        const Transform component = problem("dft 256 batch=" + std::to_string(batch));
        GpuKernels(component, schedule, device, target::gpu_named("sm_90"), &cache).store(true);
    }
    fake.launches.clear();
    EXPECT_EQ(build(true)->workspace_bytes(), 0U);
    EXPECT_TRUE(fake.launches.empty());
}

TEST_F(GpuPlans, AreCheckedOnASampleOfALargeBatch) {
    fake.free_bytes = std::size_t{1} << 28;
    expect_parameters(2);
    const Transform transform = problem("dft 64 float32 batch=20000");
    const auto on_cpu =
        Plan::build(transform, transform_schedule("portable: 0 stockham(8,8)"), {.check = false});
    std::size_t spoiled = 0; // float32 of the output
    fake.kernel = [&, this] {
        const auto addresses = addresses_in(fake.launches.back());
        auto* const output = reinterpret_cast<float*>(addresses[1]);
        on_cpu->execute({.input = reinterpret_cast<const void*>(addresses[0]), .output = output});
        output[spoiled] = 100;
    };
    const auto build = [&] {
        fake.calls.clear();
        fake.launches.clear();
        return GpuPlan::build(transform, transform_schedule("sm_90: 0 stockham(8,8) on 32x4"),
                              GpuDevice(0, driver()), {.use_cache = false});
    };
    spoiled = 2 * 64 * 10'000 - 1; // near the middle
    expect_contains(error_of<InternalError>(build), {"failed its check", "batch=20000"});
    spoiled = 2 * 64 * 20'000 - 1;
    expect_contains(error_of<InternalError>(build), {"failed its check"});
    spoiled = 2 * 64 * 20'000;
    expect_contains(error_of<InternalError>(build), {"wrote where it must not", "output, byte 10240000 "});
    spoiled = 2 * 64 * 5'000; // not of the sample
    const auto plan = build();
    EXPECT_EQ(plan->checked(), "yes, 8192 of 20000 transforms");
    EXPECT_EQ(fake.launches.size(), 1U);
    EXPECT_EQ(fake.launches[0].grid[0], 5000U) << "the launch of the whole batch";
    fake.kernel = {};
}

TEST_F(GpuPlans, CheckAShorterBatchIfMemoryIsShort) {
    fake.free_bytes = std::size_t{1} << 29;
    expect_parameters(2);
    std::vector<Integer> batches;
    fake.kernel = [&, this] {
        const Integer batch = Integer{fake.launches.back().grid[0]} * 4;
        batches.push_back(batch);
        const auto addresses = addresses_in(fake.launches.back());
        Plan::build(problem("dft 64 float32 batch=" + std::to_string(batch)),
                    transform_schedule("portable: 0 stockham(8,8)"), {.check = false})
            ->execute({.input = reinterpret_cast<const void*>(addresses[0]),
                       .output = reinterpret_cast<void*>(addresses[1])});
    };
    const auto plan = GpuPlan::build(problem("dft 64 float32 batch=1000000"),
                                     transform_schedule("sm_90: 0 stockham(8,8) on 32x4"),
                                     GpuDevice(0, driver()), {.use_cache = false});
    EXPECT_EQ(plan->checked(), "yes, by a plan of the same schedule for 131072 of 1000000 transforms");
    EXPECT_EQ(batches, (std::vector<Integer>{131072}));
    fake.kernel = {};
}

TEST_F(GpuPlans, WaitForNothingAndTakeNoMemory) {
    const auto plan = plan_of("dft 256 batch=4", "sm_90: 0 stockham(16,16) on 32x2 pad 32");
    const GpuBuffer in(plan->device(), 256 * 4 * 16), out(plan->device(), 256 * 4 * 16);
    fake.calls.clear();
    plan->execute({.input = at(in), .output = at(out)}, nullptr);
    for (const char* call : {"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "cuMemAlloc",
                             "cuMemAllocAsync", "cuMemcpyHtoD", "cuMemcpyDtoH"})
        EXPECT_EQ(fake.count(call), 0) << call;
}

TEST_F(GpuPlans, TakeWorkspaceFromTheStreamOrTheCaller) {
    const auto plan = plan_of("rdft 4x8 backward", "sm_90: 0 codelet on 5x1; 1 codelet on 4x4");
    ASSERT_GE(plan->workspace_bytes(), 4 * 5 * 16U);
    const GpuBuffer in(plan->device(), 1024), out(plan->device(), 1024);
    const GpuBuffer workspace(plan->device(), plan->workspace_bytes());
    expect_parameters(2);
    fake.calls.clear();
    plan->execute({.input = at(in), .output = at(out)}, nullptr);
    EXPECT_EQ(fake.count("cuMemAllocAsync"), 1);
    EXPECT_EQ(fake.count("cuMemFreeAsync"), 1);
    EXPECT_EQ(addresses_in(fake.launches.at(0))[1], addresses_in(fake.launches.at(1))[0]);
    const auto with = [&](GpuWorkspace given) {
        return [&, given] { plan->execute({.input = at(in), .output = at(out)}, nullptr, given); };
    };
    with({at(workspace), workspace.bytes()})();
    EXPECT_EQ(fake.count("cuMemAllocAsync"), 1);
    EXPECT_EQ(addresses_in(fake.launches.at(2))[1], workspace.address());

    std::vector<std::byte> host(4096);
    expect_contains(error_of<UserError>(with({at(workspace), 8})), {"workspace has 8 bytes", "needs"});
    expect_contains(error_of<UserError>(with({at(workspace, 16), workspace.bytes()})),
                    {"not aligned to 256"});
    expect_contains(error_of<UserError>(with({at(in), 1024})), {"workspace", "input", "overlap"});
    expect_contains(error_of<UserError>(with({host.data(), 4096})), {"workspace"});
    fake.has_memory_pools = false;
    expect_contains(error_of<Unavailable>(with({})), {"pass a workspace"});
    fake.has_memory_pools = true;
    fake.free_bytes = 16;
    expect_contains(error_of<OutOfMemory>(with({})), {"cannot allocate"});
    EXPECT_EQ(fake.launches.size(), 4U);
}

TEST_F(GpuPlans, GiveWorkspaceBackWhereALaunchFails) {
    const auto plan = plan_of("rdft 4x8 backward", "sm_90: 0 codelet on 5x1; 1 codelet on 4x4");
    const GpuBuffer in(plan->device(), 1024), out(plan->device(), 1024);
    fake.failures["cuLaunchKernel"] = runtime::cuda::launch_out_of_resources;
    EXPECT_THROW(plan->execute({.input = at(in), .output = at(out)}, nullptr), InternalError);
    EXPECT_EQ(fake.count("cuMemFreeAsync"), 1);
}

TEST_F(GpuPlans, AreUsedByManyThreadsAtOnce) {
    const auto plan = plan_of("dft 64 batch=4", "sm_90: 0 stockham(8,8) on 32x4");
    const GpuBuffer in(plan->device(), 64 * 4 * 16), out(plan->device(), 64 * 4 * 16);
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) plan->execute({.input = at(in), .output = at(out)}, nullptr);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(fake.launches.size(), 400U);
}

TEST_F(GpuPlans, RefuseArgumentsThatDoNotFitAndStayUsable) {
    const auto plan = plan_of("dft 16 batch=4", "sm_90: 0 codelet on 4x4");
    const std::size_t bytes = 16 * 4 * 16;
    const GpuBuffer in(plan->device(), 2 * bytes), out(plan->device(), 2 * bytes), small(plan->device(), 256);
    const GpuBuffer elsewhere(GpuDevice(1, driver()), bytes);
    std::vector<double> host(2 * 16 * 4);
    const auto refused = [&](const void* input, void* output) {
        return error_of<UserError>([&] { plan->execute({.input = input, .output = output}, nullptr); });
    };
    expect_contains(refused(nullptr, at(out)), {"input is null"});
    expect_contains(refused(at(in), nullptr), {"output is null"});
    expect_contains(refused(host.data(), at(out)), {"input", "memory of the host", "GPU 0", "cudaMalloc"});
    expect_contains(refused(at(in), host.data()), {"output", "memory of the host"});
    expect_contains(refused(at(elsewhere), at(out)), {"input", "memory of GPU 1", "memory of GPU 0"});
    expect_contains(refused(at(in, 4), at(out)), {"input", "not aligned", "multiple of 8"});
    expect_contains(refused(at(in), at(out, 8)), {"output", "not aligned", "multiple of 16"});
    expect_contains(refused(at(in), at(in, 512)), {"input", "output", "overlap"});
    expect_contains(refused(at(small), at(out)), {"input", "too small", "1024"});
    EXPECT_TRUE(fake.launches.empty());
    EXPECT_EQ(refused(at(in), at(out)), "");
    EXPECT_EQ(fake.launches.size(), 1U);
}

TEST_F(GpuPlans, RefuseStreamsOfOthers) {
    const auto plan = plan_of("dft 16 batch=4", "sm_90: 0 codelet on 4x4");
    const GpuBuffer in(plan->device(), 1024), out(plan->device(), 1024);
    fake.failures["cuLaunchKernel"] = runtime::cuda::invalid_handle;
    auto* const stream = reinterpret_cast<runtime::cuda::Stream>(0x77);
    expect_contains(error_of<UserError>([&] { plan->execute({.input = at(in), .output = at(out)}, stream); }),
                    {"stream = 0x77", "GPU 0"});
}

TEST_F(GpuPlans, RunOnTheGpuThatTheyAreFor) {
    const auto first = plan_of("dft 16 batch=4", "sm_90: 0 codelet on 4x4");
    const auto second = plan_of("dft 16 batch=4", "sm_90: 0 codelet on 4x4", 1);
    const GpuBuffer in(second->device(), 1024), out(second->device(), 1024);
    EXPECT_THROW(first->execute({.input = at(in), .output = at(out)}, nullptr), UserError);
    EXPECT_NO_THROW(second->execute({.input = at(in), .output = at(out)}, nullptr));
}

TEST_F(GpuPlans, RefuseHalvesOfPlanarData) {
    const auto plan = plan_of("dft 8 planar batch=4", "sm_90: 0 codelet on 4x4");
    const GpuBuffer a(plan->device(), 4096), b(plan->device(), 4096), c(plan->device(), 4096);
    const std::string error = error_of<UserError>(
        [&] { plan->execute({.input = at(a), .output = at(b), .output_imaginary = at(c)}, nullptr); });
    expect_contains(error, {"imaginary input is null"});
}

TEST_F(GpuPlans, RefuseSchedulesThatDoNotFit) {
    const auto refused = [&](const char* schedule) {
        return error_of<UserError>([&] { plan_of("dft 64", schedule); });
    };
    expect_contains(refused("avx2: 0 codelet"), {"avx2", "sm_90"});
    expect_contains(refused("sm_90: 0 stockham(8,8)"), {"no launch configuration", "on 128x2"});
    expect_contains(error_of<UserError>([&] { plan_of("dft 8", "sm_90: 0 codelet on 1x1"); }),
                    {"codelet on 1x1", "one thread", "2 threads"});
    expect_contains(refused("sm_90: 0 stockham(8,8) on 2048x64"), {"2048", "1024"});
    expect_contains(refused("sm_90: 0 stockham(8,8) on 8x1, 8x1"), {"2 launch configurations", "1 kernels"});
    expect_contains(refused("sm_90: 0 codelet on 1x1; 1 codelet on 1x1"), {"2 passes"});
    expect_contains(refused("sm_90 scalar: 0 codelet on 1x1"), {"scalar"});
    expect_contains(error_of<UserError>([] {
                        Plan::build(problem("dft 64"), transform_schedule("sse2: 0 stockham(8,8) on 8x1"));
                    }),
                    {"on 8x1", "sse2 is a CPU"});
}

TEST_F(GpuPlans, RefuseMoreSharedMemoryThanTheGpuHas) {
    expect_contains(
        error_of<UserError>([&] { plan_of("dft 4096 batch=8", "sm_80: 0 stockham(16,16,16) on 1024x4"); }),
        {"shared memory", "232448"});
}

TEST_F(GpuPlans, LaunchCooperativeBlocksTogether) {
    const auto plan = plan_of("dft 256 float32 batch=8",
                              "sm_90: 0 two-sweep(16,1,1)[stockham(4,4)] on 32x4 cooperative_groups 2 "
                              "group_blocks 4 pad 32 single_buffer");
    const std::vector<ir::KernelInfo> kernels = plan->kernels();
    ASSERT_EQ(kernels.size(), 1U);
    EXPECT_EQ(
        kernels[0].launch,
        (ir::Launch{.blocks = {8, 1, 1}, .threads = {32, 1, 1}, .resident = 1, .cooperative_group = 4}));
    // What is handed on by both groups, and their counters.
    EXPECT_EQ(plan->workspace_bytes(), 2U * 256 * 8 + 2 * 128);

    const GpuBuffer in(plan->device(), 8 * 256 * 8), out(plan->device(), 8 * 256 * 8);
    const GpuBuffer workspace(plan->device(), plan->workspace_bytes());
    std::memset(at(workspace), 1, plan->workspace_bytes());
    expect_parameters(4);
    plan->execute({.input = at(in), .output = at(out)}, nullptr, {at(workspace), workspace.bytes()});
    ASSERT_EQ(fake.launches.size(), 1U);
    EXPECT_TRUE(fake.launches[0].cooperative);
    const auto* const bytes = static_cast<const unsigned char*>(at(workspace));
    EXPECT_EQ(std::count(bytes, bytes + plan->workspace_bytes(), 0), 2 * 128) << "counters begin at zero";
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t result = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
    return result;
}

// The first kernel must wait for whatever is in the stream, and the next execution for the last kernel.
TEST_F(GpuPlans, StartEachKernelAfterTheFirstBeforeThePreviousOneEnds) {
    const auto plan = plan_of("dft 16x256 float32",
                              "sm_90: 1 two-sweep(16,1,1)[stockham(4,4)] on 32x4; 0 codelet on 64x64");
    const GpuBuffer in(plan->device(), 4096 * 8), out(plan->device(), 4096 * 8);
    expect_parameters(1);
    plan->execute({.input = at(in), .output = at(out)}, nullptr);
    ASSERT_EQ(fake.launches.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(fake.launches[k].starts_early, k > 0) << k;
    std::vector<std::string> texts;
    for (const GpuPassDescription& pass : plan->describe())
        texts.insert(texts.end(), pass.ptx.begin(), pass.ptx.end());
    ASSERT_EQ(texts.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(count(texts[k], "griddepcontrol.wait;"), k > 0 ? 1U : 0U) << texts[k];
        EXPECT_EQ(count(texts[k], "griddepcontrol.launch_dependents;"), k < 2 ? 1U : 0U) << texts[k];
        if (k > 0) {
            EXPECT_LT(texts[k].find("griddepcontrol.wait;"), texts[k].find("ld.global")) << texts[k];
        }
    }
}

// There the memory of earlier kernels could change while the next one reads it as constant.
TEST_F(GpuPlans, ReadNoConstantsThatThePreviousKernelWrites) {
    const auto plan = plan_of("dft 16x8 float32", "sm_90: 1 codelet on 16x16; 0 codelet on 8x8");
    const auto passes = plan->describe();
    ASSERT_EQ(passes.size(), 2U);
    EXPECT_GT(count(passes[0].ptx.at(0), "ld.global.nc"), 0U);
    EXPECT_EQ(count(passes[1].ptx.at(0), "ld.global.nc"), 0U);
}

TEST_F(GpuPlans, StartKernelsInOrderIfTheirBlocksShareMultiprocessors) {
    for (const bool share : {false, true}) { // 64 and 128 blocks, then 16, on 132 multiprocessors
        const auto plan =
            plan_of("dft 1024x16 float32", share ? "sm_90: 1 codelet on 32x8; 0 stockham(16,8,8) on 64x1"
                                                 : "sm_90: 1 codelet on 32x16; 0 stockham(16,8,8) on 64x1");
        for (const GpuPassDescription& pass : plan->describe())
            for (const std::string& text : pass.ptx)
                EXPECT_EQ(count(text, "griddepcontrol"), share ? 0U : 1U) << text;
    }
}

TEST_F(GpuPlans, StartKernelsInOrderWhereNothingElseIsPossible) {
    for (const char* schedule :
         {"sm_80: 1 codelet on 16x16; 0 codelet on 8x8", "sm_90: 1 codelet on 16x16; 0 codelet on 8x8"}) {
        const auto plan = plan_of("dft 16x8 float32", schedule);
        const GpuBuffer in(plan->device(), 128 * 8), out(plan->device(), 128 * 8);
        expect_parameters(1);
        fake.launches.clear();
        plan->execute({.input = at(in), .output = at(out)}, nullptr);
        ASSERT_EQ(fake.launches.size(), 2U);
        EXPECT_EQ(fake.launches[1].starts_early, std::string(schedule).starts_with("sm_90"));
    }
    // Blocks of a cooperative kernel wait for each other, and its counters are zeroed in the stream.
    const auto plan = plan_of("dft 8x256 float32 batch=8",
                              "sm_90: 1 two-sweep(16,1,1)[stockham(4,4)] on 32x4 cooperative_groups 2 "
                              "group_blocks 4 pad 32 single_buffer; 0 codelet on 64x64");
    for (const GpuPassDescription& pass : plan->describe())
        for (const std::string& text : pass.ptx) EXPECT_EQ(count(text, "griddepcontrol"), 0U) << text;
}

TEST_F(GpuPlans, RefuseMoreBlocksThanRunAtOnce) {
    expect_contains(
        error_of<UserError>([&] {
            plan_of("dft 256 float32 batch=100000",
                    "sm_90: 0 two-sweep(16,1,1)[stockham(4,4)] on 512x4 cooperative_groups 50000 "
                    "group_blocks 4 pad 32");
        }),
        {"200000 blocks", "groups of 4", "runs 528 of them at once", "use 'cooperative_groups 132'"});
}

TEST_F(GpuPlans, ReportMissingMemoryForTables) {
    fake.free_bytes = 1024;
    expect_contains(
        error_of<OutOfMemory>([&] { plan_of("dft 4096", "sm_90: 0 stockham(16,16,16) on 256x1"); }),
        {"cannot allocate", "1024"});
}

TEST_F(GpuPlans, AreComparedWithTheDefinition) {
    const std::string schedule = "sm_90: 0 stockham(8,8) on 8x1"; // whose kernels do nothing here
    expect_contains(error_of<InternalError>([&] {
                        GpuPlan::build(problem("dft 64"), transform_schedule(schedule),
                                       GpuDevice(0, driver()), {.use_cache = false});
                    }),
                    {"failed its check", "dft 64", schedule.c_str()});
}

TEST_F(GpuPlans, RejectKernelsThatWriteOutOfBounds) {
    const std::string one = "sm_90: 0 stockham(8,8) on 8x1";
    const auto error_where_each_block_is_written = [&](bool at_its_end, const char* text,
                                                       const std::string& schedule) {
        fake.kernel = [this, at_its_end] {
            for (const auto& [address, block] : fake.blocks) {
                auto* const bytes = reinterpret_cast<unsigned char*>(address);
                if (block.bytes > 0) bytes[at_its_end ? block.bytes - 1 : 0] = 0;
            }
        };
        return error_of<InternalError>([&] {
            GpuPlan::build(problem(text), transform_schedule(schedule), GpuDevice(0, driver()),
                           {.use_cache = false});
        });
    };
    for (const bool at_its_end : {false, true}) {
        expect_contains(error_where_each_block_is_written(at_its_end, "dft 64", one),
                        {"wrote where it must not", one.c_str(), "input, byte"});
        expect_contains(error_where_each_block_is_written(at_its_end, "dft 64 inplace", one),
                        {"wrote where it must not", one.c_str(), "output, byte"});
        expect_contains(
            error_where_each_block_is_written(at_its_end, "dft 256 float32 batch=2",
                                              "sm_90: 0 two-sweep(16,1,1)[stockham(4,4)] on 64x4"),
            {"wrote where it must not", "workspace, byte"});
    }
}

TEST(GpuPlansOnOldDrivers, NeedOneThatReadsTheirCode) {
    runtime::FakeCuda& fake = fake_of(11000);
    fake = {.stack_depth = fake.stack_depth};
    const runtime::CudaDriver old(fake_cuda_library(11000));
    const GpuDevice device(0, old);
    expect_contains(error_of<Unavailable>([&] {
                        GpuPlan::build(problem("dft 64"), transform_schedule("sm_90: 0 stockham(8,8) on 8x1"),
                                       device, {.check = false, .use_cache = false});
                    }),
                    {"sm_90", "CUDA 12.0", "11.0"});
    EXPECT_NO_THROW(GpuPlan::build(problem("dft 64"), transform_schedule("generic: 0 stockham(8,8) on 8x1"),
                                   device, {.check = false}));
}

TEST(GpuPasses, AreDescribedWithoutADriver) {
    const auto passes = describe_passes(problem("dft 64 batch=3 float32"),
                                        transform_schedule("sm_80: 0 stockham(8,8) on 32x4 pad 32"));
    ASSERT_EQ(passes.size(), 1U);
    EXPECT_NE(passes[0].ptx.at(0).find(".target sm_80"), std::string::npos);
    EXPECT_EQ(passes[0].kernels.at(0).launch.threads[0], 32);
    EXPECT_EQ(passes[0].kernels[0].registers, 0);
    EXPECT_NE(ir::to_string(passes[0].kernels[0]).find("1x1x1 blocks of 32x1x1"), std::string::npos);
}

TEST(SchedulesForGpus, RoundTripAsText) {
    for (const char* text :
         {"sm_90: 0 stockham(16,16) on 16x8 pad 32", "sm_80: 1 codelet on 1x128; 0 stockham(8,8) on 8x16",
          "generic: 0 stockham(4,4,4) on 16x2 pad 32 pitch 1 single_buffer, 8x4 single_buffer, 4x1 pad 16",
          "sm_90: 0 two-sweep(16,1,1)[stockham(4,4)] on 32x4 cooperative_groups 2 group_blocks 4 pipelined "
          "evict_last pad 32",
          "sm_90: 0 two-sweep(16,1,1)[stockham(4,4)] on 64x4 roots loaded, 64x4 pad 32 roots multiplied",
          "generic: 0 dct2-rdft[rdft-embedding[two-sweep(81,1,1)[stockham(9,9)]]] on 128x1 separate_above "
          "4096, 64x4"})
        EXPECT_EQ(to_string(transform_schedule(text)), text);
    const Schedule schedule = transform_schedule("sm_90 : 0 stockham(8,8)  on  8 x 16  pad 32 single_buffer");
    EXPECT_EQ(schedule.transform().passes[0].configurations,
              (std::vector<loops::LaunchConfiguration>{{8, 16, 32, 0, true}}));
    for (const char* text :
         {"sm_90: 0 codelet on", "sm_90: 0 codelet on 8", "sm_90: 0 codelet on 8x", "sm_90: 0 codelet on 0x1",
          "sm_90: 0 codelet on 8x2 pad", "sm_90: 0 codelet on 8x2,", "sm_90: 0 codelet on 8x2 luck 3",
          "sm_90: 0 codelet on x2"})
        EXPECT_THROW(transform_schedule(text), UserError) << text;
}

} // namespace gpu_plan_test
} // namespace swirl::planning
