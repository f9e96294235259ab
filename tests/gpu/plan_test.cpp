#include "plan/transform/cpu/plan.hpp"
#include "base/error.hpp"
#include "plan/check/gpu_problem_data.hpp"
#include "plan/check/problem_data.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"
#include "support/first_gpu.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace swirl::planning {
namespace plan_test {

bool has_halves(const Transform& problem) { return bytes_of(problem.precision) < 4; }

/// What the CPU is to compute: float32 for 16 bits.
Transform on_cpu(Transform problem) {
    if (has_halves(problem)) problem.precision = DataType::float32;
    return problem;
}

template <class F> void for_each_place(const Transform& problem, Side side, F&& f) {
    const Extent reach = extent(problem, side);
    for (Integer offset = reach.lowest; offset <= reach.highest; ++offset) f(offset);
}

/// A problem's input, its result on the CPU, and GPU memory for both.
class Comparison {
public:
    Comparison(const Transform& problem, const runtime::GpuDevice& device, std::uint32_t seed = 3)
        : problem_(problem), expected_(on_cpu(problem)), data_(problem), there_(device, data_) {
        data_.fill(seed);
        expected_.fill(seed);
        if (has_halves(problem))
            for (const Side side : {Side::output, Side::input})
                for_each_place(problem, side,
                               [&](Integer at) { expected_.set(side, at, data_.get(side, at)); });
        search::make_plan<planning::Plan>(on_cpu(problem), {.check = false, .use_wisdom = false})
            ->execute(expected_.arguments());
        restore();
    }

    void restore() { there_.copy_from(data_); }
    Arguments arguments() const { return there_.arguments(); }

    /// Relative, in the Euclidean norm, over all that the output's memory holds: nothing else may have been written.
    double error() {
        ProblemData found(problem_);
        there_.copy_to(found);
        if (has_halves(problem_)) return error_of_halves(found);
        const auto& whole = found.buffers();
        double difference = 0, norm = 0;
        const std::size_t from = problem_.placement == Placement::in_place ? 0 : whole.size() / 2;
        for (std::size_t k = from; k < whole.size(); ++k)
            if (problem_.precision == DataType::float32)
                add<float>(whole[k], expected_.buffers()[k], difference, norm);
            else
                add<double>(whole[k], expected_.buffers()[k], difference, norm);
        return std::sqrt(difference / norm);
    }

private:
    /// Over the output's elements and what lies between them.
    double error_of_halves(const ProblemData& found) const {
        double difference = 0, norm = 0;
        for_each_place(problem_, Side::output, [&](Integer at) {
            const std::complex<double> expected = expected_.get(Side::output, at);
            difference += std::norm(found.get(Side::output, at) - expected);
            norm += std::norm(expected);
        });
        return std::sqrt(difference / norm);
    }

    template <class T>
    static void add(const GuardedBuffer& a, const GuardedBuffer& b, double& difference, double& norm) {
        const auto found = a.span_of<T>(), expected = b.span_of<T>();
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double distance = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
            difference += distance * distance;
            norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
        }
    }

    Transform problem_;
    ProblemData expected_;
    ProblemData data_;
    GpuProblemData there_;
};

double tolerance_of(const Transform& problem) {
    const auto dimensions = static_cast<double>(problem.dimensions.size()); // each rounds once
    switch (problem.precision) {
    case DataType::float32: return 6e-7;
    case DataType::float16: return dimensions * 0x1p-11;
    case DataType::bfloat16: return dimensions * 0x1p-8;
    default: return 2e-15;
    }
}

class PlansOnGpu : public support::FirstGpu {
protected:
    std::shared_ptr<const GpuPlan> plan_of(const Transform& problem, bool check = true) {
        return GpuPlan::build(problem, search::gpu_schedule(problem, device->target()), *device,
                              {.check = check});
    }

