// `swirl explain`, for CPUs and kinds of GPUs that are not there.

#include "cli/run_swirl.hpp"
#include "support/fake_cuda.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace swirl {
namespace explain_test {

using nlohmann::json;

constexpr const char* small =
    "gemm 200x100x300 float32 --schedule 'sm_90: cta_m=64 cta_n=32 thread_m=4 thread_n=4'";

std::string contents_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::size_t times(const std::string& text, const std::string& expected) {
    std::size_t count = 0;
    for (std::size_t at = text.find(expected); at != std::string::npos; at = text.find(expected, at + 1))
        ++count;
    return count;
}

/// That `explain --svg` draws of a product.
std::string picture_of(const std::string& product) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "map.svg";
    const support::Outcome outcome =
        run_swirl("explain --device sm_90 --svg " + support::quoted(file.string()) + " " + product);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return contents_of(file);
}

TEST(Explain, SaysWhatAKernelIsMadeOf) {
    const support::Outcome outcome = run_swirl(std::string("explain --device sm_90 ") + small);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* expected :
         {"cta_m", "rows of C that a block computes", "multiply-adds", "loads from shared memory, 16 bytes",
          "asynchronous copies, 4 bytes", "issue slots", "flops a byte", "L2", "as the model expects",
          "occupancy", "waves", "lost cycles", "estimate"})
        EXPECT_NE(outcome.output.find(expected), std::string::npos) << expected << " in\n" << outcome.output;
}

constexpr const char* small_on_sm_80 =
    "gemm 200x100x300 float32 --schedule 'sm_80: cta_m=64 cta_n=32 thread_m=4 thread_n=4'";

TEST(Explain, HasTheFiguresAsJson) {
    const auto report =
        json::parse(run_swirl(std::string("explain --json --device sm_80 ") + small_on_sm_80).output);
    EXPECT_EQ(report.at("gpu"), "sm_80");
    EXPECT_EQ(report.at("main_loop").at("multiply_adds"), 4 * 4 * 8);
    EXPECT_EQ(report.at("main_loop").at("shared_loads_by_bytes").at("16"), 2 * 8);
    EXPECT_EQ(report.at("main_loop").at("copies_by_bytes").at("4"), (64 + 32) * 8 / 128);
    EXPECT_LT(report.at("main_loop").at("bound"), 1);
    EXPECT_EQ(report.at("traffic").at("k_tile_bytes"), (64 + 32) * 8 * 4);
    EXPECT_EQ(report.at("occupancy").at("blocks"), 4 * 4);
    EXPECT_FALSE(report.at("sample").at("accesses").empty());
    EXPECT_GT(report.at("estimate").at("seconds"), 0);
    EXPECT_FALSE(report.at("rejected").empty());
}

TEST(Explain, ReadsTheCompiledKernel) {
    const auto report =
        json::parse(run_swirl(std::string("explain --device sm_90 --json ") + small).output).at("compiled");
    if (report.contains("missing")) GTEST_SKIP() << report.at("missing");
    EXPECT_GT(report.at("registers"), 4 * 4);
    EXPECT_EQ(report.at("spills"), 0);
    const auto& loop = report.at("main_loop");
    EXPECT_EQ(loop.at("multiply_adds"), 4 * 4 * 8);
    EXPECT_EQ(loop.at("counts").at("loads from shared memory"), 2 * 8);
    EXPECT_GT(loop.at("issue_cycles"), loop.at("instructions"));
    EXPECT_LT(loop.at("peak_fraction"), loop.at("multiply_add_fraction"));
    const support::Outcome outcome = run_swirl(std::string("explain --device sm_90 ") + small);
    for (const char* expected :
         {"compiled main loop", "operands from the reuse cache", "cycles lost to banks"})
        EXPECT_NE(outcome.output.find(expected), std::string::npos) << expected << " in\n" << outcome.output;
}

TEST(Explain, TakesTheMainLoopOfStreamKKernels) {
    for (const char* words :
         {"--device sm_80 gemm 4096x4096x4096 float32", "--device sm_90 gemm 1100x1000x4096"}) {
        const support::Outcome outcome = run_swirl(std::string("explain ") + words);
        EXPECT_EQ(outcome.status, 0) << words << outcome.errors;
        EXPECT_NE(outcome.output.find("stream_k_blocks="), std::string::npos) << words;
    }
}

