#include "search/cost/probe/probe.hpp"

#include "base/error.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "search/wisdom/wisdom.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace swirl::search {
namespace probe_test {

const ProbeOptions quick{.budget = 0.05, .memory_working_set = Integer{4} << 20, .max_pages = 64};

TEST(HostMachine, DescribesItself) {
    const Host& host = this_host();
    EXPECT_FALSE(host.model.empty());
    EXPECT_GE(host.cores, 1);
    EXPECT_GE(host.hardware_threads, host.cores);
    EXPECT_EQ(host.instruction_set, target::host_cpu().name);
    Integer before = 0;
    int level = 0;
    for (const CacheLevel& cache : host.caches) {
        EXPECT_GT(cache.level, level);
        EXPECT_GT(cache.bytes, before);
        EXPECT_GE(cache.shared_by, 1);
        level = cache.level;
        before = cache.bytes;
    }
    EXPECT_EQ(host_key(host), host_key(host));
    EXPECT_EQ(host_key(host).find('\n'), std::string::npos);
}

TEST(MachineKey, DistinguishesMachinesThatRunDifferently) {
    Host host{.model = "A processor",
              .generation = "family 1",
              .instruction_set = "avx2",
              .vector_bytes = 32,
              .cores = 4,
              .hardware_threads = 8,
              .caches = {{.level = 1, .bytes = 32768}}};
    const std::string key = host_key(host);
    EXPECT_EQ(key, "A processor, family 1, avx2, L1 32 KiB");
    Host other = host;
    other.instruction_set = "sse2";
    EXPECT_NE(host_key(other), key);
    other = host;
    other.caches[0].bytes *= 2;
    EXPECT_NE(host_key(other), key);
    other = host;
    other.cores = 8;
    EXPECT_EQ(host_key(other), key) << "schedules are those of one thread";
}

TEST(SizeText, IsShort) {
    EXPECT_EQ(size_text(0), "0 B");
    EXPECT_EQ(size_text(48 << 10), "48 KiB");
    EXPECT_EQ(size_text(3 << 19), "1.5 MiB");
    EXPECT_EQ(size_text(Integer{32} << 30), "32 GiB");
}

// ---- the kernels do what they are timed for -------------------------------------------------------------------

TEST(ProbePrograms, ComputeWhatTheySayAndCountTheirFlops) {
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()})
        for (const DataType scalar : {DataType::float32, DataType::float64}) {
            const ir::Program program = arithmetic_program(*cpu, scalar);
            ir::verify(program, ir::VerificationLevel::legalized);
            ir::Arguments arguments(program);
            arguments.parameters = {3};
            for (Integer i = 0; i < program.buffers[0].elements; ++i) arguments["accumulators"].set(i, i);
            const ir::InterpreterReport report = ir::interpret(program, arguments);
            EXPECT_EQ(static_cast<double>(report.flops), 3 * arithmetic_flops(*cpu, scalar));
            for (const double x : arguments["accumulators"].values()) EXPECT_NEAR(x, 1, 1e-5);
        }
}

void expect_kernels_work(const ProbeKernels& kernels) {
    std::vector<float> narrow(static_cast<std::size_t>(kernels.float32.elements), 5);
    std::vector<double> wide(static_cast<std::size_t>(kernels.float64.elements), 5);
    const std::int64_t iterations[] = {2};
    void* narrow_buffers[] = {narrow.data()};
    void* wide_buffers[] = {wide.data()};
    kernels.float32.run(narrow_buffers, iterations);
    kernels.float64.run(wide_buffers, iterations);
    for (const float x : narrow) EXPECT_NEAR(x, 1, 1e-6);
    for (const double x : wide) EXPECT_NEAR(x, 1, 1e-12);

    const Integer elements = 3 * kernels.granule;
    std::vector<double> from(static_cast<std::size_t>(elements));
    std::iota(from.begin(), from.end(), 1.0);
    std::vector<double> to(from.size() + 1, -1);
    std::vector<double> sums(static_cast<std::size_t>(kernels.granule), 0);
    const std::int64_t twice[] = {elements, 2};
    void* read_buffers[] = {from.data(), sums.data()};
    kernels.read(read_buffers, twice);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0),
              2 * std::accumulate(from.begin(), from.end(), 0.0))
        << "every element is read, in every repetition";
    void* copy_buffers[] = {from.data(), to.data()};
    kernels.copy(copy_buffers, twice);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    void* write_buffers[] = {to.data()};
    kernels.write(write_buffers, twice);
    EXPECT_EQ(std::vector<double>(to.begin(), to.end() - 1), std::vector<double>(from.size(), 1));
    EXPECT_EQ(to.back(), -1) << "and nothing behind them";
}

TEST(ProbeKernels, WorkWithAndWithoutGeneratedCode) {
    expect_kernels_work(portable_probe_kernels());
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    for (const target::Cpu* cpu : target::cpus())
        if (cpu->set != target::InstructionSet::portable && target::host_can_run(*cpu))
            expect_kernels_work(compiled_probe_kernels(*cpu));
}

// ---- the probe ------------------------------------------------------------------------------------------------

