#include "search/cost/gpu/model.hpp"

#include "target/gpu.hpp"

#include <gtest/gtest.h>

#include <iterator>

namespace swirl::search {
namespace gpu_cost_model_test {

const target::Gpu& hopper() { return target::gpu_named("sm_90"); }

GpuKernelFeatures some_kernel() {
    GpuKernelFeatures kernel;
    kernel.blocks = 1000;
    kernel.resident_blocks = 4;
    kernel.bytes = 65536;
    kernel.wasted_loads = kernel.wasted_stores = 20000;
    kernel.steps = 3;
    kernel.sides = 2;
    kernel.instructions = 800;
    kernel.issued = 6400;
    kernel.shared_cycles = 1000;
    kernel.shared_bytes = 40000;
    return kernel;
}

TEST(CostOfGpuKernels, GrowsWithEachOfItsFeatures) {
    const double seconds = gpu_kernel_seconds(some_kernel(), hopper());
    double GpuKernelFeatures::*const features[] = {
        &GpuKernelFeatures::blocks,        &GpuKernelFeatures::bytes,        &GpuKernelFeatures::steps,
        &GpuKernelFeatures::sides,         &GpuKernelFeatures::instructions, &GpuKernelFeatures::issued,
        &GpuKernelFeatures::shared_cycles, &GpuKernelFeatures::words,        &GpuKernelFeatures::wasted_loads,
        &GpuKernelFeatures::wasted_stores,
    };
    for (std::size_t k = 0; k < std::size(features); ++k) {
        GpuKernelFeatures kernel = some_kernel();
        kernel.*features[k] *= 2;
        EXPECT_GT(gpu_kernel_seconds(kernel, hopper()), seconds) << k;
    }
    GpuKernelFeatures kernel = some_kernel();
    kernel.exchanged = 0.5;
    EXPECT_LT(gpu_kernel_seconds(kernel, hopper()), seconds);
    kernel = some_kernel();
    kernel.resident_blocks = 1;
    EXPECT_GT(gpu_kernel_seconds(kernel, hopper()), seconds);
}

/// No kernel is faster than its bytes.
TEST(CostOfGpuKernels, IsNotBelowTheTrafficOfALargeCopy) {
    GpuKernelFeatures kernel;
    kernel.blocks = 100000;
    kernel.resident_blocks = 32;
    kernel.bytes = 65536;
    const double bytes = kernel.blocks * kernel.bytes;
    EXPECT_GT(gpu_kernel_seconds(kernel, hopper()), bytes / 3.5e12);
    EXPECT_LT(gpu_kernel_seconds(kernel, hopper()), bytes / 2.5e12);
}

} // namespace gpu_cost_model_test
} // namespace swirl::search
