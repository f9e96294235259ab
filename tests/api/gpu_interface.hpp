#pragma once

#include "support/cuda_fixture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

namespace swirl {

/// The library with a driver whose kernels do nothing. One for the whole process, as a real one is.
class GpuInterface : public testing::Test {
protected:
    static void SetUpTestSuite() {
        setenv("SWIRL_CUDA_DRIVER", support::fake_cuda_library(12080).c_str(), 1);
    }
    void SetUp() override {
        fake.free_bytes = std::size_t{1} << 22;
        fake.launches.clear();
    }
    void TearDown() override { EXPECT_TRUE(fake.failures.empty()); }

    support::FakeCuda& fake = runtime::fake_of(12080);
};

} // namespace swirl
