#include "runtime/cpu/cpu_quota.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace swirl::runtime {
namespace cpu_quota_test {

class CpuQuota : public testing::Test {
protected:
    void write(const std::string& file, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << '\n';
    }
    int quota() const { return cpu_quota(folder_.path() / "groups", folder_.path() / "membership"); }

private:
    TemporaryFolder folder_;
};

TEST_F(CpuQuota, IsRoundedUp) {
    write("membership", "0::/");
    write("groups/cpu.max", "150000 100000");
    EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuota, IsThatOfTheTightestGroup) {
    write("membership", "0::/pod/container");
    write("groups/pod/cpu.max", "300000 100000");
    write("groups/pod/container/cpu.max", "800000 100000");
    EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, MayBeUnlimited) {
    write("membership", "0::/");
    write("groups/cpu.max", "max 100000");
    EXPECT_EQ(quota(), 0);
}

TEST_F(CpuQuota, IsReadFromGroupsOfVersion1) {
    write("membership", "4:memory:/m\n3:cpu,cpuacct:/docker/1234\n2:cpuset:/");
    write("groups/cpu,cpuacct/cpu.cfs_quota_us", "400000"); // the container sees its group as the root
    write("groups/cpu,cpuacct/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota(), 4);
    write("groups/cpu,cpuacct/cpu.cfs_quota_us", "-1");
    EXPECT_EQ(quota(), 0);
}

TEST_F(CpuQuota, IsUnknownWithoutGroups) { EXPECT_EQ(quota(), 0); }

} // namespace cpu_quota_test
} // namespace swirl::runtime
