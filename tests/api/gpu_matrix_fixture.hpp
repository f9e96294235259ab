#pragma once

#include <swirl/swirl.hpp>

#include "gpu_interface.hpp"

#include <gtest/gtest.h>

#include <cstring>

/// Matrix multiplications on a GPU that is not there.
namespace swirl {

using runtime::expect_contains;

inline const Options unchecked{
    .device = Device::gpu(), .check = false, .use_wisdom = false, .use_kernel_cache = false};
inline const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 64, 48, 32);

/// What a kernel is given.
struct Given {
    const float *a, *b;
    float *c, factors[2];
    std::int64_t multiplies, reads_c;
};
static_assert(sizeof(Given) == 48);

class GpuMatrixInterface : public GpuInterface {
protected:
    void SetUp() override {
        GpuInterface::SetUp();
        fake.argument_bytes = {8, 8, 8, 8, 8, 8};
    }
    void TearDown() override {
        GpuInterface::TearDown();
        fake.argument_bytes.clear();
    }
    Given last_given() const {
        Given given{};
        EXPECT_EQ(fake.launches.back().arguments.size(), sizeof given);
        std::memcpy(&given, fake.launches.back().arguments.data(), sizeof given);
        return given;
    }
};

/// Pointers that a kernel is given, in the order of its parameters.
inline const void* pointer_given(const support::FakeCuda& fake, std::size_t index) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, fake.launches.back().arguments.data() + index * sizeof pointer, sizeof pointer);
    return pointer;
}

} // namespace swirl