    void compare(const std::string& text) {
        SCOPED_TRACE(text);
        const Transform problem = swirl::problem(text);
        try {
            const auto plan = plan_of(problem);
            Comparison comparison(problem, *device);
            plan->execute(comparison.arguments(), stream->handle());
            stream->synchronize();
            EXPECT_LT(comparison.error(), tolerance_of(problem)) << to_string(plan->schedule());
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
};

bool has_large_prime(int n) {
    for (int prime = 37; prime <= n; prime += 2)
        if (n % prime == 0) {
            bool is_prime = true;
            for (int k = 3; k * k <= prime; k += 2) is_prime = is_prime && prime % k != 0;
            if (is_prime) return true;
        }
    return false;
}

TEST_F(PlansOnGpu, ComputeEverySizeTo64InBothPrecisionsAndPlacements) {
    for (int n = 2; n <= 64; ++n)
        if (!has_large_prime(n))
            for (const char* options : {"float32 batch=5", "batch=33 backward", "float32 inplace batch=130",
                                        "inplace", "planar batch=3", "float32 planar inplace backward"})
                compare(fmt::format("dft {} {}", n, options));
}

TEST_F(PlansOnGpu, ComputeLargerSizes) {
    for (int n = 128; n <= 4096; n *= 2)
        for (const char* options : {"float32 batch=300", "batch=7", "float32 inplace batch=2"})
            compare(fmt::format("dft {} {}", n, options));
    for (const int n : {100, 105, 210, 243, 360, 625, 961, 1000, 1001, 1155, 1331, 2310, 3125})
        for (const char* options : {"float32 batch=9", "batch=4 backward inplace"})
            compare(fmt::format("dft {} {}", n, options));
    compare("dft 1024 float32 batch=20000");
    compare("dft 8 float32 batch=1000000");
}

TEST_F(PlansOnGpu, ComputeTransformsOfReals) {
    for (int n = 2; n <= 64; ++n)
        if (!has_large_prime(n))
            for (const char* options :
                 {"float32 batch=7", "backward batch=130", "inplace", "float32 inplace backward"})
                compare(fmt::format("rdft {} {}", n, options));
    for (const char* text : {"rdft 1024 float32 batch=100",
                             "rdft 4096 backward",
                             "rdft 1000 planar",
                             "rdft 16x20",
                             "rdft 12x30 backward",
                             "rdft 64x64 backward float32 batch=3",
                             "rdft 4x5x6 inplace",
                             "wht 16",
                             "wht 4096 float32",
                             "wht 64x16 inplace",
                             "dct2 60 batch=3",
                             "dct2 8x8 batch=100 float32",
                             "dct3 16",
                             "dct4 128",
                             "dst2 36",
                             "dst3 8",
                             "dst4 64 float32",
                             "dct5 60 batch=3",
                             "dct6 41 float32",
                             "dct7 9x14",
                             "dct8 100 inplace",
                             "dst5 64",
                             "dst6 500 float32 batch=9",
                             "dst7 33",
                             "dst8 128",
                             "wht_dyadic 4096 float32",
                             "wht_sequency 1024 batch=50",
                             "wht_sequency 64x16 inplace"})
        compare(text);
}

TEST_F(PlansOnGpu, ComputeIn16BitTypes) {
    for (const char* precision : {"float16", "bfloat16"}) {
        for (int n = 2; n <= 64; ++n)
            if (!has_large_prime(n))
                for (const char* options : {"batch=5", "inplace batch=130", "planar batch=3 backward"})
                    compare(fmt::format("dft {} {} {}", n, precision, options));
        for (const char* text :
             {"dft 1024 batch=3000", "dft 4096 batch=20", "dft 1000 inplace batch=9", "dft 65536 batch=3",
              "dft 2^20", "dft 64x64 scale=1/64", "dft 20x30x40", "dft 64 in=3 out=2 batch=5:200",
              "rdft 64 batch=7", "rdft 1000 backward", "rdft 16x20 inplace", "wht 4096", "wht_sequency 512",
              "dct2 60 batch=3", "dct5 60 batch=3"})
            compare(fmt::format("{} {}", text, precision));
    }
}

TEST_F(PlansOnGpu, SweepTwiceOverTransformsBeyondSharedMemory) {
    for (const char* text : {"dft 16384 float32 batch=5",
                             "dft 65536 float32 inplace batch=3",
                             "dft 2^20 float32",
                             "dft 16384 batch=3 planar",
                             "dft 100000 backward",
                             "dft 2^20 inplace",
                             "dft 30000 float32 in=2 batch=2:70000",
                             "dft 4x32768 float32",
                             "rdft 59049 float32",
                             "rdft 100003 float32 backward",
                             "dct2 131072 float32 batch=2",
                             "dct3 100000 float32",
                             "dst4 131072",
                             "dst2 59049 float32",
                             "wht 2^17 float32 batch=3",
                             "wht 2^20",
                             "wht_dyadic 2^17 float32 batch=3",
                             "wht_sequency 2^20",
                             "dct5 20000",
                             "dst7 32768 float32"})
        compare(text);
}

TEST_F(PlansOnGpu, ComputeStridesAndSeveralDimensions) {
    for (const char* text :
         {"dft 64 float32 in=3 out=2 batch=5:200", "dft 64 batch=100:(1,64) in=100 out=1",
          "dft 100 strides=-1 batch=4:-100", "dft 64 batch=3:400x4:80 inplace",
          "dft 256 float32 batch=33 scale=0.5", "dft 16x8 batch=3", "dft 64x64 inplace float32",
          "dft 128x100", "dft 20x30x40 float32", "dft 1x7", "dft 1 batch=5 scale=3"})
        compare(text);
}

TEST_F(PlansOnGpu, GiveTheSameBitsFromManyThreadsAndStreams) {
    const Transform problem = swirl::problem("dft 480 float32 batch=50");
    const auto plan = plan_of(problem);
    std::vector<double> errors(8, 1);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < errors.size(); ++k)
        threads.emplace_back([&, k] {
            const runtime::GpuStream own(*device);
            Comparison comparison(problem, *device, static_cast<std::uint32_t>(k));
            for (int i = 0; i < 20; ++i) plan->execute(comparison.arguments(), own.handle());
            own.synchronize();
            errors[k] = comparison.error();
        });
    for (std::thread& thread : threads) thread.join();
    for (const double error : errors) EXPECT_LT(error, tolerance_of(problem));
}

TEST_F(PlansOnGpu, StayUsableAfterBadArguments) {
    const Transform problem = swirl::problem("dft 64 float32 batch=4");
    const auto plan = plan_of(problem);
    Comparison comparison(problem, *device);
    const Arguments good = comparison.arguments();
    std::vector<float> host(2 * 64 * 4);
    const auto refuse = [&](const Arguments& bad) {
        EXPECT_THROW(plan->execute(bad, stream->handle()), UserError);
    };
    refuse({.input = nullptr, .output = good.output});
    refuse({.input = host.data(), .output = good.output});
    refuse({.input = good.input, .output = host.data()});
    refuse({.input = good.input, .output = static_cast<std::byte*>(good.output) + 4});
    refuse({.input = good.input, .output = const_cast<void*>(good.input)});
    refuse({.input = reinterpret_cast<void*>(0x1000), .output = good.output});
    refuse(
        {.input = static_cast<const std::byte*>(good.input) + (std::size_t{1} << 40), .output = good.output});
    plan->execute(good, stream->handle());
    stream->synchronize();
    EXPECT_LT(comparison.error(), tolerance_of(problem));
}

TEST_F(PlansOnGpu, RefuseOversizedSchedulesAndStayUsable) {
    const Transform problem = swirl::problem("dft 4096 batch=8");
    EXPECT_THROW(
        GpuPlan::build(problem, transform_schedule("sm_80: 0 stockham(16,16,16) on 1024x4"), *device),
        UserError);
    compare("dft 4096 batch=8");
}

/// What records a stream's work as a graph, from the driver itself.
struct GraphFunctions {
    using Handle = void*;
    int (*begin)(runtime::cuda::Stream, int) = nullptr;
    int (*end)(runtime::cuda::Stream, Handle*) = nullptr;
    int (*instantiate)(Handle*, Handle, unsigned long long) = nullptr;
    int (*launch)(Handle, runtime::cuda::Stream) = nullptr;

