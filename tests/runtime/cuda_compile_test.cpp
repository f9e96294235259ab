#include "base/error.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/cuda/compile.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace swirl::runtime {
namespace cuda_compile_test {

class CompilingForCuda : public Cuda {
protected:
    std::string code_of(const std::string& ptx) {
        return "\x7f"
               "ELF of " +
               ptx;
    }
    std::vector<std::string> in_order(std::vector<std::string> texts) {
        std::sort(texts.begin(), texts.end());
        return texts;
    }

    TemporaryFolder folder;
    KernelCache cache{folder.path() / "kernels"};
};

TEST_F(CompilingForCuda, UsesTheDriversCompilerWithOptions) {
    const GpuDevice device(0, driver());
    const Bytes code = machine_code(device, "x", {.max_registers = 96, .optimization = 3});
    EXPECT_STREQ(reinterpret_cast<const char*>(code.data()), code_of("x").c_str());
    EXPECT_EQ(fake.options.at(static_cast<int>(cuda::CompileOption::max_registers)), 96U);
    EXPECT_EQ(fake.options.at(static_cast<int>(cuda::CompileOption::optimization)), 3U);
}

TEST_F(CompilingForCuda, SaysWhatIsWrongAsWhenPtxIsLoaded) {
    const GpuDevice device(0, driver());
    fake.log = "line 3; error: Unexpected instruction types";
    fake.bad_ptx["x"] = cuda::invalid_ptx;
    expect_contains(error_of<InternalError>([&] { machine_code(device, "x"); }),
                    {"cuLinkAddData failed", "some text", "line 3; error"});
    fake.bad_ptx["x"] = cuda::unsupported_ptx_version;
    expect_contains(error_of<Unavailable>([&] { machine_code(device, "x"); }), {"too old for this PTX"});
    for (const char* call : {"cuLinkCreate", "cuLinkComplete"}) {
        fake.failures = {{call, cuda::compiler_not_found}};
        expect_contains(error_of<Unavailable>([&] { machine_code(device, "y"); }), {"cannot compile PTX"});
    }
    fake.failures.clear();
    EXPECT_NO_THROW(machine_code(device, "y"));
}

TEST_F(CompilingForCuda, CompilesOnceWhatTheCacheKeeps) {
    const GpuDevice device(0, driver());
    compiled(device, {.ptx = "x", .name = "f"}, &cache);
    EXPECT_EQ(fake.compiled, std::vector<std::string>{"x"});
    EXPECT_EQ(fake.image, code_of("x"));
    fake.calls.clear();
    fake.image.clear();
    KernelCache of_another_process(cache.folder());
    compiled(device, {.ptx = "x", .name = "f"}, &of_another_process);
    EXPECT_EQ(fake.image, code_of("x"));
    EXPECT_EQ(fake.count("cuLinkCreate"), 0);
    const auto entries = cache.entries();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].label, (KernelLabel{"sm_90", "f"}));
}

TEST_F(CompilingForCuda, WithoutACacheCompilesEachTime) {
    const GpuDevice device(0, driver());
    for (int k = 0; k < 2; ++k) compiled(device, {.ptx = "x"}, nullptr);
    EXPECT_EQ(fake.compiled.size(), 2U);
}

TEST_F(CompilingForCuda, KeysDifferWhereMachineCodeMay) {
    const GpuDevice device(0, driver());
    const std::set<CacheKey> keys = {
        cache_key(device, "ptx", "x"),
        cache_key(device, "ptx", "y"),
        cache_key(device, "plan", "x"),
        cache_key(device, "ptx", "x", {.max_registers = 64}),
        cache_key(device, "ptx", "x", {.optimization = 3}),
    };
    EXPECT_EQ(keys.size(), 5U);
    EXPECT_EQ(cache_key(device, "ptx", "x"), cache_key(device, "ptx", "x", {}));
    fake_of(11000) = {.stack_depth = fake_of(11000).stack_depth};
    const CudaDriver older(fake_cuda_library(11000));
    EXPECT_NE(cache_key(GpuDevice(0, older), "ptx", "x"), cache_key(device, "ptx", "x"));
}