TEST(Probe, GivesASpeedForEverythingItMeasures) {
    for (const HostProbe& probe : {search::probe(quick), search::probe(portable_probe_kernels(), quick)}) {
        EXPECT_GT(probe.flops_float32, 0);
        EXPECT_GT(probe.flops_float64, 0);
        EXPECT_GT(probe.latency_float32, 0);
        EXPECT_GT(probe.latency_float64, 0);
        ASSERT_EQ(probe.pages.size(), 4U) << "16, 32, 48 and 64";
        EXPECT_EQ(probe.pages.back().pages, 64);
        for (const PageCost& each : probe.pages) {
            EXPECT_GT(each.dense, 0) << each.pages;
            EXPECT_GT(each.small, 0) << each.pages;
            EXPECT_GT(each.large, 0) << each.pages;
        }
        ASSERT_FALSE(probe.bandwidth.empty());
        EXPECT_EQ(probe.bandwidth.back().level, "memory");
        for (const Bandwidth& each : probe.bandwidth) {
            EXPECT_GT(each.read, 0) << each.level;
            EXPECT_GT(each.write, 0) << each.level;
            EXPECT_GT(each.copy, 0) << each.level;
            EXPECT_GT(each.working_set, 0) << each.level;
        }
    }
}

HostProbe invented() {
    HostProbe probe;
    probe.host = {.model = "An \"odd\" name",
                  .generation = "",
                  .instruction_set = "avx512",
                  .vector_bytes = 64,
                  .cores = 2,
                  .hardware_threads = 4,
                  .caches = {{1, 49152, 64, 12, 2}, {2, 2097152, 64, 16, 2}}};
    probe.measured_with = "avx512 machine code";
    probe.flops_float32 = 160e9;
    probe.flops_float64 = 1.0 / 3 * 1e9;
    probe.latency_float32 = 1.5e-9;
    probe.latency_float64 = 4e-9;
    probe.vector_registers = 32;
    probe.pages = {{16, 1e-9, 1.1e-9, 1e-9}, {64, 1e-9, 1.4e-9, 1.2e-9}, {96, 1e-9, 2e-9, 1.3e-9}};
    probe.bandwidth = {{"L1", 24576, 3e11, 2e11, 2.5e11},
                       {"L2", 1048576, 1e11, 9e10, 8e10},
                       {"memory", 1 << 27, 1e10, 7e9, 8e9}};
    return probe;
}

TEST(Probe, ComesBackWholeFromItsJson) { EXPECT_EQ(parse_probe(to_json(invented())), invented()); }

TEST(Probe, IsNotReadFromOtherText) {
    EXPECT_THROW(parse_probe(""), UserError);
    EXPECT_THROW(parse_probe("{}"), UserError);
    EXPECT_THROW(parse_probe("[1]"), UserError);
    const std::string good = to_json(invented());
    EXPECT_THROW(parse_probe(good.substr(0, good.size() / 2)), UserError);
    HostProbe still = invented();
    still.flops_float32 = 0;
    EXPECT_THROW(parse_probe(to_json(still)), UserError);
}

TEST(Probe, ReadsWellAsATable) {
    EXPECT_EQ(to_table(invented()),
              "processor         An \"odd\" name\n"
              "available         2 cores, 4 hardware threads\n"
              "vectors           avx512: 64 bytes, 8 float64 or 16 float32; 32 registers\n"
              "L1 data cache     48 KiB, 12 ways, 64-byte lines, shared by 2 hardware threads\n"
              "L2 data cache     2 MiB, 16 ways, 64-byte lines, shared by 2 hardware threads\n"
              "arithmetic        float64 0.3 Gflop/s, float32 160.0 Gflop/s, one core\n"
              "multiply-adds     float64 4.00 ns, 0.1 vectors at once; float32 1.50 ns, 7.5 vectors at once\n"
              "pages at hand     64 of 4 KiB\n"
              "measured with     avx512 machine code\n"
              "\n"
              "level             data        read       write        copy   GB/s, one core\n"
              "L1              24 KiB       300.0       200.0       250.0\n"
              "L2               1 MiB       100.0        90.0        80.0\n"
              "memory         128 MiB        10.0         7.0         8.0\n"
              "\n"
              "pages         no pages       4 KiB       2 MiB   ns a load, a line on each page\n"
              "16                1.00        1.10        1.00\n"
              "64                1.00        1.40        1.20\n"
              "96                1.00        2.00        1.30\n");
}

TEST(Probe, NamesTheLevelThatHoldsTheData) {
    const HostProbe probe = invented();
    EXPECT_EQ(probe.level_holding(1).level, "L1");
    EXPECT_EQ(probe.level_holding(49152).level, "L1");
    EXPECT_EQ(probe.level_holding(49153).level, "L2");
    EXPECT_EQ(probe.level_holding(2097152).level, "L2");
    EXPECT_EQ(probe.level_holding(Integer{1} << 40).level, "memory");
}

TEST(Probe, OneFmaChainIsNoFasterThanMany) {
    for (const ProbeKernels& kernels : {best_probe_kernels(), portable_probe_kernels()})
        for (const auto& [all, chain] : {std::pair{kernels.float32, kernels.chain_float32},
                                         std::pair{kernels.float64, kernels.chain_float64}}) {
            EXPECT_EQ(all.fmas, chain.fmas);
            EXPECT_GE(all.flops_each, chain.flops_each);
        }
}

TEST(KnownProbe, IsMeasuredAgainIfUnreadable) {
    Wisdom wisdom(":memory:");
    const HostProbe first = known_probe(wisdom, quick);
    EXPECT_EQ(known_probe(wisdom, quick), first) << "two measurements would not be equal";
    wisdom.store_fact(host_key(this_host()), "probe", "nonsense");
    EXPECT_GT(known_probe(wisdom, quick).flops_float64, 0);
    EXPECT_NO_THROW(parse_probe(*wisdom.fact(host_key(this_host()), "probe")));
}

} // namespace probe_test
} // namespace swirl::search
