// A thousand transforms on an NVIDIA GPU. Builds without CUDA; without a GPU it says what is missing.
#include <swirl/swirl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

int main() try {
    constexpr std::size_t n = 1024, batch = 1000;
    std::vector<std::complex<float>> signal(n * batch), spectrum(n * batch);
    for (std::size_t i = 0; i < n * batch; ++i) // transform b has b + 1 periods of a cosine
        signal[i] = static_cast<float>(
            std::cos(2 * std::numbers::pi * static_cast<double>((i / n + 1) * (i % n) % n) / n));

    const swirl::gpu::Array<std::complex<float>> x(signal), y(n * batch);
    const swirl::Plan plan = swirl::plan("dft 1024 float32 batch=1000", {.device = swirl::Device::gpu()});
    plan.execute(x, y);
    y.copy_to(spectrum);

    std::printf("%s\n%s", plan.schedule().c_str(), plan.description().c_str());
    for (const std::size_t b : {0, 4, 99})
        std::printf("transform %2zu: line %3zu is %.1f\n", b, b + 1, std::abs(spectrum[b * n + b + 1]));
} catch (const swirl::Error& error) {
    std::printf("%s\n", error.what());
}
