#include "runtime/cuda/compile.hpp"
#include "base/error.hpp"
#include "runtime/cuda/memory.hpp"
#include "support/first_gpu.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::runtime {
namespace compile_test {

class CompilingOnGpu : public support::FirstGpu {
protected:
    /// Writes an id, which makes each kernel's text unique.
    static KernelText writing(int id) {
        return {.ptx =
                    ".version 6.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry write(.param .u64 to)\n{\n"
                    "    .reg .b64 %a;\n    ld.param.u64 %a, [to];\n    st.global.u32 [%a], " +
                    std::to_string(id) + ";\n    ret;\n}\n",
                .name = "write"};
    }

    int written_by(const GpuModule& module) {
        const GpuBuffer buffer(*device, sizeof(int));
        module.kernel("write").launch({}, *stream, buffer.address());
        int result = 0;
        copy_from_gpu(*stream, &result, buffer.address(), sizeof result);
        stream->synchronize();
        return result;
    }

    TemporaryFolder folder;
    KernelCache cache{folder.path()};
};

TEST_F(CompilingOnGpu, KernelsOfTheCacheRunLikeNewOnes) {
    EXPECT_EQ(written_by(compiled(*device, writing(17), nullptr)), 17);
    EXPECT_EQ(written_by(compiled(*device, writing(18), &cache)), 18);
    ASSERT_EQ(cache.entries().size(), 1U);
    EXPECT_EQ(written_by(compiled(*device, writing(18), &cache)), 18);
}

TEST_F(CompilingOnGpu, ListsAreCompiledByThreadsAtOnce) {
    std::vector<KernelText> kernels;
    for (int k = 0; k < 64; ++k) kernels.push_back(writing(1000 + k));
    for (int round = 0; round < 2; ++round) {
        const std::vector<GpuModule> modules = compiled(*device, kernels, &cache);
        ASSERT_EQ(modules.size(), kernels.size());
        for (int k = 0; k < 64; ++k) EXPECT_EQ(written_by(modules[static_cast<std::size_t>(k)]), 1000 + k);
    }
    EXPECT_EQ(cache.entries().size(), 64U);
}

TEST_F(CompilingOnGpu, BoundsRegisters) {
    const GpuModule module =
        compiled(*device, {.ptx = writing(3).ptx, .options = {.max_registers = 32}}, &cache);
    EXPECT_LE(module.kernel("write").attributes().registers, 32);
}

TEST_F(CompilingOnGpu, ErrorsLeaveTheGpuUsable) {
    std::vector<KernelText> kernels = {writing(1), writing(2)};
    kernels.push_back({".version 6.0\n.target sm_70\n.visible .entry f() { nonsense; }\n"});
    kernels.push_back({".version 99.0\n.target sm_70\n"});
    try {
        compiled(*device, kernels, &cache);
        FAIL();
    } catch (const InternalError& error) {
        EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
    }
    EXPECT_THROW(compiled(*device, kernels.back(), &cache), Unavailable);
    EXPECT_EQ(written_by(compiled(*device, kernels[0], &cache)), 1);
    EXPECT_EQ(cache.entries().size(), 2U);
}

TEST_F(CompilingOnGpu, CodeThatIsNoneIsCompiledAnew) {
    const KernelText kernel = writing(5);
    const std::string useless = "no machine code at all, though whole by its checksum";
    const CacheKey key = cache_key(*device, "ptx", kernel.ptx);
    ASSERT_TRUE(cache.store(key, {}, std::as_bytes(std::span(useless.c_str(), useless.size() + 1))));
    EXPECT_EQ(written_by(compiled(*device, kernel, &cache)), 5);
    EXPECT_EQ(written_by(compiled(*device, kernel, &cache)), 5);
}

} // namespace compile_test
} // namespace swirl::runtime
