#include "plan/transform/gpu/stored_plan.hpp"
#include "support/transform_schedule.hpp"

#include "base/build_id.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "runtime/cuda/memory.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace swirl::planning {
namespace gpu_stored_plan_test {

using runtime::GpuBuffer;
using runtime::GpuDevice;
using support::FakeLaunch;

/// Sequences of kernels on a driver without a GPU, with a cache of their own.
class StoredGpuPlans : public runtime::Cuda {
protected:
    void SetUp() override {
        Cuda::SetUp();
        fake.free_bytes = std::size_t{1} << 24;
    }

    GpuKernels sequence(const std::string& text, const std::string& schedule, const GpuDevice& device,
                        runtime::KernelCache* with) {
        const Schedule parsed = transform_schedule(schedule);
        GpuKernels result(problem(text), parsed, device, target::gpu_named(parsed.target), with);
        result.store(false);
        return result;
    }

    /// What is launched, and with which contents of the tables.
    struct Run {
        std::vector<FakeLaunch> launches;
        std::vector<std::string> kernels;
        std::array<std::size_t, Binding::sources> alignments;
        std::size_t workspace_bytes;
        double flops = 0;
    };
    Run run(const GpuKernels& sequence, const GpuDevice& device) {
        const GpuBuffer workspace(device, sequence.workspace_bytes());
        fake.launches.clear();
        Run result{{}, {}, sequence.alignments(), sequence.workspace_bytes()};
        for (const LaunchedKernel& kernel : sequence.kernels()) {
            result.kernels.push_back(ir::to_string(kernel.info()));
            result.flops += static_cast<double>(kernel.info().flops);
        }
        fake.argument_bytes.clear(); // addresses, whose count differs among kernels
        const auto stream = runtime::GpuStream::borrowed(device, nullptr);
        char in = 0, out = 0;
        sequence.launch({.input = &in, .output = &out}, workspace.address(), stream);
        result.launches = fake.launches;
        return result;
    }

    std::size_t files() const {
        return std::filesystem::exists(folder.path() / "kernels")
                   ? static_cast<std::size_t>(
                         std::distance(std::filesystem::directory_iterator(folder.path() / "kernels"), {}))
                   : 0;
    }
    /// The file that holds a plan.
    std::filesystem::path plan_file() const {
        for (const auto& entry : cache.entries())
            if (entry.label.name.starts_with("plan of ")) return entry.file;
        return {};
    }

