#include "target/cpu.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace swirl::target {
namespace cpu_test {

TEST(Cpu, EveryEntryIsFoundByItsName) {
    for (const Cpu* cpu : cpus()) EXPECT_EQ(&cpu_named(cpu->name), cpu);
    EXPECT_THROW(cpu_named("z80"), UserError);
}

TEST(Cpu, LanesFillTheVector) {
    EXPECT_EQ(lanes(avx512_cpu(), DataType::float64), 8);
    EXPECT_EQ(lanes(avx2_cpu(), DataType::float32), 8);
    EXPECT_EQ(lanes(sse2_cpu(), DataType::float64), 2);
    EXPECT_EQ(lanes(neon_cpu(), DataType::float32), 4);
}

TEST(HostCpu, RunsEveryEntryUpToTheBest) {
    bool above = false;
    for (const Cpu* cpu : cpus()) {
        EXPECT_EQ(host_can_run(*cpu), !above) << cpu->name;
        if (cpu == &host_cpu()) above = true;
    }
}

TEST(HostCpu, IsNeverOneThatIsOnlyEmittedFor) {
    EXPECT_TRUE(neon_cpu().emitted_only);
    EXPECT_FALSE(host_can_run(neon_cpu()));
    EXPECT_FALSE(host_cpu().emitted_only);
}

TEST(HostCpu, MayBeLoweredByTheEnvironment) {
    const char* before = std::getenv("SWIRL_CPU");
    const std::string kept = before == nullptr ? "" : before;
    setenv("SWIRL_CPU", "portable", 1);
    EXPECT_EQ(&host_cpu(), &portable_cpu());
    setenv("SWIRL_CPU", "nonsense", 1);
    EXPECT_THROW(host_cpu(), UserError);
    if (before == nullptr)
        unsetenv("SWIRL_CPU");
    else
        setenv("SWIRL_CPU", kept.c_str(), 1);
}

} // namespace cpu_test
} // namespace swirl::target