TEST(Explain, CountsAKernelWithoutALoop) {
    const support::Outcome outcome = run_swirl("explain --device sm_90 gemm 4x4x4 float32 batch=40000");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("kernel, which has no loop"), std::string::npos) << outcome.output;
}

TEST(Explain, ShowsTheMainLoopInAnotherOrder) {
    const std::string words =
        "explain --device sm_90 --reorder-sass gemm 4096x4096x4096 float32 --schedule 'sm_90: cta_m=256 "
        "cta_n=128 cta_k=16 thread_m=16 stages=4 a_vector_m=4 c_vector_m=4'";
    const auto report = json::parse(run_swirl(words + " --json").output).at("compiled");
    if (report.contains("missing")) GTEST_SKIP() << report.at("missing");
    const auto &compiled = report.at("main_loop"), &other = report.at("reordered_main_loop");
    EXPECT_EQ(other.at("multiply_adds"), compiled.at("multiply_adds"));
    EXPECT_LT(other.at("issue_cycles"), compiled.at("issue_cycles"));
    EXPECT_FALSE(report.contains("not_reordered_because"));
    const std::string text = run_swirl(words).output;
    for (const char* expected : {"reordered", "proved to give the same bits"})
        EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
}

TEST(Explain, SaysWhyAMainLoopStaysAsCompiled) {
    const auto why = [](const std::string& words) {
        const support::Outcome outcome = run_swirl("explain --device sm_90 --reorder-sass " + words);
        const std::size_t position = outcome.output.find("not reordered: ");
        return position == std::string::npos ? outcome.output + outcome.errors
                                             : outcome.output.substr(position, 70);
    };
    EXPECT_NE(why("gemm 4096x4096x4096 float32").find("tensor cores multiply"), std::string::npos);
    EXPECT_NE(why("gemm 4096x4096x4096 float64").find("of float32"), std::string::npos);
    const std::string words = std::string("explain --device sm_90 --json ") + small;
    if (json::parse(run_swirl(words).output).at("compiled").contains("missing"))
        return; // no compiler is here
    EXPECT_NE(why(small).find("the accumulator in R"), std::string::npos) << why(small);
}

TEST(Explain, TakesRegistersFromADriver) {
    setenv("SWIRL_CUDA_DRIVER", support::fake_cuda_library(12080).c_str(), 1);
    setenv("SWIRL_FAKE_CUDA_MIB", "64", 1);
    const support::Outcome outcome = run_swirl(
        "explain --device gpu --json gemm 64x64x64 float32 --schedule 'sm_90: cta_m=32 cta_n=32 "
        "thread_m=4 thread_n=4 warp_lanes_m=8 warp_lanes_n=4'");
    unsetenv("SWIRL_CUDA_DRIVER");
    unsetenv("SWIRL_FAKE_CUDA_MIB");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto occupancy = json::parse(outcome.output).at("occupancy");
    EXPECT_TRUE(occupancy.at("registers_by_the_driver"));
    EXPECT_GT(occupancy.at("registers"), 0);
}

TEST(Explain, DrawsWhoHasWhichElements) {
    const std::string picture = picture_of(small);
    EXPECT_EQ(picture.find("<svg"), 0U);
    EXPECT_NE(picture.find("</svg>"), std::string::npos);
    EXPECT_EQ(times(picture, ">warp "), 3U);
    for (const char* words : {">31</text>", "64 × 32: 4 warps"})
        EXPECT_NE(picture.find(words), std::string::npos) << words;
}

constexpr const char* with_tiles =
    "gemm 200x100x304 float32 a=bfloat16 b=bfloat16 --schedule 'sm_90: wgmma cta_m=64 cta_n=64 "
    "cta_k=64 warpgroups=1 stages=3 epilogue_tile_m=64'";

