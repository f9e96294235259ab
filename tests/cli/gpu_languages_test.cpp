// What `swirl emit --language opencl` writes, run on the CPU against plans for the CPU.

#include "cli/run_swirl.hpp"
#include "plan/check/problem_data.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"
#include "support/interpreted_plan.hpp"
#include "support/opencl_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace swirl {
namespace gpu_languages_test {

/// Transform, and options of `swirl emit`.
struct Case {
    const char* problem;
    const char* options = "";
};

constexpr Case cases[] = {
    {"dft 64 float32 batch=5"},
    {"dft 12 inplace scale=0.25"},
    {"dft 100 backward float32 planar batch=3"},
    {"dft 12x20 float32"},
    {"dft 8x9 planar inplace"},
    {"dft 4x6 backward in=(-6,1)"},
    {"rdft 60 float32 batch=3"},
    {"rdft 12x10 backward"},
    {"rdft 24x28 float32 batch=5",
     "--schedule 'sm_80: 0 real-row-column(1,0)[stockham(4,6)] on 90x1 staged in'"},
    {"rdft 12x10 backward float32 planar batch=3",
     "--schedule 'sm_80: 0 real-row-column(0,1)[codelet, stockham(4,3)] on 64x2 pad 32 pitch 1 staged'"},
    {"dct2,dst3 12x20 batch=3", "--schedule 'sm_80: 0 real-row-column(1,0) on 32x2 pad 32 single_buffer'"},
    {"wht 64 float32"},
    {"dft 64 float16 batch=5"},
    {"dft 12x20 bfloat16 inplace", "--gpu sm_80"},
    {"rdft 60 float16 batch=3 planar"},
    {"convolution 64 float32 batch=5"},
    {"convolution 60 planar batch=3 spectrum=each"},
    {"convolution 8x12 float32 inplace"},
    {"rconvolution 64 float32 batch=5"},
    {"rconvolution 45 batch=3 spectrum=each"},
    {"rconvolution 8x12 float32 inplace"},
    {"dft 64 float32 batch=5 load=\"x * w[i] where i < 50\" store=\"x * complex s[b, i]\""},
    {"dft 60 planar batch=3 load=\"i < 50 ? conj(x) : 1\" store=\"x * complex s[i] where i > 3\""},
    {"formula (DFT(2) (x) I(4)) * T(8,4) * (I(2) (x) DFT(4)) * L(8,2) batch=3"},
    {"formula L(60, 5) * (DFT(12) (x) DCT2(5)) complex64 batch=2"},
    {"formula (DCT2(8) (+) WHT(4)) (x) I(3) float32 inplace"},
    {"formula matrix(2, 3; 1, 2, 3, 4, 5, 6) (x) DFT(8) complex64"},
    {"dft 1024 float32 batch=2", "--schedule 'sm_80: 0 two-sweep(32,1,1)[stockham(8,4)] on 64x16'"},
};

/// The caller's memory as the text names it, in the order of its arguments.
class Memories {
public:
    Memories(const Transform& problem, const planning::ProblemData& data) : problem_(problem) {
        const planning::Arguments arguments = data.arguments();
        add(Side::input, const_cast<void*>(arguments.input));
        add(Side::input, const_cast<void*>(arguments.input_imaginary));
        if (problem.placement == Placement::out_of_place) {
            add(Side::output, arguments.output);
            add(Side::output, arguments.output_imaginary);
        }
        const std::vector<AuxiliaryArray> arrays = arrays_of(problem);
        for (std::size_t k = 0; k < arrays.size(); ++k)
            for (const void* component : {arguments.arrays[k].data, arguments.arrays[k].imaginary}) {
                if (component == nullptr) continue;
                const bool pairs = arrays[k].is_complex && problem.layout == ComplexLayout::interleaved;
                const Integer bytes = arrays[k].elements * bytes_of(arrays[k].precision) * (pairs ? 2 : 1);
                arrays_.emplace_back(static_cast<unsigned char*>(const_cast<void*>(component)),
                                     static_cast<std::size_t>(bytes));
            }
    }

