#include "search/cost/probe/topology.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

namespace swirl::search {
namespace topology_test {

namespace fs = std::filesystem;

/// A folder like /sys/devices/system/cpu.
class Processors {
public:
    void add(const std::string& file, const std::string& line) const {
        const fs::path path = folder_.path() / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << line << '\n';
    }
    void add_cache(int cpu, int index, const std::string& type, int level, const std::string& size, int ways,
                   const std::string& shared_by) const {
        const std::string cache = "cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
        add(cache + "type", type);
        add(cache + "level", std::to_string(level));
        add(cache + "size", size);
        add(cache + "coherency_line_size", "64");
        add(cache + "ways_of_associativity", std::to_string(ways));
        add(cache + "shared_cpu_list", shared_by);
    }
    const fs::path& path() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
};

TEST(Topology, OfAnEpycIsAsRecorded) {
    const Processors recorded; // two processors of a virtual machine
    for (int cpu = 0; cpu < 2; ++cpu) {
        const std::string itself = std::to_string(cpu);
        recorded.add("cpu" + itself + "/topology/core_cpus_list", itself);
        recorded.add_cache(cpu, 0, "Data", 1, "32K", 8, itself);
        recorded.add_cache(cpu, 1, "Instruction", 1, "32K", 8, itself);
        recorded.add_cache(cpu, 2, "Unified", 2, "1024K", 8, itself);
        recorded.add_cache(cpu, 3, "Unified", 3, "32768K", 16, "0-1");
    }
    const Topology topology = topology_from_files(recorded.path(), std::vector{0, 1});
    EXPECT_EQ(topology.cores, 2);
    EXPECT_EQ(
        topology.caches,
        (std::vector<CacheLevel>{{1, 32 << 10, 64, 8, 1}, {2, 1 << 20, 64, 8, 1}, {3, 32 << 20, 64, 16, 2}}));
    EXPECT_EQ(topology.identification, "");
}

TEST(Topology, CountsCoresOfTheAllowedProcessorsAlone) {
    const Processors hyperthreaded;
    for (int cpu = 0; cpu < 8; ++cpu) {
        const std::string core = std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4);
        hyperthreaded.add("cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
                          core); // old kernels
    }
    EXPECT_EQ(topology_from_files(hyperthreaded.path(), std::vector{0, 1, 2, 3, 4, 5, 6, 7}).cores, 4);
    EXPECT_EQ(topology_from_files(hyperthreaded.path(), std::vector{1, 5}).cores, 1);
    EXPECT_EQ(topology_from_files(hyperthreaded.path(), std::vector{2, 5}).cores, 2);
}

TEST(Topology, HasCachesOfTheFirstAllowedProcessorByLevel) {
    const Processors hybrid; // slow cores come last, and share their second level
    hybrid.add_cache(0, 0, "Data", 1, "48K", 12, "0-1");
    hybrid.add_cache(16, 1, "Data", 1, "32K", 8, "16");
    hybrid.add_cache(16, 0, "Unified", 2, "2M", 16, "16-17,20,22-23");
    const auto caches = topology_from_files(hybrid.path(), std::vector{16, 17}).caches;
    EXPECT_EQ(caches, (std::vector<CacheLevel>{{1, 32 << 10, 64, 8, 1}, {2, 2 << 20, 64, 16, 5}}));
}

TEST(Topology, IdentifiesAnArm) {
    const Processors arm;
    arm.add("cpu0/regs/identification/midr_el1", "0x00000000410fd0c1");
    EXPECT_EQ(topology_from_files(arm.path(), std::vector{0}).identification, "0x00000000410fd0c1");
}

TEST(Topology, IsUnknownWhereThereAreNoFiles) {
    const Processors none;
    const Topology topology = topology_from_files(none.path(), std::vector{0});
    EXPECT_EQ(topology.cores, 0);
    EXPECT_TRUE(topology.caches.empty());
    EXPECT_EQ(topology_from_files("/nowhere", {}).cores, 0);
}

TEST(Topology, OfTheProcessorItselfAgreesWithTheFiles) {
    const auto files = topology_from_files("/sys/devices/system/cpu", std::vector{0}).caches;
    const auto told = caches_from_cpuid();
    if (files.empty() || told.empty()) GTEST_SKIP() << "one of them tells nothing";
    ASSERT_EQ(told.size(), files.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(told[i].level, files[i].level);
        EXPECT_EQ(told[i].bytes, files[i].bytes);
        EXPECT_EQ(told[i].line_bytes, files[i].line_bytes);
        EXPECT_EQ(told[i].ways, files[i].ways);
    }
}

} // namespace topology_test
} // namespace swirl::search