TEST(Explain, SaysWhatAKernelByTilesIsMadeOf) {
    const support::Outcome outcome = run_swirl(std::string("explain --device sm_90 ") + with_tiles);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* expected :
         {"tile_product_64x64x16_bf16", "consumer 0", "producer", "boxes", "chunks swizzled", "L2",
          "of the peak", "8 tiles", "staged", "lost cycles", "estimate"})
        EXPECT_NE(outcome.output.find(expected), std::string::npos) << expected << " in\n" << outcome.output;
    EXPECT_EQ(outcome.output.find("thread_m  "), std::string::npos); // of products by threads
}

TEST(Explain, CountsAKernelByTiles) {
    const support::Outcome outcome = run_swirl(std::string("explain --device sm_90 --json ") + with_tiles);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json report = json::parse(outcome.output);
    EXPECT_EQ(report.at("instructions_per_k_tile"), 4); // of 16 steps each
    EXPECT_EQ(report.at("k_tiles"), 5);
    EXPECT_EQ(report.at("tiles"), 8);
    EXPECT_EQ(report.at("a").at("boxes").get<int>() * report.at("a").at("box_bytes").get<int>(), 64 * 64 * 2);
    EXPECT_EQ(report.at("cycles_per_k_tile").at("tensor_cores"), 2.0 * 64 * 64 * 64 / 4096);
    for (const auto& access : report.at("sample").at("accesses")) {
        if (access.at("buffer") == "c") {
            EXPECT_EQ(access.at("bytes"), 64 * 64 * 4);
        }
    }
}

TEST(Explain, DrawsWhoHasWhichSums) {
    const std::string picture = picture_of(with_tiles);
    EXPECT_NE(picture.find("</svg>"), std::string::npos);
    for (const char* words : {">0.3</text>", ">31.r1</text>", "64 × 64: warps of 1 warpgroups"})
        EXPECT_NE(picture.find(words), std::string::npos) << words;
}

