// Signals filtered on an NVIDIA GPU, by one kernel: samples of 16 bits, padded with zeros, are transformed, multiplied by the
// filter's spectrum, and transformed back. Says what is missing where it runs without a GPU.
#include <swirl/swirl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Complex = std::complex<float>;

int main() try {
    // 900 samples in 1024 places leave room for what a filter of 125 taps reaches beyond them.
    constexpr std::size_t n = 1024, samples = 900, taps = 125, batch = 1000;
    std::vector<swirl::complex_float16> signal(samples * batch);
    for (std::size_t i = 0; i < signal.size(); ++i) // one step a signal
        signal[i] = {swirl::float16(i % samples < samples / 2 ? 0.0F : 1.0F), swirl::float16(0.0F)};
    std::vector<Complex> filter(n), result(n * batch);
    for (std::size_t i = 0; i < taps; ++i) filter[i] = 1.0F / taps; // the mean of so many samples

    const swirl::gpu::Array<Complex> h(filter), spectrum(n), y(n * batch);
    const swirl::gpu::Array<swirl::complex_float16> x(signal);
    const swirl::Options on_gpu{.device = swirl::Device::gpu()};
    swirl::plan("dft 1024 float32", on_gpu).execute(h, spectrum);
    const swirl::Plan plan = swirl::plan(
        "convolution 1024 float32 batch=1000:(900,1024) load=\"float16: x where i < 900\"", on_gpu);
    plan.with("spectrum", spectrum).execute(x, y);
    y.copy_to(result);

    std::printf("%s\n%s", plan.schedule().c_str(), plan.description().c_str());
    for (std::size_t i = 440; i <= 600; i += 20) std::printf("%4zu  %.3f\n", i, result[i].real());
} catch (const swirl::Error& error) {
    std::printf("%s\n", error.what());
}
