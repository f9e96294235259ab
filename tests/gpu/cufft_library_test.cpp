#include "runtime/cuda/graph.hpp"
#include "runtime/cuda/memory.hpp"
#include "support/first_gpu.hpp"

#include <swirl/plan.hpp>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cmath>
#include <complex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

/// The library with cuFFT's interface, as programs use it, on a GPU.
namespace swirl {
namespace cufft_library_test {

using Complex = std::complex<float>;

template <class F> F function(const char* name) {
    static void* const library = dlopen(SWIRL_CUFFT12_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void* const found = library == nullptr ? nullptr : dlsym(library, name);
    if (found == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<F>(found);
}

std::vector<Complex> random_vector(std::size_t size) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<Complex> x(size);
    for (Complex& value : x) value = {uniform(generator), uniform(generator)};
    return x;
}

double error(const std::vector<Complex>& found, const std::vector<Complex>& expected, float scale = 1) {
    double difference = 0, norm = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        difference += std::norm(found[k] * scale - expected[k]);
        norm += std::norm(expected[k]);
    }
    return std::sqrt(difference / norm);
}

class CufftLibraryOnGpu : public support::FirstGpu {
protected:
    static constexpr int n = 1000, batch = 64, c2c = 0x29;
    static constexpr std::size_t elements = std::size_t{n} * batch, bytes = elements * sizeof(Complex);

    void* at(const runtime::GpuBuffer& buffer) const { return reinterpret_cast<void*>(buffer.address()); }
    std::vector<Complex> read(const runtime::GpuBuffer& buffer) const {
        device->synchronize();
        std::vector<Complex> x(elements);
        runtime::copy_from_gpu(*device, x.data(), buffer.address(), bytes);
        return x;
    }
};

TEST_F(CufftLibraryOnGpu, TransformsForthAndBackFromItsFirstCapturedExecutionOn) {
    const auto x = random_vector(elements);
    std::vector<Complex> expected(elements);
    plan("dft 1000 float32 batch=64").execute(x, expected);
    const runtime::GpuBuffer input(*device, bytes), output(*device, bytes);
    runtime::copy_to_gpu(*device, input.address(), x.data(), bytes);
    device->synchronize();

    const auto execute = function<int (*)(int, void*, void*, int)>("cufftExecC2C");
    int handle = 0;
    ASSERT_EQ(function<int (*)(int*, int, int, int)>("cufftPlan1d")(&handle, n, c2c, batch), 0);
    ASSERT_EQ(function<int (*)(int, runtime::cuda::Stream)>("cufftSetStream")(handle, stream->handle()), 0);
    const runtime::GpuGraph forth(*stream, [&] { EXPECT_EQ(execute(handle, at(input), at(output), -1), 0); });
    const runtime::GpuGraph back(*stream, [&] { EXPECT_EQ(execute(handle, at(output), at(output), 1), 0); });
    forth.launch(*stream);
    EXPECT_LT(error(read(output), expected), 1e-6);
    EXPECT_EQ(read(input), x);
    back.launch(*stream);
    EXPECT_LT(error(read(output), x, 1.0F / n), 1e-6);
    EXPECT_EQ(function<int (*)(int)>("cufftDestroy")(handle), 0);
}

} // namespace cufft_library_test
} // namespace swirl
