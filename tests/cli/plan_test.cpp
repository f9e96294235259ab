// `swirl plan`: floors, the model's estimate, and what was not taken, for transforms and products on CPUs and GPUs.

#include "cli/run_swirl.hpp"
#include "support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace swirl {
namespace plan_test {

using nlohmann::json;

support::Outcome run_without_gpu(const std::string& arguments) {
    setenv("SWIRL_CUDA_DRIVER", "/nowhere.so", 1);
    support::Outcome outcome = run_swirl(arguments);
    unsetenv("SWIRL_CUDA_DRIVER");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.errors;
    return outcome;
}

json plan_of(const std::string& arguments) {
    return json::parse(run_without_gpu("plan --json " + arguments).output);
}

double larger_floor(const json& plan) {
    return std::max(plan.at("floors").at("arithmetic_seconds").get<double>(),
                    plan.at("floors").at("traffic_seconds").get<double>());
}

constexpr const char* problems[] = {
    "dft 1024",
    "rdft 8x16 float32",
    "gemm 64x64x64 float32",
    "gemm 1000x1000x1000",
    "gemm 500x300x200 complex64",
    "gemm 64x64x64 int32 a=uint8 b=int8",
    "--cpu portable gemm 100x100x100",
    "--device sm_90 dft 1024 batch=100 float32",
    "--device sm_90 dft 64x64 batch=10",
    "--device sm_80 rdft 4096 batch=8",
    "--device sm_90 gemm 4096x4096x4096 float32",
    "--device sm_90 gemm 512x512x512 float32 a=bfloat16 b=bfloat16",
    "--device sm_80 gemm 300x200x100",
};

TEST(Plan, FloorsAreOfTheGpuThatIsNamed) {
    for (const char* problem : {"gemm 4096x4096x4096 float32", "dft 2^20 batch=64 float32"}) {
        const auto floor = [&](const std::string& gpu, const char* of) {
            return plan_of("--device " + gpu + " " + problem).at("floors").at(of).get<double>();
        };
        EXPECT_GT(floor("sm_80", "arithmetic_seconds"), floor("sm_90", "arithmetic_seconds")) << problem;
        EXPECT_GT(floor("sm_80", "traffic_seconds"), floor("sm_90", "traffic_seconds")) << problem;
        EXPECT_TRUE(plan_of(std::string("--device generic ") + problem).at("floors").is_null())
            << problem << ": generic is no particular card";
    }
}

TEST(Plan, HasFloorsAnEstimateAndRejectionsOnEveryDevice) {
    for (const char* problem : problems) {
        const json plan = plan_of(problem);
        EXPECT_GT(plan.at("floors").at("traffic_seconds"), 0) << problem;
        EXPECT_GE(plan.at("estimate").at("seconds").get<double>(), larger_floor(plan)) << problem;
        EXPECT_EQ(plan.at("estimate").at("schedule"), plan.at("schedule")) << problem;
        EXPECT_FALSE(plan.at("rejected").empty()) << problem;
        for (const json& rejected : plan.at("rejected")) {
            EXPECT_NE(rejected.at("what"), "") << problem;
            EXPECT_NE(rejected.at("why"), "") << problem;
        }
    }
}

TEST(Plan, SaysTheSameInOneShapeOnEveryDevice) {
    for (const char* problem : problems) {
        const std::string text = run_without_gpu(std::string("plan ") + problem).output;
        std::size_t at = 0;
        for (const char* line : {"problem    ", "\nschedule   ", "\nfloors     arithmetic ", "traffic ",
                                 " binds", "\nestimate   ", "of the floor", "\nnot taken ", "because"}) {
            at = text.find(line, at);
            ASSERT_NE(at, std::string::npos) << line << " of " << problem << " in\n" << text;
        }
    }
}

TEST(Plan, RatesAGivenScheduleAndTheModelsChoice) {
    for (const char* problem :
         {"dft 64 --schedule 'avx2: 0 cooley-tukey(2,32)' --cpu avx2",
          "--device sm_90 dft 256 batch=1000 float32 --schedule 'sm_90: 0 stockham(8,32) on 128x16'",
          "gemm 256x256x256 --schedule 'portable: builtin'"}) {
        const json plan = plan_of(problem);
        EXPECT_GE(plan.at("estimate").at("seconds").get<double>(), larger_floor(plan)) << problem;
        EXPECT_GT(plan.at("rejected").size(), 0U) << problem;
    }
    const json gpu =
        plan_of("--device sm_90 dft 256 batch=1000 float32 --schedule 'sm_90: 0 stockham(8,32) on 128x16'");
    EXPECT_EQ(gpu.at("estimate").at("schedule"), gpu.at("schedule"));
    EXPECT_NE(gpu.at("rejected").at(0).at("why").get<std::string>().find("the model's choice"),
              std::string::npos);
}

/// Each kind of problem on each device: something that was considered has a predicted time, in JSON and in the table.
TEST(Plan, PredictsTheTimeOfWhatWasNotTaken) {
    for (const char* problem :
         {"dft 1024", "gemm 1000x1000x1000", "gemm 20x20x20", "--device sm_90 dft 1024 float32",
          "--device sm_90 gemm 512x512x512 float32"}) {
        const json plan = plan_of(problem);
        const auto& rejected = plan.at("rejected");
        const auto rated = std::find_if(rejected.begin(), rejected.end(),
                                        [](const json& each) { return each.at("seconds").is_number(); });
        ASSERT_NE(rated, rejected.end()) << problem;
        EXPECT_GT(rated->at("seconds").get<double>(), 0) << problem;
        EXPECT_NE(run_without_gpu(std::string("plan ") + problem).output.find("  predicted  "),
                  std::string::npos)
            << problem;
    }
}

TEST(Plan, PrintsItsMemory) {
    const json transform = plan_of("dft 65536");
    EXPECT_GT(transform.at("workspace_bytes"), 0);
    EXPECT_GT(transform.at("table_bytes"), 0);
    EXPECT_GT(plan_of("gemm 1000x1000x1000").at("packing_bytes"), 0);
    const json on_gpu = plan_of("--device sm_90 dft 1048576 float32");
    EXPECT_GE(on_gpu.at("workspace_bytes"), 8 << 20);
    EXPECT_GT(on_gpu.at("table_bytes"), 0);
    EXPECT_GE(plan_of("--device sm_90 gemm 512x512x8192 float32").at("workspace_bytes"), 8 << 20);
    for (const char* problem : {"dft 65536", "gemm 1000x1000x1000", "--device sm_90 dft 64",
                                "--device sm_80 gemm 64x64x64 float32"})
        EXPECT_NE(run_without_gpu(std::string("plan ") + problem).output.find("workspace  "),
                  std::string::npos)
            << problem;
}

TEST(Plan, PrintsItsPredictedPlanningTimeAndRefusesALongerOne) {
    const auto seconds = [](const char* problem, const char* part) {
        return plan_of(problem).at("predicted_planning_seconds").at(part).get<double>();
    };
    EXPECT_GT(seconds("dft 65536", "total"), seconds("dft 64", "total"));
    EXPECT_GT(seconds("dft 65536", "check"), 0);
    EXPECT_EQ(seconds("--no-check dft 65536", "check"), 0);
    EXPECT_GT(seconds("gemm 8x8x8", "code"), 0);
    EXPECT_GT(seconds("--device sm_90 dft 1048576 float32", "code"), 0.01) << "the driver compiles it";
    EXPECT_GT(seconds("--device sm_90 gemm 512x512x8192 float32", "code"), 0.01);
    for (const char* problem : {"dft 65536", "gemm 1000x1000x1000", "--device sm_90 dft 64",
                                "--device sm_80 gemm 64x64x64 float32"})
        EXPECT_NE(run_without_gpu(std::string("plan ") + problem).output.find("planning   "),
                  std::string::npos)
            << problem;
    const auto refused = run_swirl("plan --planning-limit 0.001 dft 1048576");
    EXPECT_NE(refused.status, 0);
    EXPECT_NE((refused.output + refused.errors).find("planning_limit_seconds is 0.001"), std::string::npos);
}

TEST(Plan, SaysWhetherItIsChecked) {
    EXPECT_EQ(plan_of("dft 64").at("checked"), "yes");
    EXPECT_EQ(plan_of("dft 1024 float32 batch=2000").at("checked"), "yes, 512 of 2000 transforms");
    EXPECT_EQ(plan_of("--no-check dft 64").at("checked"),
              "no, because the caller planned without it (check = false)");
    EXPECT_EQ(plan_of("--device sm_90 dft 64").at("checked"), "no, because nothing is built without its GPU");
    EXPECT_NE(run_without_gpu("plan dft 64").output.find("\nchecked    yes\n"), std::string::npos);
}

TEST(Plan, KeepsToAMemoryLimit) {
    setenv("SWIRL_CUDA_DRIVER", "/nowhere.so", 1);
    for (const char* problem : {"dft 65536", "gemm 1000x1000x1000", "--device sm_90 dft 1048576 float32"}) {
        const support::Outcome refused = run_swirl(std::string("plan --memory-limit 1KiB ") + problem);
        EXPECT_NE(refused.status, 0) << problem;
        EXPECT_NE(refused.errors.find("memory_limit_bytes is 1024"), std::string::npos) << refused.errors;
        EXPECT_NE(refused.errors.find("allow "), std::string::npos) << refused.errors;
        EXPECT_EQ(run_swirl(std::string("plan --memory-limit 1GiB ") + problem).status, 0) << problem;
    }
    unsetenv("SWIRL_CUDA_DRIVER");
}

TEST(Plan, SaysWhyAProductHasNoOtherKernel) {
    const auto reasons = [](const std::string& arguments) {
        std::string all;
        const json plan = plan_of(arguments);
        for (const json& rejected : plan.at("rejected"))
            all +=
                rejected.at("what").get<std::string>() + ": " + rejected.at("why").get<std::string>() + "\n";
        return all;
    };
    EXPECT_NE(reasons("gemm 1000x1000x1000").find("amx: tile registers accumulate float32 and int32 only"),
              std::string::npos);
    EXPECT_NE(reasons("gemm 1000x1000x1000").find("unpacked: operands so large"), std::string::npos);
    EXPECT_NE(reasons("gemm 20x20x20").find("blocked: slower, by the model"), std::string::npos);
    EXPECT_NE(reasons("--device sm_80 gemm 512x512x512 float32").find("wgmma: "), std::string::npos);
    EXPECT_NE(reasons("--device sm_90 gemm 512x512x512 float32").find("tf32: 11 significant bits"),
              std::string::npos);
}

} // namespace plan_test
} // namespace swirl
