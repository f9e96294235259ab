#include <swirl/swirl.hpp>

#include <complex>
#include <cstdio>
#include <random>
#include <vector>

int main() {
    // A hundred noisy signals of 1000 samples; the filter is the mean of 24 samples.
    constexpr std::size_t n = 1024, samples = 1000, taps = 24, batch = 100;
    std::mt19937 random(1);
    std::normal_distribution<float> noise;
    std::vector<std::complex<float>> signals(batch * samples), filtered(batch * samples), filter(n),
        spectrum(n);
    for (auto& sample : signals) sample = 1 + noise(random);
    for (std::size_t i = 0; i < taps; ++i) filter[i] = 1.0F / taps;

    // The filter's spectrum, once.
    swirl::plan("dft 1024 float32").execute(filter, spectrum);

    // Transform, product with the spectrum, and inverse transform are one kernel. 24 zeros behind each signal keep its
    // end from reaching its beginning; they are neither stored nor read.
    const swirl::Plan plan = swirl::plan(
        "convolution 1024 float32 batch=100:1000"
        " load=\"x where i < 1000\" store=\"x where i < 1000\"");
    plan.with("spectrum", spectrum).execute(signals.data(), filtered.data());

    // The same by its definition, for one result.
    std::complex<float> mean = 0;
    for (std::size_t i = 0; i < taps; ++i) mean += signals[42 * samples + 500 - i] * (1.0F / taps);
    std::printf("equal up to rounding: %s\n",
                std::abs(filtered[42 * samples + 500] - mean) < 1e-5F ? "yes" : "no");
}