TEST_F(CompilingForCuda, MainLoopsThatCannotBeReorderedStayAsCompiled) {
    const GpuDevice device(0, driver());
    const KernelText compiled_only{.ptx = "x"}, reordered{.ptx = "x", .reorders_main_loop = true};
    EXPECT_NE(code_key(device, compiled_only), code_key(device, reordered));
    for (int k = 0; k < 2; ++k) { // what is in the cache is looked at again
        testing::internal::CaptureStderr();
        const CompiledText kept = compiled_with_code(device, reordered, &cache);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
        EXPECT_STREQ(reinterpret_cast<const char*>(kept.code.data()), code_of("x").c_str());
        expect_contains(kept.not_reordered_because, {"ELF"});
    }
    EXPECT_EQ(fake.image, code_of("x"));
    EXPECT_EQ(fake.compiled.size(), 1U) << "one entry serves both";
    EXPECT_EQ(compiled_with_code(device, compiled_only, &cache).not_reordered_because, "");
}

TEST_F(CompilingForCuda, CompilesAListAtOnceInItsOrder) {
    const GpuDevice device(0, driver());
    std::vector<KernelText> kernels;
    for (int k = 0; k < 40; ++k) kernels.push_back({.ptx = std::to_string(k % 20)});
    compiled(device, {.ptx = "7"}, &cache);
    fake.compiled.clear();
    EXPECT_EQ(count_missing(device, kernels, nullptr), 20U);
    EXPECT_EQ(count_missing(device, kernels, &cache), 19U) << "one of them is there";
    const std::vector<GpuModule> modules = compiled(device, kernels, &cache);
    EXPECT_EQ(count_missing(device, kernels, &cache), 0U);
    EXPECT_EQ(modules.size(), 40U);
    EXPECT_EQ(fake.modules, 20);
    EXPECT_EQ(fake.compiled.size(), 19U) << "neither what was there nor anything twice";
    EXPECT_LE(fake.max_compiling, processors());
    EXPECT_TRUE(fake.max_compiling > 1 || processors() == 1);
    EXPECT_EQ(cache.entries().size(), 20U);
    fake.compiled.clear();
    compiled(device, kernels, &cache);
    EXPECT_TRUE(fake.compiled.empty());
    EXPECT_TRUE(compiled(device, std::span<const KernelText>(), &cache).empty());
}

TEST_F(CompilingForCuda, ThrowsTheFirstErrorAfterAllHaveFinished) {
    const GpuDevice device(0, driver());
    fake.bad_ptx = {{"b", cuda::unsupported_ptx_version}, {"d", cuda::out_of_memory}};
    const std::vector<KernelText> kernels = {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}};
    expect_contains(error_of<Unavailable>([&] { compiled(device, kernels, &cache); }),
                    {"too old for this PTX"});
    EXPECT_EQ(in_order(fake.compiled), (std::vector<std::string>{"a", "c", "e"}));
    EXPECT_EQ(fake.modules, 0);
    EXPECT_EQ(fake.links, 0);
    EXPECT_EQ(cache.entries().size(), 3U) << "what could be compiled is kept";
}

TEST_F(CompilingForCuda, CompilesWhatTheDriverRefusesOfTheCache) {
    const GpuDevice device(0, driver());
    const std::string useless = "for another GPU";
    const CacheKey key = cache_key(device, "ptx", "x");
    ASSERT_TRUE(cache.store(key, {}, std::as_bytes(std::span(useless.c_str(), useless.size() + 1))));
    fake.bad_code = {{useless, cuda::no_binary_for_gpu}};
    compiled(device, {.ptx = "x"}, &cache);
    EXPECT_EQ(fake.image, code_of("x"));
    compiled(device, {.ptx = "x"}, &cache);
    EXPECT_EQ(fake.compiled.size(), 1U) << "and has taken its place";
}

TEST_F(CompilingForCuda, WorksWhereTheCacheCannotBeWritten) {
    const GpuDevice device(0, driver());
    for (const char* nowhere : {"/proc/swirl/kernels", "/dev/null"}) {
        KernelCache unusable(nowhere);
        for (int k = 0; k < 2; ++k) EXPECT_NO_THROW(compiled(device, {.ptx = "x"}, &unusable));
    }
    EXPECT_EQ(fake.compiled.size(), 4U);
}

} // namespace cuda_compile_test
} // namespace swirl::runtime