    GraphFunctions() {
        const char* const named = std::getenv("SWIRL_CUDA_DRIVER");
        void* const library = dlopen(named == nullptr ? "libcuda.so.1" : named, RTLD_NOW);
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            EXPECT_NE(function, nullptr) << name;
        };
        find(begin, "cuStreamBeginCapture_v2");
        find(end, "cuStreamEndCapture");
        find(instantiate, "cuGraphInstantiateWithFlags");
        find(launch, "cuGraphLaunch");
    }
};

TEST_F(PlansOnGpu, AreCheckedOnASampleOfALargeBatch) {
    for (const char* text :
         {"dft 1024 float32 batch=20001", "dft 8 float32 batch=1000003", "dft 256 batch=9001 inplace",
          "dft 512 planar float32 batch=5003", "rdft 1000 batch=3001",
          "rdft 1024 float32 batch=7001 backward", "dft 64x64 float32 batch=1003",
          "dft 65536 float32 batch=101", "dct2 512 float32 batch=5001", "dft 1024 float16 batch=20003",
          "dft 100 in=2 batch=20001:(256,100)", "dft 512 batch=2x3001"}) {
        SCOPED_TRACE(text);
        const Transform problem = swirl::problem(text);
        const auto plan = GpuPlan::build(problem, search::gpu_schedule(problem, device->target()), *device,
                                         {.use_cache = false});
        EXPECT_EQ(plan->checked().find("yes, "), 0U) << plan->checked();
        EXPECT_NE(plan->checked().find(fmt::format(" of {} transforms", batch_count(problem))),
                  std::string::npos)
            << plan->checked();
    }
}