TEST(Explain, SaysWhatItDoesNotExplain) {
    for (const auto& [arguments, said] :
         {std::pair{"explain --svg x.svg dft 16", "--svg is 'x.svg'"},
          {"explain --svg x.svg gemm 8x8x8", "add --device"},
          {"explain --full --device sm_90 gemm 8x8x8 float32", "swirl show --device sm_90 --stage ir"},
          {"explain --device sm_90 gemm 8x8x0 float32", "extent of 0"},
          {"explain --device sm_90 gemm 0x8x8 float32", "extent of 0"},
          {"explain --device sm_90 gemm 64x64x64 float32 --schedule 'sm_90: cta_m=5'", "schedule"}}) {
        const support::Outcome outcome = run_swirl(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        EXPECT_NE(outcome.errors.find(said), std::string::npos) << arguments << ": " << outcome.errors;
    }
}

/// That the output has these lines, in this order.
void expect_lines(const std::string& output, std::initializer_list<const char*> lines) {
    std::size_t at = 0;
    for (const char* line : lines) {
        at = output.find(line, at);
        ASSERT_NE(at, std::string::npos) << line << "\n  is not, or not there, in\n" << output;
    }
}

TEST(Explain, PrintsTheDerivationOfATransform) {
    const support::Outcome outcome =
        run_swirl("explain --cpu avx2 --schedule 'avx2: 0 cooley-tukey(2,4)' dft 8 planar");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    expect_lines(outcome.output,
                 {"problem    dft 8 planar",
                  "schedule   avx2: 0 cooley-tukey(2,4)",
                  "formula",
                  "cooley-tukey(2,4): DFT(8) → (DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)",
                  "loop merging",
                  "A P → A G(p): L(8, 2) folded into I(2) ⊗ DFT(4)",
                  "A D → A G D(i): T(8, 4) folded into DFT(2) ⊗ I(4)",
                  "loops, after 'build'",
                  "for i0 < 2:",
                  "for i1 < 4:",
                  "loops, after 'place vector tags'",
                  "for i0 < 2 vec(4):",
                  "loops, after 'place unroll tags'",
                  "for i0 < 2 unrolled vec(4):",
                  "ir",
                  "as lowered",
                  "vectorize",
                  "form fma",
                  "code",
                  "bytes",
                  "# time of each pass",
                  "predicted",
                  "floors     ",
                  "estimate   "});
    EXPECT_EQ(outcome.output.find("place smp tags"), std::string::npos) << "that pass changes nothing here";
    EXPECT_EQ(outcome.output.find("program dft_pass_1"), std::string::npos);
    const support::Outcome full =
        run_swirl("explain --full --schedule 'avx2: 0 cooley-tukey(2,4)' dft 8 planar");
    expect_lines(full.output,
                 {"ir, as lowered", "program dft_pass_1", "ir, as compiled", "machine code", "ret"});
}

TEST(Explain, TagsLoopsThatThreadsShare) {
    const support::Outcome outcome =
        run_swirl("explain --cpu avx2 --schedule 'avx2: 0 stockham(16,16)' dft 256 batch=20");
    expect_lines(outcome.output,
                 {"stockham(16,16): DFT(256) →", "loops, after 'place smp tags'", "for i0 < 20 smp:"});
}

TEST(Explain, PrintsTheDerivationOfATransformOnAGpu) {
    const support::Outcome outcome = run_swirl(
        "explain --device sm_90 --schedule 'sm_90: 0 stockham(16,16) on 64x4' dft 256 batch=1000 float32");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    expect_lines(
        outcome.output,
        {"stockham(16,16): DFT(256) →", "loop merging", "loops, after 'make in place'",
         "shared_0: 256 entries from 0, planar, per iteration, shared memory",
         "loops of kernel 1, after 'place gpu tags'", "gpu block(4):", "gpu thread:", "ir", "launch"});
}

TEST(Explain, NamesTheIdentitiesThatSimplifyAFormula) {
    const support::Outcome outcome = run_swirl("explain --cpu avx2 'formula I(1) ⊗ DFT(8) ⊗ I(4)'");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    expect_lines(outcome.output,
                 {"identities", "I_1 ⊗ A → A: I(1) ⊗ DFT(8)", "formula\n", "loops, after 'build'", "code"});
}

TEST(Explain, ComparesPredictedAndMeasuredPassTimes) {
    const json report = json::parse(run_swirl("explain --json --cpu sse2 rdft 100x1200").output);
    EXPECT_EQ(report.at("cpu"), "sse2");
    ASSERT_EQ(report.at("passes").size(), 2U);
    for (const json& pass : report.at("passes")) {
        EXPECT_GT(pass.at("predicted_seconds"), 0);
        EXPECT_GT(pass.at("measured_seconds"), 0);
        EXPECT_NE(pass.at("formula"), "");
        EXPECT_GT(pass.at("compiled").at("arithmetic"), 0);
    }
    EXPECT_GT(report.at("estimate").at("seconds"), 0);
}

TEST(Explain, PredictsThePassesOfAKindOfGpu) {
    const json report = json::parse(run_swirl("explain --json --device sm_90 rdft 64x4096 float32").output);
    ASSERT_EQ(report.at("passes").size(), 2U);
    for (const json& pass : report.at("passes")) {
        EXPECT_GT(pass.at("predicted_seconds"), 0);
        EXPECT_TRUE(pass.at("measured_seconds").is_null());
        EXPECT_FALSE(pass.at("kernels").empty());
    }
    const support::Outcome outcome = run_swirl("explain --device sm_90 dft 64 float32 batch=9");
    expect_lines(outcome.output, {"# time of each pass", "not measured: sm_90 is a kind of GPU",
                                  "floors     ", "estimate   ", "not taken"});
}

TEST(Explain, MeasuresThePassesOfAGpu) {
    setenv("SWIRL_CUDA_DRIVER", support::fake_cuda_library(12080).c_str(), 1);
    setenv("SWIRL_FAKE_CUDA_MIB", "64", 1);
    const support::Outcome outcome =
        run_swirl("explain --json --no-check --no-cache --device gpu rdft 400x300 float32");
    unsetenv("SWIRL_CUDA_DRIVER");
    unsetenv("SWIRL_FAKE_CUDA_MIB");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json report = json::parse(outcome.output);
    ASSERT_EQ(report.at("passes").size(), 2U);
    for (const json& pass : report.at("passes")) EXPECT_TRUE(pass.at("measured_seconds").is_number());
}

TEST(Explain, PrintsTheDerivationOfAProductOnACpu) {
    const support::Outcome blocked = run_swirl("explain --cpu avx2 gemm 500x600x700 float32");
    EXPECT_EQ(blocked.status, 0) << blocked.errors;
    expect_lines(blocked.output, {"problem    gemm 500x600x700 float32",
                                  "schedule   avx2: blocked",
                                  "blocks",
                                  "registers",
                                  "tile of C",
                                  "L1",
                                  "panel of B",
                                  "L2",
                                  "packed block of A",
                                  "L3",
                                  "packed block of B",
                                  "loops",
                                  "for jc < 600",
                                  "for pc < 700",
                                  "pack B's block",
                                  "for ic < 500",
                                  "pack A's block",
                                  "for jr",
                                  "for ir",
                                  "micro-kernel",
                                  "# kernel 1 of 3: gemm_micro_kernel",
                                  "as lowered",
                                  "code",
                                  "floors     ",
                                  "estimate   ",
                                  "not taken",
                                  "unpacked"});
    EXPECT_EQ(blocked.output.find("machine code\n"), std::string::npos);
    expect_lines(run_swirl("explain --full --cpu avx2 gemm 20x30x40").output,
                 {"avx2: unpacked", "tile of C", "A, in place", "for pc < 40", "ir, as derived",
                  "program gemm_small", "ir, as compiled", "machine code", "vfmadd", "ret", "estimate"});
}

TEST(Explain, ReportsCpuBlockingAsJson) {
    const json report = json::parse(run_swirl("explain --json --cpu avx2 gemm 500x600x700 float32").output);
    ASSERT_EQ(report.at("blocks").size(), 4U);
    EXPECT_EQ(report.at("blocks").at(0).at("level"), "registers");
    EXPECT_EQ(report.at("loops").size(), 5U);
    EXPECT_EQ(report.at("kernels").at(0).at("name"), "gemm_micro_kernel");
    EXPECT_GT(report.at("estimate").at("seconds"), 0);
}

TEST(Explain, TakesEveryKindOfProblem) {
    for (const char* problem : {"dft 16 float16",
                                "convolution 64",
                                "dft 32 'load=\"x * window[i]\"'",
                                "wht 16",
                                "dct2 10 batch=3",
                                "'formula (DFT(2) ⊗ I(4)) · L(8, 2)'",
                                "--cpu portable dft 12",
                                "--cpu neon dft 16",
                                "--device sm_90 dft 64 float16 batch=4",
                                "--device sm_90 convolution 4096 float32",
                                "--device sm_80 dft 64 'load=\"float16: x\"' float32",
                                "--device sm_90 'formula DFT(4) ⊗ I(8)'",
                                "gemm 0x8x8",
                                "gemm 8x8x0",
                                "--cpu portable gemm 30x40x50",
                                "gemm 64x64x64 complex64 a=rows",
                                "gemm 300x200x100 batch=3 'epilogue=max(0, x + bias[i])'",
                                "gemm 90x80x70 float32 a=float16 b=float16",
                                "gemm 64x64x64 int32 a=uint8 b=int8",
                                "gemm 64x64x64 reduce=total:sum:all",
                                "gemm 400x400x400 b=rows c=rows",
                                "--device sm_90 gemm 64x64x64 complex64",
                                "--device sm_90 gemm 100x60x50 complex128",
                                "--device sm_90 gemm 512x512x512 float32 a=rows,float8_e4m3 b=float8_e4m3",
                                "--device sm_90 gemm 128x128x128 float32 'epilogue=max(0, x + bias[i])'",
                                "--device sm_90 gemm 64x64x64 float32 reduce=total:sum:all",
                                "--device sm_90 gemm 64x64x64 float32 batch=3,lists",
                                "--device sm_80 gemm 64x64x64"}) {
        const support::Outcome outcome = run_swirl(std::string("explain ") + problem);
        EXPECT_EQ(outcome.status, 0) << problem << "\n" << outcome.errors;
        EXPECT_NE(outcome.output.find("\nestimate   "), std::string::npos) << problem;
        EXPECT_EQ(outcome.output.find("\nestimate   ") == outcome.output.rfind("\nestimate   "), true)
            << problem;
        EXPECT_EQ(run_swirl(std::string("explain --json ") + problem).status, 0) << problem;
    }
}

} // namespace explain_test
} // namespace swirl
