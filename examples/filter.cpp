// Signals filtered in one pass over memory: a window is applied as samples are loaded, the product with the filter's
// spectrum lies between the two transforms, and only the results that are wanted are stored.
#include <swirl/swirl.hpp>

#include <complex>
#include <cstdio>
#include <vector>

int main() {
    constexpr std::size_t n = 1024, samples = 900, taps = 125;
    std::vector<std::complex<float>> signal(samples), filter(n), spectrum(n), result(n);
    const std::vector<float> window(n, 0.5F);
    for (std::size_t i = samples / 2; i < samples; ++i) signal[i] = 1; // a step
    for (std::size_t i = 0; i < taps; ++i) filter[i] = 1.0F / taps;    // the mean of so many samples

    swirl::plan("dft 1024 float32").execute(filter, spectrum);
    const swirl::Plan plan = swirl::plan(
        "convolution 1024 float32 load=\"x * window[i] where i < 900\" store=\"2 * x where i < 900\"");
    plan.with("spectrum", spectrum).with("window", window).execute(signal.data(), result.data());
    for (std::size_t i = 440; i <= 600; i += 20) std::printf("%4zu  %.3f\n", i, result[i].real());
}
