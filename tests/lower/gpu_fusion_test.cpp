#include "ir/verify.hpp"
#include "support/interpreted_kernels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::lower {
namespace gpu_fusion_test {

using namespace formula;

using support::request_for;
using Vector = std::vector<Complex>;

KernelRequest dft(Integer batch, Integer n, const std::string& tree, DataType scalar = DataType::float32) {
    return request_for(batch, n, tree, scalar);
}

struct Outcome {
    double error;
    std::size_t kernels;
    Integer barriers;       ///< of all blocks of all kernels
    Integer shared_loads;   ///< requests of warps
    double transferred;     ///< sectors of the arguments, of those that there are
    Integer table_elements; ///< of factors
};

Outcome run(const KernelRequest& request, const LaunchConfiguration& configuration,
            const support::InputValues& given = support::random_values()) {
    const std::vector<ir::Program> programs = lower_to_gpu(request, {configuration});
    if (programs.size() == 1) ir::verify(programs.front(), ir::VerificationLevel::lowered);
    const support::InterpretedKernels result = support::interpreted(request, programs, given);
    Outcome outcome{result.error, programs.size(), 0, 0, result.transferred, 0};
    for (std::size_t k = 0; k < programs.size(); ++k) {
        const ir::InterpreterReport& report = result.reports[k];
        outcome.barriers += report.barriers;
        for (std::size_t b = 0; b < programs[k].buffers.size(); ++b) {
            const ir::BufferInfo& buffer = programs[k].buffers[b];
            if (buffer.space == ir::Space::shared) outcome.shared_loads += report.loads[b].accesses;
            if (buffer.space == ir::Space::table && buffer.element != DataType::int64)
                outcome.table_elements += buffer.elements;
        }
    }
    return outcome;
}

TEST(FusedCallsOnGpus, PadSharedMemoryAndKeepEntriesInRegisters) {
    const LaunchConfiguration configuration{.threads = 36};
    for (const Integer n :
         {97, 100, 107, 108}) { // some rows of 36 are whole, one is cut, the others are zero
        SCOPED_TRACE(n);
        KernelRequest request = dft(3, n, "bluestein(216)[stockham(6,6,6), stockham(6,6,6)]");
        const Outcome outcome = run(request, configuration);
        EXPECT_LT(outcome.error, 2e-6);
        EXPECT_EQ(outcome.kernels, 1U);
        EXPECT_EQ(outcome.barriers,
                  3 * 4); // five calls: the middle one forward and the first one backward are one
        EXPECT_LT(outcome.transferred, 1.25); // of rows that begin anywhere
        request.loops.in_place = true;
        EXPECT_LT(run(request, configuration).error, 2e-6);
        EXPECT_LT(run(request, {.threads = 72, .transforms = 2, .single_buffer = true}).error, 2e-6);
    }
    EXPECT_LT(
        run(dft(2, 107, "bluestein(216)[stockham(6,6,6), stockham(6,6,6)]", DataType::float64), configuration)
            .error,
        1e-14);
}

TEST(FusedCallsOnGpus, HaveTheEdgeOfRadersConvolutionInTheirCodelets) {
    const char* tree = "rader[stockham(14,9), stockham(9,14)]";
    const LaunchConfiguration configuration{.threads = 14};
    EXPECT_LT(run(dft(4, 127, tree), configuration).error, 1e-6);
    EXPECT_LT(run(dft(4, 127, tree, DataType::float64), configuration).error, 1e-15);
    EXPECT_EQ(run(dft(4, 127, tree), configuration).barriers, 4 * 2); // three calls
    // The first entry has calls of its own: alone, and with small ones.
    for (const double rest : {0.0, 1e-3})
        EXPECT_LT(run(dft(2, 127, tree), configuration,
                      [&](std::size_t i) {
                          return i % 127 == 0 ? Complex(1, -2)
                                              : Complex(rest * static_cast<double>(i % 3), rest);
                      })
                      .error,
                  1e-6);
    KernelRequest in_place = dft(2, 127, tree);
    in_place.loops.in_place = true;
    EXPECT_LT(run(in_place, configuration).error, 1e-6);
    EXPECT_LT(
        run(dft(4, 127, tree), {.threads = 28, .transforms = 2, .staged = SmemStaging::both}).transferred,
        1.15);
}

TEST(FusedCallsOnGpus, SpareOneOfTheKernelsOfSweptConvolutions) {
    const char* sweeps = "two-sweep(16,1,1)[stockham(4,4)]";
    const KernelRequest request = dft(2, 257, fmt::format("rader[{}, {}]", sweeps, sweeps));
    const Outcome kernels = run(request, {.threads = 32, .transforms = 8, .smem_vector_pad = 1});
    EXPECT_EQ(kernels.kernels, 3U);
    EXPECT_LT(kernels.error, 1e-6);
    for (const Integer blocks : {2, 4}) {
        const Outcome cluster =
            run(request, {.threads = 32, .smem_vector_pad = 1, .single_buffer = true, .cluster = blocks});
        EXPECT_EQ(cluster.kernels, 1U);
        EXPECT_LT(cluster.error, 1e-6);
    }
    Vector kernel(240);
    for (std::size_t k = 0; k < kernel.size(); ++k)
        kernel[k] = Complex(1.0 / static_cast<double>(1 + k), 0.5);
    const Formula convolution = rules::expand(
        circulant(kernel), rules::parse_tree("circulant-dft[two-sweep(20,1,1)[stockham(4,3), stockham(4,5)], "
                                             "two-sweep(12,1,1)[stockham(5,4), stockham(4,3)]]"));
    const Outcome whole =
        run(request_for(2, convolution), {.threads = 32, .transforms = 4, .smem_vector_pad = 1});
    EXPECT_EQ(whole.kernels, 3U);
    EXPECT_LT(whole.error, 1e-6);
}

TEST(FusedCallsOnGpus, GoThereAndBackInOneCodelet) {
    Vector kernel(64);
    for (std::size_t k = 0; k < kernel.size(); ++k)
        kernel[k] = Complex(1.0 / static_cast<double>(1 + k), 0.5);
    const auto convolution = [&](const char* tree) {
        return request_for(3, rules::expand(circulant(kernel), rules::parse_tree(tree)));
    };
    const LaunchConfiguration configuration{.threads = 8};
    const Outcome apart = run(convolution("circulant-dft[stockham(4,16), stockham(8,8)]"), configuration);
    const Outcome fused = run(convolution("circulant-dft[stockham(8,8), stockham(8,8)]"), configuration);
    EXPECT_LT(apart.error, 1e-6);
    EXPECT_LT(fused.error, 1e-6);
    EXPECT_EQ(apart.barriers, 3 * 3);
    EXPECT_EQ(fused.barriers, 3 * 2);
    EXPECT_LT(3 * fused.shared_loads, 2 * apart.shared_loads + 3);
}

TEST(FactorsOnGpus, AreProductsWhereOneTableWouldBeLarge) {
    const LaunchConfiguration configuration{.threads = 640, .smem_pad_interval = 32, .single_buffer = true};
    const Outcome outcome = run(dft(1, 20480, "stockham(20,32,32)"), configuration);
    EXPECT_LT(outcome.error, 1e-6);
    EXPECT_LT(outcome.table_elements, 2 * 20480 / 2); // of two reals
    EXPECT_LT(run(dft(1, 20480, "stockham(20,32,32)", DataType::float64), configuration).error, 2e-15);
}

} // namespace gpu_fusion_test
} // namespace swirl::lower
