#include "distributed/nccl_abi.hpp"

#include <gtest/gtest.h>

#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#include <nccl.h>
#endif

#include <cstddef>

namespace swirl::distributed::nccl {
namespace nccl_abi_test {

#if defined(NCCL_VERSION_CODE) && NCCL_VERSION_CODE >= 21800

TEST(NcclAbi, ValuesAndLayoutsAreThoseOfNcclsHeader) {
    EXPECT_EQ(static_cast<int>(success), ncclSuccess);
    EXPECT_EQ(static_cast<int>(invalid_argument), ncclInvalidArgument);
    EXPECT_EQ(static_cast<int>(invalid_usage), ncclInvalidUsage);
    EXPECT_EQ(static_cast<int>(remote_error), ncclRemoteError);
    EXPECT_EQ(static_cast<int>(in_progress), ncclInProgress);
    EXPECT_EQ(int8, ncclInt8);
    EXPECT_EQ(no_color, NCCL_SPLIT_NOCOLOR);
    EXPECT_EQ(first_version, NCCL_VERSION(2, 18, 0));
    EXPECT_EQ(sizeof(UniqueId), sizeof(ncclUniqueId));
    const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
    const Config ours;
    EXPECT_EQ(ours.magic, theirs.magic);
    EXPECT_EQ(ours.split_share, theirs.splitShare);
    EXPECT_EQ(offsetof(Config, blocking), offsetof(ncclConfig_t, blocking));
    EXPECT_EQ(offsetof(Config, net_name), offsetof(ncclConfig_t, netName));
    EXPECT_EQ(offsetof(Config, split_share), offsetof(ncclConfig_t, splitShare));
}

#else

TEST(NcclAbi, ValuesAndLayoutsAreThoseOfNcclsHeader) { GTEST_SKIP() << "no nccl.h of version 2.18 or later"; }

#endif

} // namespace nccl_abi_test
} // namespace swirl::distributed::nccl
