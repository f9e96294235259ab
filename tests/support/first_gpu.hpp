#pragma once

#include "base/error.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/stream.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace swirl::support {

/// Tests on the first GPU of the host; skipped, with the reason, if there is none.
class FirstGpu : public testing::Test {
protected:
    void SetUp() override {
        try {
            device.emplace(0);
        } catch (const Unavailable& error) {
            GTEST_SKIP() << error.what();
        }
        stream.emplace(*device);
    }

    std::optional<runtime::GpuDevice> device;
    std::optional<runtime::GpuStream> stream;
};

} // namespace swirl::support
