// GEMM kernels with a range check for bf16 splits.

#include "emit/ptx/ptx.hpp"
#include "emit/ptx_compiler.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

namespace swirl::emit {
namespace ptx_range_test {

constexpr const char* schedules[] = {
    "wgmma cta_m=128 cta_n=192 cta_k=64 warpgroups=3 stages=4 epilogue_tile_m=32 bf16_split=3 "
    "accumulation_interval=16 "
    "range_check=1",
    "wgmma cta_m=128 cta_n=128 cta_k=64 warpgroups=2 stages=6 bf16_split=3 accumulation_interval=16 "
    "raster_group=4 "
    "range_check=1"};

std::vector<ir::Program> kernels(const char* schedule) {
    return gemm::gpu_gemm_kernels(MatrixProduct::column_major(DataType::float32, 1024, 1024, 1024),
                                  gemm::parse_gpu_schedule(schedule), target::gpu_named("sm_90"));
}

PtxOptions options_for(const ir::Program& program) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    return {.target = std::string(needs_special_target(program) ? gpu.special_target : gpu.ptx_target),
            .version = std::string(gpu.ptx_version)};
}

TEST(EmittedPtxOfGuardedProducts, AsksOnceAtTheBeginning) {
    const std::vector<ir::Program> programs = kernels(schedules[0]);
    ASSERT_EQ(programs.size(), 4U);
    for (std::size_t k = 2; k < programs.size(); ++k) {
        const std::string text = ptx(programs[k], options_for(programs[k]));
        // Before anything is copied; signals of tiles are made, and blocks without a tile have gone before.
        const std::size_t load = text.find("ld.global"), work = text.find(k == 2 ? "setmaxnreg" : "cp.async");
        ASSERT_NE(load, std::string::npos) << text;
        EXPECT_LT(load, work) << k;
        EXPECT_NE(text.find(k == 2 ? "setp.lt.s64" : "setp.ne.s64"), std::string::npos);
    }
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string text = ptx(programs[k], options_for(programs[k]));
        EXPECT_NE(text.find("red.shared.add.u64"), std::string::npos) << text;
        EXPECT_NE(text.find("red.global.add.u64"), std::string::npos) << text;
    }
}

TEST(EmittedPtxOfGuardedProducts, IsAcceptedByNvidiasCompilerWithoutAWarning) {
    const auto compiler = ptx_compiler();
    if (!compiler) GTEST_SKIP() << "ptxas is not installed";
    for (const char* schedule : schedules)
        for (const ir::Program& program : kernels(schedule)) {
            ir::verify(program, ir::VerificationLevel::vectorized);
            const PtxOptions options = options_for(program);
            EXPECT_EQ(complaints(*compiler, ptx(program, options), options.target, "-O3 --warn-on-spills"),
                      "");
        }
}

} // namespace ptx_range_test
} // namespace swirl::emit
