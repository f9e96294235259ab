#pragma once

#include "runtime/cuda/driver.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <initializer_list>
#include <optional>
#include <string>

/// Fixtures for tests of code that uses the CUDA driver.
namespace swirl::runtime {

using support::fake_cuda_library;
using support::FakeCuda;

/// The state of a fake driver, loaded on first use.
inline FakeCuda& fake_of(int version) {
    void* const library = dlopen(fake_cuda_library(version).c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    return *reinterpret_cast<support::FakeCudaGetter>(dlsym(library, "fake_cuda"))();
}

inline void expect_contains(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// A fresh fake driver for each test; checks afterwards that nothing is still held.
class Cuda : public testing::Test {
protected:
    void SetUp() override { fake = {.stack_depth = fake.stack_depth}; }
    void TearDown() override {
        EXPECT_EQ(fake.retained, 0);
        EXPECT_EQ(fake.modules, 0);
        EXPECT_EQ(fake.links, 0);
        EXPECT_EQ(fake.streams, 0);
        EXPECT_EQ(fake.events, 0);
        EXPECT_EQ(fake.blocks.size(), 0U);
        EXPECT_EQ(fake.stack_depth(), 0);
        EXPECT_EQ(fake.count("cuCtxPushCurrent") - fake.count("cuCtxPopCurrent"), 0);
    }

    const CudaDriver& driver() {
        if (!driver_) driver_.emplace(fake_cuda_library(12080));
        return *driver_;
    }

    FakeCuda& fake = fake_of(12080);

private:
    std::optional<CudaDriver> driver_;
};

} // namespace swirl::runtime