TEST_F(PlansOnGpu, AreCheckedWhereTheyAreLarge) {
    for (const char* text : {"dft 1024 float32 batch=300007", "dft 2^26 float32"}) {
        SCOPED_TRACE(text);
        const Transform problem = swirl::problem(text);
        const auto plan = GpuPlan::build(problem, search::gpu_schedule(problem, device->target()), *device,
                                         {.use_cache = false});
        EXPECT_EQ(plan->checked().find("yes"), 0U) << plan->checked();
    }
}

TEST_F(PlansOnGpu, AreRecordedIntoGraphs) {
    const GraphFunctions graphs;
    // Some with workspace, which is taken and given back inside the graph.
    for (const char* text : {"dft 512 batch=20 float32", "dft 64x32 float32", "dft 12 inplace batch=9",
                             "dft 65536 float32 batch=2", "rdft 12x30 backward"}) {
        SCOPED_TRACE(text);
        const Transform problem = swirl::problem(text);
        const auto plan = plan_of(problem);
        Comparison comparison(problem, *device);
        ASSERT_EQ(graphs.begin(stream->handle(), 0), 0); // in the mode in which nothing may wait
        plan->execute(comparison.arguments(), stream->handle());
        GraphFunctions::Handle graph = nullptr, ready = nullptr;
        ASSERT_EQ(graphs.end(stream->handle(), &graph), 0);
        const runtime::CurrentGpu current(*device);
        ASSERT_EQ(graphs.instantiate(&ready, graph, 0), 0);
        for (int i = 0; i < 3; ++i) {
            comparison.restore();
            ASSERT_EQ(graphs.launch(ready, stream->handle()), 0);
            stream->synchronize();
            EXPECT_LT(comparison.error(), tolerance_of(problem));
        }
    }
}

} // namespace plan_test
} // namespace swirl::planning
