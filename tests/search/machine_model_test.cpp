#include "search/cost/cpu/machine_model.hpp"

#include "ir/kernel_info.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/timer/cpu/timing.hpp"
#include "search/wisdom/wisdom.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace swirl::search {
namespace machine_model_test {

/// What a probe of the fitted machine says, its speeds times `speed`, those behind its own caches times `far` besides.
HostProbe probe_of(double speed = 1, double far = 1) {
    HostProbe probe;
    probe.host = this_host();
    probe.host.vector_bytes = 64;
    probe.host.cores = probe.host.hardware_threads = 1;
    probe.host.caches = {{1, 48 << 10, 64, 12, 1}, {2, 1 << 20, 64, 16, 1}, {3, 32 << 20, 64, 16, 2}};
    probe.measured_with = "avx512 machine code";
    probe.flops_float64 = speed * 112e9;
    probe.flops_float32 = speed * 224e9;
    probe.latency_float64 = probe.latency_float32 = 1e-9 / speed;
    probe.bandwidth = {{"L1", 24 << 10, 1e9, 1e9, speed * 390e9},
                       {"L2", 512 << 10, 1e9, 1e9, speed * 182e9},
                       {"L3", 8 << 20, 1e9, 1e9, speed * far * 84e9},
                       {"memory", 128 << 20, 1e9, 1e9, speed * far * 28e9}};
    return probe;
}

TEST(MachineModel, ReproducesTheFittedMachine) {
    for (const double speed : {0.5, 1.0, 1.2}) { // a clock rate by itself changes no cycles
        const MachineModel model = machine_model(probe_of(speed));
        EXPECT_NEAR(model.hertz, speed * 3.5e9, 1e6);
        EXPECT_EQ(model.nearest_cache_bytes, fitted_machine_model().nearest_cache_bytes);
        EXPECT_EQ(model.colliding_distance(), 4096);
        EXPECT_EQ(model.colliding_lines(), 8);
        EXPECT_EQ(model.own_cache_bytes, 1 << 20);
        EXPECT_EQ(model.near_line, 1);
        EXPECT_EQ(model.far_line, 1);
        EXPECT_EQ(model.bytes_per_cycle(8 << 20), fitted_machine_model().bytes_per_cycle(8 << 20));
        EXPECT_NEAR(model.bytes_per_cycle(1e9), 8, 0.1);
    }
}

TEST(MachineModel, TakesWhatTheProbeMeasuredOtherwise) {
    const MachineModel slow = machine_model(probe_of(1, 0.5));
    EXPECT_NEAR(slow.far_line, 2, 0.05);
    EXPECT_NEAR(slow.bytes_per_cycle(8 << 20), 12, 0.1);
    EXPECT_EQ(slow.near_line, 1);
    HostProbe large = probe_of();
    large.host.caches[0] = {1, 32 << 10, 64, 8, 1};
    large.host.caches[1].bytes = 2 << 20;
    large.bandwidth[1].copy /= 3;
    EXPECT_EQ(machine_model(large).nearest_cache_bytes, 32 << 10);
    EXPECT_EQ(machine_model(large).colliding_distance(), 4096);
    EXPECT_EQ(machine_model(large).own_cache_bytes, 2 << 20);
    EXPECT_NEAR(machine_model(large).near_line, 3, 0.1);
}

TEST(MachineModel, IsTheDefaultWhereAProbeSaysNothing) {
    HostProbe portable = probe_of();
    portable.measured_with = "portable C++";
    EXPECT_EQ(machine_model(portable), fitted_machine_model());
    HostProbe disturbed = probe_of();
    disturbed.flops_float64 = 1;
    EXPECT_EQ(machine_model(disturbed), fitted_machine_model());
    HostProbe without_caches = probe_of();
    without_caches.host.caches.clear();
    EXPECT_EQ(machine_model(without_caches), fitted_machine_model());
}

/// Half-width units, as AVX-512 of Zen 4 has: half the multiply-adds per cycle, at the same latency and clock.
HostProbe half_width_probe() {
    HostProbe probe = probe_of();
    probe.flops_float64 /= 2;
    probe.flops_float32 /= 2;
    return probe;
}

TEST(MachineModel, TellsHalfWidthUnitsFromHalfTheClock) {
    const MachineModel full = machine_model(probe_of()), half = machine_model(half_width_probe());
    EXPECT_EQ(full.vector_operation, 1);
    EXPECT_EQ(half.vector_operation, 2);
    EXPECT_NEAR(half.hertz, 3.5e9, 1e6);
    EXPECT_EQ(half.near_line, 1) << "L2 is as far away in cycles";
    EXPECT_EQ(machine_model(probe_of(0.5)).vector_operation, 1) << "all is slow, latencies too";
    HostProbe five_cycles = probe_of(); // Haswell's and Zen 2's multiply-adds
    five_cycles.latency_float64 *= 5.0 / 4;
    EXPECT_EQ(machine_model(five_cycles).vector_operation, 1);
    five_cycles.flops_float64 /= 2;
    EXPECT_EQ(machine_model(five_cycles).vector_operation, 2);
    HostProbe without_latency = probe_of();
    without_latency.latency_float64 = 0;
    EXPECT_EQ(machine_model(without_latency).vector_operation, 1);
}

TEST(MachineModel, HalfWidthUnitsSlowComputeBoundKernels) {
    const target::Cpu& cpu = target::cpu_named("avx512");
    for (const char* text : {"dft 16", "dft 1024", "rdft 1024", "dft 16 load=\"2*x\""}) {
        const double full = estimate(problem(text), cpu, machine_model(probe_of())).estimated_seconds;
        const double half = estimate(problem(text), cpu, machine_model(half_width_probe())).estimated_seconds;
        EXPECT_GT(half, 1.3 * full) << text;
        EXPECT_LE(half, 2 * full) << text;
    }
}

TEST(MachineModel, EstimatesNoTransformBelowItsFloors) {
    const target::Cpu& cpu = target::cpu_named("avx512");
    for (const HostProbe& probe : {probe_of(), probe_of(0.5), probe_of(1.2), half_width_probe()})
        for (const char* text : {"dft 64", "dft 256", "dft 1024", "dft 4096", "dft 1024 float32"}) {
            const Transform transform = problem(text);
            const Choice choice = estimate(transform, cpu, machine_model(probe));
            double flops = 0;
            for (const planning::DimensionPass& pass : planning::dimension_passes(transform)) {
                const auto& tree = choice.schedule.transform().passes.front().tree;
                const ir::Program program = planning::derive(transform, pass, tree, cpu).program;
                flops += static_cast<double>(ir::describe(program).flops);
            }
            EXPECT_GE(choice.estimated_seconds, floors(transform, flops, probe).larger())
                << text << " at " << probe.flops_float64;
        }
}

double cycles(const char* text, const MachineModel& machine) {
    const auto passes = planning::dimension_passes(problem(text));
    return candidates(passes[0], target::cpu_named("avx512"), DataType::float64, machine).front().cycles;
}

TEST(MachineModel, IsWhatTheEstimateCountsWith) {
    const MachineModel& fitted = fitted_machine_model();
    MachineModel slow = fitted;
    slow.beyond = {{std::numeric_limits<double>::infinity(), 6}};
    EXPECT_EQ(cycles("dft 4096", slow), cycles("dft 4096", fitted)) << "within the caches";
    EXPECT_GT(cycles("dft 1048576", slow), 1.5 * cycles("dft 1048576", fitted));
    MachineModel outer = fitted;
    outer.near_line = 4;
    EXPECT_EQ(cycles("dft 256", outer), cycles("dft 256", fitted));
    EXPECT_GT(cycles("dft 16384", outer), 1.2 * cycles("dft 16384", fitted));
    MachineModel small = fitted;
    small.nearest_cache_bytes = 4 << 10;
    EXPECT_GT(cycles("dft 512", small), cycles("dft 512", fitted));
    MachineModel roomy = fitted;
    roomy.own_cache_bytes = 1 << 26;
    EXPECT_LT(cycles("dft 1048576", roomy), cycles("dft 1048576", fitted));
}

TEST(MachineModel, OfAMachineAlmostWithoutCachesHasEstimatesToo) {
    MachineModel tiny = fitted_machine_model();
    tiny.nearest_cache_bytes = tiny.own_cache_bytes = 16;
    for (const char* text : {"dft 2", "dft 3", "dft 6", "dst3 12", "dct4 3", "rdft 17", "dft 4096"})
        EXPECT_GT(cycles(text, tiny), 0) << text;
}

TEST(MachineModel, ComesFromWisdomWhereThisMachineWasProbed) {
    const target::Cpu& cpu = target::cpu_named(this_host().instruction_set);
    if (cpu.vector_bytes == 0) GTEST_SKIP() << "no vectors to probe with";
    const TemporaryFolder with, without;
    const auto file = [](const TemporaryFolder& folder) {
        return (folder.path() / "wisdom.sqlite").string();
    };
    setenv("SWIRL_WISDOM", file(without).c_str(), 1);
    EXPECT_EQ(known_machine_model(cpu), fitted_machine_model());
    EXPECT_FALSE(std::filesystem::exists(file(without))) << "nothing was learned";
    setenv("SWIRL_WISDOM", file(with).c_str(), 1);
    Wisdom(file(with)).store_fact(host_key(this_host()), "probe", to_json(probe_of(1, 0.5)));
    EXPECT_EQ(known_machine_model(cpu), machine_model(probe_of(1, 0.5)));
    for (const target::Cpu* other : target::cpus()) {
        if (other->name == cpu.name) continue;
        EXPECT_EQ(known_machine_model(*other), fitted_machine_model()) << other->name;
    }
    Wisdom(file(with)).erase_all();
    EXPECT_EQ(known_machine_model(cpu), machine_model(probe_of(1, 0.5))) << "asked once a process";
    unsetenv("SWIRL_WISDOM");
}

} // namespace machine_model_test
} // namespace swirl::search
