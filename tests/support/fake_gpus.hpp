#pragma once

#include "runtime/cuda/driver.hpp"
#include "support/cuda_fixture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

namespace swirl::support {

/// Four GPUs of a driver without one, as the host's: their memory is the host's, and streams run at once. NCCL is one for them.
class WithFakeGpus : public testing::Test {
protected:
    void SetUp() override {
        setenv("SWIRL_CUDA_DRIVER", fake_cuda_library(12080).c_str(), 1);
        setenv("SWIRL_NCCL", SWIRL_BINARY_DIR "/fake_drivers/libnccl_of_threads.so", 1);
        fake.devices = 4;
        fake.free_bytes = std::size_t{1} << 30;
        fake.calls.clear();
    }
    void TearDown() override { EXPECT_EQ(fake.blocks.size(), 0U) << "memory of GPUs that is not freed"; }

    FakeCuda& fake = runtime::fake_of(12080);
};

} // namespace swirl::support
