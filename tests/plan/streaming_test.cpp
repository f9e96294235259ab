#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "runtime/cpu/aligned_buffer.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace swirl::planning {
namespace streaming_test {

using Complex = std::complex<double>;

/// Eight MiB a vector: more than the CPUs in the table keep of results in caches.
constexpr Integer size = 524288;
/// 64 MiB a vector: more than they keep of what a plan reads again.
constexpr Integer large_size = 8 * size;

std::vector<const target::Cpu*> runnable_cpus() {
    std::vector<const target::Cpu*> result;
    for (const target::Cpu* cpu : target::cpus())
        if (cpu->set != target::InstructionSet::portable && target::host_can_run(*cpu)) result.push_back(cpu);
    return result;
}

std::shared_ptr<const Plan> plan_of(std::string_view passes, const target::Cpu& cpu, Integer points = size) {
    return Plan::build(Transform::dft({points}),
                       transform_schedule(std::string(cpu.name) + ": 0 " + std::string(passes)),
                       {.check = points == size});
}

std::vector<Complex> random_vector() {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Complex> x(static_cast<std::size_t>(size));
    for (Complex& value : x) value = {uniform(generator), uniform(generator)};
    return x;
}

/// The transform of x, written `offset` bytes behind a cache line's start.
std::vector<Complex> transformed(const Plan& plan, const std::vector<Complex>& x, std::size_t offset) {
    const std::size_t bytes = x.size() * sizeof(Complex);
    runtime::AlignedBuffer memory(bytes + 64);
    std::byte* output = memory.as<std::byte>() + offset;
    plan.execute({.input = x.data(), .output = output});
    std::vector<Complex> y(x.size());
    std::memcpy(y.data(), output, bytes);
    return y;
}

TEST(StreamedVectors, AreStreamedInWholeCacheLinesOnly) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        const auto few_lines = plan_of("stockham(4,32,32,32,8,4)", *cpu,
                                       large_size); // first and last butterflies fill four at once
        EXPECT_NE(few_lines->listing(0).find("movnt"), std::string::npos) << cpu->name;
        EXPECT_NE(few_lines->listing(0).find("sfence"), std::string::npos) << cpu->name;
        // Sixteen lines at once are more than the buffers of a core: only a vector that fills a line passes the caches.
        const auto many_lines =
            plan_of("two-sweep(1024,16,8)[stockham(64,64), stockham(64,16)]", *cpu, large_size);
        EXPECT_EQ(many_lines->listing(0).find("movnt") != std::string::npos, cpu->vector_bytes == 64)
            << cpu->name;
    }
}

TEST(StreamedVectors, AreNotReadAgainByThePlanUnlessTheyExceedSeveralCoresShares) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        // The listing is of the code for results that start between cache lines: only temporaries could be streamed.
        const auto plan = plan_of("stockham(4,32,32,32,4)", *cpu);
        const bool exceeds_shares = size * static_cast<Integer>(sizeof(Complex)) > 8 * cpu->streaming_bytes;
        EXPECT_EQ(plan->listing(0).find("movnt") != std::string::npos, exceeds_shares) << cpu->name;
    }
}

TEST(StreamedVectors, AreLargerThanWhatACoreKeepsInCaches) {
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()}) {
        EXPECT_GE(cpu->streaming_bytes, cpu->cache_bytes) << cpu->name;
        const Integer kept = cpu->streaming_bytes / static_cast<Integer>(sizeof(Complex));
        const auto is_streamed = [&](Integer points) {
            std::string tree;
            for (Integer rest = points; rest > 1; rest /= rest % 16 == 0 ? 16 : rest)
                tree += (tree.empty() ? "" : ",") + std::to_string(rest % 16 == 0 ? 16 : rest);
            const Transform problem = Transform::dft({points});
            const ir::Program program = derive(problem, dimension_passes(problem)[0],
                                               rules::parse_tree("stockham(" + tree + ")"), *cpu)
                                            .program;
            return std::any_of(program.buffers.begin(), program.buffers.end(),
                               [](const ir::BufferInfo& buffer) { return buffer.non_temporal; });
        };
        EXPECT_FALSE(is_streamed(kept)) << cpu->name;
        EXPECT_TRUE(is_streamed(2 * kept)) << cpu->name;
    }
}

TEST(StreamedVectors, HaveTheSameBitsWhereverTheOutputLies) {
    const std::vector<Complex> x = random_vector();
    for (const target::Cpu* cpu : runnable_cpus())
        for (const char* passes : {"two-sweep(512,16,8)[stockham(32,32), stockham(32,16)]",
                                   "stockham(32,32,32,16)", "stockham(4,32,32,32,4)"}) {
            const auto plan = plan_of(passes, *cpu);
            const std::vector<Complex> aligned = transformed(*plan, x, 0);
            for (const std::size_t offset : {8, 16, 32, 48})
                EXPECT_EQ(transformed(*plan, x, offset), aligned) << passes << cpu->name << offset;
        }
}

TEST(StreamedVectors, OfTwoSweepsAndOfManyPassesAgree) {
    const std::vector<Complex> x = random_vector();
    const target::Cpu& cpu = target::host_cpu();
    if (cpu.set == target::InstructionSet::portable) GTEST_SKIP() << "no machine code here";
    const auto a = transformed(*plan_of("two-sweep(512,16,8)[stockham(32,32), stockham(32,16)]", cpu), x, 0);
    const auto b = transformed(*plan_of("stockham(32,32,32,16)", cpu), x, 0);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::norm(a[i] - b[i]);
        norm += std::norm(a[i]);
    }
    EXPECT_LT(std::sqrt(difference / norm), 1e-15);
}

} // namespace streaming_test
} // namespace swirl::planning