    std::vector<std::vector<unsigned char>> bytes() const {
        std::vector<std::vector<unsigned char>> result;
        for (const auto& place : arrays_) result.emplace_back(place.begin(), place.end());
        return result;
    }

    /// The largest difference, relative to the largest value.
    double difference(const std::vector<std::vector<unsigned char>>& others) const {
        double largest = 0, difference = 0;
        for (std::size_t p = 0; p < arrays_.size(); ++p)
            for (std::size_t at = 0; at < arrays_[p].size(); at += size()) {
                const double mine = element(arrays_[p].data() + at), other = element(others[p].data() + at);
                largest = std::max(largest, std::abs(mine));
                difference = std::max(difference, std::abs(mine - other));
            }
        return difference / largest;
    }

private:
    std::size_t size() const { return static_cast<std::size_t>(bytes_of(problem_.precision)); }

    /// From the lowest element, or from index 0 where that is lower.
    void add(Side side, void* zero) {
        if (zero == nullptr) return;
        const Extent reach = extent(problem_, side);
        const Integer components =
            is_complex(problem_, side) && problem_.layout != ComplexLayout::planar ? 2 : 1;
        const Integer bytes = components * static_cast<Integer>(size());
        const Integer low = std::min<Integer>(0, reach.lowest) * bytes;
        arrays_.emplace_back(static_cast<unsigned char*>(zero) + low,
                             static_cast<std::size_t>((reach.highest + 1) * bytes - low));
    }

    double element(const unsigned char* at) const {
        switch (problem_.precision) {
        case DataType::float32: return element_at<float>(at);
        case DataType::float16: return element_at<float16>(at);
        case DataType::bfloat16: return element_at<bfloat16>(at);
        default: return element_at<double>(at);
        }
    }

    template <class T> static double element_at(const unsigned char* at) {
        T element{};
        std::memcpy(&element, at, sizeof element);
        return static_cast<double>(element);
    }

