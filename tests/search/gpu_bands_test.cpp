#include "base/error.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

namespace swirl::search {
namespace gpu_bands_test {

using support::prove;

planning::Schedule schedule(const std::string& pass) { return transform_schedule("sm_90: 0 " + pass); }

TEST(BandsOnGpus, MatricesFuseOneOfTwoKernels) {
    for (const char* pass :
         {"bands(4)[stockham(4,4), codelet, stockham(8,8)] on 64x1 pad 32 pitch 1 single_buffer fused, 64x16 "
          "pad "
          "32",
          "bands(16)[codelet, stockham(4,4), stockham(8,8)] on 128x1 pad 32 pitch 1 single_buffer fused, "
          "64x16 pad "
          "32",
          "bands(8)[codelet, stockham(8,8)] on 32x1 cluster 4 pad 32 pitch 1 single_buffer, 64x16 pad 32"})
        prove("dft 64x64 float32 batch=2", schedule(pass));
    prove("dft 48x35 backward float64",
          schedule("bands(4)[codelet, codelet, stockham(7,5)] on 64x1 single_buffer fused, 64x5"));
}

TEST(BandsOnGpus, VolumesFuseBothKernels) {
    for (const char* pass : {"volume-bands(16)[stockham(8,4), codelet, stockham(4,4), stockham(8,8)] on 64x1 "
                             "pad 32 pitch 1 single_buffer fused, "
                             "64x8 pad 32 pitch 1 single_buffer fused",
                             "volume-bands(4)[stockham(8,4), codelet, codelet, stockham(8,8)] on 64x1 pad 32 "
                             "pitch 1 single_buffer fused, "
                             "64x4 cluster 2 pad 32 pitch 1 single_buffer",
                             "volume-bands(4)[stockham(8,4), stockham(4,4), codelet, stockham(8,8)] on 64x1 "
                             "pad 32 pitch 1 single_buffer fused, "
                             "64x8 pad 32 pitch 3 single_buffer fused"})
        prove("dft 32x64x64 float32", schedule(pass));
    prove("dft 8x64x64 float32 batch=2",
          schedule("volume-bands(16)[codelet, codelet, stockham(4,4), "
                   "stockham(8,8)] on 64x1 pad 32 pitch 1 single_buffer fused, "
                   "64x16 pad 32 pitch 1"));
}

TEST(BandsOnGpus, RegionsOfOneKernelMustBeFused) {
    const Transform matrices = problem("dft 64x64 float32");
    const planning::Schedule apart =
        schedule("bands(4)[stockham(4,4), codelet, stockham(8,8)] on 64x1 pad 32, 64x16 fused");
    const auto passes = planning::dimension_passes(matrices, 0);
    EXPECT_THROW(planning::derive_for_gpu(matrices, passes[0], apart.transform().passes[0],
                                          target::gpu_named("sm_90")),
                 UserError);
}

/// Entries of all tables of a problem's kernels.
Integer table_entries(const std::string& text, const planning::Schedule& how) {
    const Transform all = problem(text);
    const auto passes = planning::dimension_passes(all, planning::Fusion::none);
    Integer entries = 0;
    for (const ir::Program& program :
         planning::derive_for_gpu(all, passes[0], how.transform().passes[0], target::gpu_named("sm_90"))
             .programs)
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::table) entries += buffer.elements;
    return entries;
}

TEST(RootsOnGpus, AreLoadedFromOneTableOrMultiplied) {
    const std::string text = "dft 16384 float32";
    const std::string pass = "two-sweep(128,1,1)[stockham(16,8)] on 64x4 pad 32, 64x4 pad 32 roots ";
    const auto loaded = schedule(pass + "loaded"), multiplied = schedule(pass + "multiplied");
    EXPECT_GT(table_entries(text, loaded), 2 * 16384);
    EXPECT_LT(table_entries(text, multiplied), 16384);
    prove(text, loaded);
    prove(text, multiplied);
}

std::string chosen(const std::string& text) {
    return to_string(gpu_schedule(problem(text), target::gpu_named("sm_90")));
}

TEST(BandsOnGpus, AreChosenForLargeMatricesAndVolumes) {
    for (const char* text : {"dft 2048x2048 float32 batch=16", "dft 4096x4096 float64 batch=4"})
        EXPECT_NE(chosen(text).find(" bands("), std::string::npos) << text << chosen(text);
    const char* const volumes = "dft 200x200x200 float32 batch=8";
    EXPECT_NE(chosen(volumes).find("volume-bands("), std::string::npos) << chosen(volumes);
    EXPECT_EQ(chosen("dft 2000x2000 float32 batch=16").find("bands("), std::string::npos)
        << "threads would spill";
    EXPECT_EQ(chosen("dft 1021x1021 float32").find("bands("), std::string::npos) << "no part of a prime";
}

TEST(PlanesOnGpus, SmallImagesAndVolumesAreOneKernel) {
    for (const char* text :
         {"dft 16x16 float32 batch=100000", "dft 8x8x8 float32 batch=100000", "dft 16x64 float32 batch=20000",
          "dft 7x9 float64 batch=20000", "dft 64x64 float32 batch=16384"}) {
        const planning::Schedule schedule = gpu_schedule(problem(text), target::gpu_named("sm_90"));
        EXPECT_EQ(schedule.transform().passes.size(), 1U) << text;
        EXPECT_EQ(schedule.transform().passes[0].configurations.size(), 1U) << text;
    }
    for (const char* text :
         {"dft 16x16 float32 batch=70", "dft 8x8x8 float32 batch=20", "dft 5x6x7 float64 batch=40",
          "dft 16x64 float32 batch=9", "dft 17x31 backward float32 batch=7"})
        prove(text, gpu_schedule(problem(text), target::gpu_named("sm_90")));
}

TEST(VolumesOfCodelets, PlanWhereTheirPartsHaveSeveralLoops) {
    for (const char* text : {"dft 3x961x19 float16", "dft 5x289x17 float32", "dft 3x256x16 batch=2"})
        EXPECT_NO_THROW(planning::describe_passes(
            swirl::problem(text), gpu_schedule(swirl::problem(text), target::gpu_named("sm_90"))))
            << text;
}

} // namespace gpu_bands_test
} // namespace swirl::search