    TemporaryFolder folder;
    runtime::KernelCache cache{folder.path() / "kernels"};
};

TEST(TablesOfGpuPlans, AreThereOnce) {
    const auto table = [](const std::vector<long double>& values) {
        ir::BufferInfo info;
        info.name = "w0";
        info.element = DataType::float32;
        info.space = ir::Space::table;
        info.elements = std::ssize(values);
        info.contents = ir::shared(ir::Table(info.element, values));
        return info;
    };
    TableImage image;
    EXPECT_EQ(image.add(table({1, 2, 3})), 0U);
    EXPECT_EQ(image.add(table({1, 2, 4})), 256U);
    EXPECT_EQ(image.add(table({1, 2})), 512U);
    EXPECT_EQ(image.add(table({1, 2, 4})), 256U);
    EXPECT_EQ(image.size(), 768U);
    EXPECT_EQ(image.bytes().size(), 768U);
    const auto value_at = [bytes = image.bytes()](std::size_t offset) {
        float value;
        std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    };
    EXPECT_EQ(value_at(8), 3);
    EXPECT_EQ(value_at(256 + 8), 4);
    EXPECT_EQ(value_at(512 + 4), 2);
    EXPECT_EQ(value_at(512 + 8), 0);
}

TEST(TablesOfGpuPlans, StayWhereTheyWereBuilt) {
    ir::BufferInfo table;
    table.element = DataType::float64;
    table.space = ir::Space::table;
    table.elements = 1 << 10;
    table.contents = ir::shared(ir::Table(table.element, table.elements));
    TableImage image;
    image.add(table);
    EXPECT_EQ(static_cast<const void*>(image.tables()[0].bytes().data()), table.contents->data());
}

TEST_F(StoredGpuPlans, AreKnownByTheBuild) {
    EXPECT_GE(build_id().size(), 16U);
    EXPECT_EQ(build_id().find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST_F(StoredGpuPlans, LaunchTheSameWithoutDerivingAnything) {
    for (const auto& [text, schedule] : std::map<std::string, std::string>{
             {"dft 1024 float32 batch=7", "sm_90: 0 stockham(16,8,8) on 128x2 pad 32"},
             {"dft 16x8", "sm_90: 1 codelet on 32x16; 0 codelet on 8x1"},
             {"dft 65536 float32 batch=2",
              "sm_90: 0 two-sweep(256,1,1)[stockham(16,16)] on 256x16 pad 32 pitch 1, 256x16 pad 32 pitch "
              "1"}}) {
        SCOPED_TRACE(text);
        const GpuDevice device(0, driver());
        const Run without = run(sequence(text, schedule, device, nullptr), device);
        const Run first = run(sequence(text, schedule, device, &cache), device);
        fake.compiled.clear();
        fake.calls.clear();
        const GpuKernels recalled = sequence(text, schedule, device, &cache);
        EXPECT_TRUE(fake.compiled.empty());
        const Run again = run(recalled, device);
        for (const Run* each : {&first, &again}) {
            EXPECT_EQ(each->kernels, without.kernels);
            EXPECT_EQ(each->alignments, without.alignments);
            EXPECT_EQ(each->workspace_bytes, without.workspace_bytes);
            EXPECT_EQ(each->flops, without.flops);
            ASSERT_EQ(each->launches.size(), without.launches.size());
            for (std::size_t k = 0; k < without.launches.size(); ++k) {
                const FakeLaunch &a = each->launches[k], &b = without.launches[k];
                EXPECT_TRUE(std::equal(a.grid, a.grid + 3, b.grid));
                EXPECT_TRUE(std::equal(a.block, a.block + 3, b.block));
                EXPECT_EQ(a.shared_bytes, b.shared_bytes);
            }
        }
    }
}

/// A plan of each kind there is. What is read is known by a mark: the entry says another size of workspace.
TEST_F(StoredGpuPlans, OfEveryKindAreReadAndNotDerived) {
    fake.free_bytes = std::size_t{1} << 27;
    const GpuDevice device(0, driver());
    for (const auto& [text, schedule] : std::map<std::string, std::string>{
             {"dft 60", "0 stockham(10,6) on 32x1 resident 32"},
             {"dft 64 batch=100", "sm_90: chunk 30; 0 stockham(8,8) on 16x2"},
             {"dft 16x8", "1 codelet on 32x16; 0 codelet on 8x1"},
             {"dft 32x32 float32 batch=3",
              "0 row-column(1,0)[stockham(8,4)] on 128x1 pad 32 pitch 1 single_buffer fused resident 16"},
             {"dft 65536 float32 batch=2", "0 two-sweep(256,1,1)[stockham(16,16)] on 256x16 pad 32 pitch 1"},
             {"dft 65536 float32 batch=9",
              "0 two-sweep(256,1,1)[stockham(16,16)] on 256x1 cluster 16 pad 32 pitch 3 single_buffer "
              "resident 5"},
             {"dft 65536 float32 batch=100",
              "0 two-sweep(256,1,1)[stockham(16,16)] on 256x16 cooperative_groups 16 group_blocks 16 pad 32 "
              "pitch 1 single_buffer"},
             {"rdft 65536 float32 batch=9",
              "0 rdft-two-sweep(256)[rdft-half-size[stockham(16,16)], stockham(16,16), "
              "rdft-half-size[stockham(16,8)]] on 128x1 cluster 16 pad 32 pitch 3 single_buffer resident 7"},
             {"rdft 256 backward", "0 rdft-half-size[stockham(16,8)] on 32x1"},
             {"dct2 64 float32", "0 dct2-rdft on 32x1 pad 32 resident 24"},
             {"wht 64", "0 wht-split(8,8) on 32x1 pad 32 resident 32"},
             {"convolution 256 float32",
              "0 circulant-dft[stockham(16,16), stockham(16,16)] on 32x1 pad 32 resident 32"},
             {"convolution 65536 float32",
              "0 circulant-dft[two-sweep(256,1,1)[stockham(16,16)], two-sweep(256,1,1)[stockham(16,16)]] on "
              "256x1 cluster 16 pad 32 pitch 1 single_buffer resident 5"},
             {"dft 127 float32", "0 rader[stockham(14,9), stockham(14,9)] on 32x1 resident 32"},
             {"dft 65537 float32",
              "0 rader[two-sweep(256,1,1)[stockham(16,16)], two-sweep(256,1,1)[stockham(16,16)]] on 256x32 "
              "pad 32 pitch 1"},
             {"dft 1048576 float32",
              "0 two-sweep(1024,1,1)[stockham(16,8,8)] on 512x4 pad 32 single_buffer"}}) {
        SCOPED_TRACE(text);
        const std::string on_hopper = schedule.starts_with("sm_90") ? schedule : "sm_90: " + schedule;
        const runtime::CacheKey key = *stored_plan_key(problem(text), transform_schedule(on_hopper), device,
                                                       target::gpu_named("sm_90"));
        const GpuKernels first = sequence(text, on_hopper, device, &cache);
        const auto bytes = cache.find(key);
        ASSERT_TRUE(bytes);
        StoredGpuPlan plan = *StoredGpuPlan::decode(*bytes);
        EXPECT_EQ(plan.encode(), *bytes);
        plan.workspace_bytes += 256;
        cache.store(key, {"sm_90", "plan of something"}, plan.encode());
        fake.compiled.clear();
        EXPECT_EQ(sequence(text, on_hopper, device, &cache).workspace_bytes(), first.workspace_bytes() + 256);
        EXPECT_TRUE(fake.compiled.empty());
    }
}

TEST_F(StoredGpuPlans, SayWhetherTheyWereChecked) {
    const GpuDevice device(0, driver());
    const std::string text = "dft 64 batch=3", schedule = "sm_90: 0 stockham(8,8) on 16x2";
    EXPECT_FALSE(sequence(text, schedule, device, &cache).is_checked());
    GpuKernels unchecked = sequence(text, schedule, device, &cache);
    EXPECT_FALSE(unchecked.is_checked());
    const Run whole = run(unchecked, device);
    unchecked.store(true);
    const GpuKernels checked = sequence(text, schedule, device, &cache);
    EXPECT_TRUE(checked.is_checked()) << "and keeping it as unchecked changes nothing";
    EXPECT_TRUE(sequence(text, schedule, device, &cache).is_checked());
    EXPECT_EQ(run(checked, device).kernels, whole.kernels);
    EXPECT_FALSE(sequence(text, schedule, device, nullptr).is_checked());
}

TEST_F(StoredGpuPlans, AreReadAndNotDerived) {
    const GpuDevice device(0, driver());
    const std::string text = "dft 64 batch=3", schedule = "sm_90: 0 stockham(8,8) on 16x2";
    sequence(text, schedule, device, &cache);
    EXPECT_EQ(files(), 2U) << "a kernel and the plan";
    // A plan in which the kernel has another number of operations: if it is read, that is what comes out.
    auto bytes = *cache.find(
        *stored_plan_key(problem(text), transform_schedule(schedule), device, target::gpu_named("sm_90")));
    auto plan = *StoredGpuPlan::decode(bytes);
    EXPECT_EQ(plan.encode(), bytes);
    plan.workspace_bytes = 12345;
    cache.store(
        *stored_plan_key(problem(text), transform_schedule(schedule), device, target::gpu_named("sm_90")),
        {"sm_90", "plan of something"}, plan.encode());
    EXPECT_EQ(sequence(text, schedule, device, &cache).workspace_bytes(), 12345U);
    EXPECT_NE(sequence(text, schedule, device, nullptr).workspace_bytes(), 12345U);
    EXPECT_NE(sequence(text, "sm_90: 0 stockham(8,8) on 32x2", device, &cache).workspace_bytes(), 12345U);
    EXPECT_NE(sequence("dft 64 batch=4", schedule, device, &cache).workspace_bytes(), 12345U);
}

TEST_F(StoredGpuPlans, TakeHalfOfTheCacheAtMost) {
    const GpuDevice device(0, driver());
    const std::string text = "dft 64 batch=3", schedule = "sm_90: 0 stockham(8,8) on 16x2";
    const runtime::CacheKey key =
        *stored_plan_key(problem(text), transform_schedule(schedule), device, target::gpu_named("sm_90"));
    sequence(text, schedule, device, &cache);
    const std::size_t bytes = cache.find(key)->size();
    for (const bool fits : {true, false}) {
        const TemporaryFolder other;
        runtime::KernelCache small(other.path(), 2 * bytes - (fits ? 0 : 1));
        sequence(text, schedule, device, &small);
        EXPECT_EQ(small.find(key).has_value(), fits);
    }
}

TEST_F(StoredGpuPlans, AreMadeAgainWhereTheyAreDamaged) {
    const GpuDevice device(0, driver());
    const std::string text = "dft 64 batch=3", schedule = "sm_90: 0 stockham(8,8) on 16x2";
    const runtime::CacheKey key =
        *stored_plan_key(problem(text), transform_schedule(schedule), device, target::gpu_named("sm_90"));
    const Run whole = run(sequence(text, schedule, device, &cache), device);
    const auto bytes = *cache.find(key);
    { // on the disk
        std::fstream file(plan_file(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100);
        file.put('x');
    }
    EXPECT_EQ(run(sequence(text, schedule, device, &cache), device).kernels, whole.kernels);
    EXPECT_EQ(*cache.find(key), bytes);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 8) { // whole entries that are no plans
        cache.store(key, {"sm_90", "plan of something"}, std::span(bytes).first(size));
        EXPECT_EQ(run(sequence(text, schedule, device, &cache), device).kernels, whole.kernels) << size;
        EXPECT_EQ(*cache.find(key), bytes) << size;
    }
}

TEST_F(StoredGpuPlans, AreRebuiltIfMachineCodeIsUnusable) {
    const GpuDevice device(0, driver());
    const std::string text = "dft 16x8", schedule = "sm_90: 1 codelet on 32x16; 0 codelet on 8x1";
    const Run whole = run(sequence(text, schedule, device, &cache), device);
    for (const auto& entry : cache.entries())
        if (!entry.label.name.starts_with("plan of ")) {
            cache.drop(entry.key);
            break;
        }
    fake.compiled.clear();
    EXPECT_EQ(run(sequence(text, schedule, device, &cache), device).kernels, whole.kernels);
    EXPECT_EQ(fake.compiled.size(), 1U) << "the one that was missing";
    EXPECT_EQ(files(), 3U);
}

} // namespace gpu_stored_plan_test
} // namespace swirl::planning