    const Transform& problem_;
    std::vector<std::span<unsigned char>> arrays_;
};

double tolerance_of(const Transform& problem) {
    switch (problem.precision) {
    case DataType::float32: return 1e-6;
    case DataType::float16: return 0x1p-10;
    case DataType::bfloat16: return 0x1p-7;
    default: return 1e-14;
    }
}

/// Numbers of 16 bits by way of float32; in the interpreter what CPUs have no plans for.
void transform_on_cpu(const Transform& problem, planning::ProblemData& data) {
    if (!arrays_of(problem).empty() || !problem.load.is_identity())
        return support::InterpretedPlan(problem, search::gpu_schedule(problem, target::gpu_named("sm_80")))
            .execute(data.arguments());
    Transform wide = problem;
    if (bytes_of(problem.precision) < 4) wide.precision = DataType::float32;
    const auto plan = search::make_plan<planning::Plan>(wide);
    if (wide.precision == problem.precision) return plan->execute(data.arguments());
    planning::ProblemData copy(wide);
    const auto move = [&](Side side, const planning::ProblemData& from, planning::ProblemData& to) {
        const Extent reach = extent(problem, side);
        for (Integer at = reach.lowest; at <= reach.highest; ++at) to.set(side, at, from.get(side, at));
    };
    move(Side::input, data, copy);
    plan->execute(copy.arguments());
    move(Side::output, copy, data);
}

TEST(EmittedForGpus, ComputesInOpenclWhatPlansForTheCpuDo) {
    if (const auto reason = support::opencl_is_missing()) GTEST_SKIP() << *reason;
    std::vector<support::OpenclRun> runs;
    std::vector<Transform> problems;
    std::vector<planning::ProblemData> data;
    for (const Case& c : cases) {
        const std::string name = "transform_" + std::to_string(runs.size());
        const auto emitted = run_swirl("emit " + support::quoted(c.problem) +
                                       " --language opencl --function " + name + " " + c.options);
        ASSERT_EQ(emitted.status, 0) << c.problem << "\n" << emitted.errors;
        problems.push_back(problem(c.problem));
        data.emplace_back(problems.back()).fill(7);
        const bool has_workspace = emitted.output.find("cl_mem workspace") != std::string::npos;
        runs.push_back({name, emitted.output, has_workspace, Memories(problems.back(), data.back()).bytes()});
    }
    ASSERT_EQ(support::run_opencl(runs), "");
    for (std::size_t k = 0; k < runs.size(); ++k) {
        transform_on_cpu(problems[k], data[k]);
        EXPECT_LT(Memories(problems[k], data[k]).difference(runs[k].memories), tolerance_of(problems[k]))
            << cases[k].problem;
    }
}

TEST(EmittedForGpus, HasAHeaderInEachLanguage) {
    const TemporaryFolder folder;
    const std::string header = (folder.path() / "transform.h").string();
    const auto text = [&](const std::string& language) {
        const auto outcome = run_swirl("emit dft 64 float32 --function transform --language " + language +
                                       " -o /dev/null --header " + support::quoted(header));
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return support::content_of(header);
    };
    EXPECT_NE(
        text("cuda").find("cudaError_t transform(const float* input, float* output, cudaStream_t stream);"),
        std::string::npos);
    EXPECT_NE(
        text("hip").find("hipError_t transform(const float* input, float* output, hipStream_t stream);"),
        std::string::npos);
    EXPECT_NE(text("opencl").find("cl_int transform_enqueue("), std::string::npos);
}

/// The schedule that a text says it follows.
std::string schedule_in(const std::string& arguments) {
    const auto outcome = run_swirl("emit --no-wisdom --gpu sm_90 " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::size_t from = outcome.output.find("schedule: "), to = outcome.output.find("Generated", from);
    return outcome.output.substr(from, to - from);
}

TEST(EmittedForGpus, HasClustersAndGroupsWhereTheLanguageDoes) {
    const std::string in_cluster = "dft 32768 float32 batch=1024", in_groups = "dft 100000 float32 batch=256";
    EXPECT_NE(schedule_in(in_cluster + " --language cuda").find(" cluster "), std::string::npos);
    EXPECT_NE(schedule_in(in_groups + " --language cuda").find(" group_blocks "), std::string::npos);
    for (const char* language : {" --language hip", " --language opencl"})
        for (const std::string& problem : {in_cluster, in_groups, std::string("dft 256x256 float32 batch=64"),
                                           std::string("rdft 65536 float32 batch=9")}) {
            const std::string schedule = schedule_in(problem + language);
            EXPECT_EQ(schedule.find("cluster"), std::string::npos) << problem << language << schedule;
            EXPECT_EQ(schedule.find("group"), std::string::npos) << problem << language << schedule;
        }
    EXPECT_NE(
        run_swirl(
            "emit --language hip dft 65536 float32 batch=4 --schedule 'sm_90: 0 "
            "two-sweep(256,1,1)[stockham(16,16)] on 256x16 cooperative_groups 2 group_blocks 16 pad 32'")
            .output.find("hipLaunchCooperativeKernel("),
        std::string::npos);
}

TEST(EmittedForGpus, RefusesWhatIsNotForGpus) {
    const auto errors_of = [](const std::string& arguments) {
        const auto outcome = run_swirl("emit " + arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        return outcome.errors;
    };
    EXPECT_NE(errors_of("dft 8 --language metal").find("cuda, hip and opencl"), std::string::npos);
    EXPECT_NE(errors_of("dft 8 --language cuda --cpu avx2").find("--gpu"), std::string::npos);
    EXPECT_NE(errors_of("dft 8 --language cuda --measure").find("--schedule"), std::string::npos);
    EXPECT_NE(errors_of("dft 8 --language cuda --gpu sm_1").find("sm_80"), std::string::npos);
}

} // namespace gpu_languages_test
} // namespace swirl
