#include <swirl/swirl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
    // 700 samples of 12 bits, as a converter delivers them, and a window for them.
    constexpr std::size_t samples = 700, n = 1024;
    std::vector<float> counts(samples), window(n); // elements from 700 on are not used
    for (std::size_t i = 0; i < samples; ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i);
        counts[i] = static_cast<float>(std::round(2048 + 1000 * std::cos(turn * 0.2)));
        window[i] = static_cast<float>(0.5 - 0.5 * std::cos(turn / samples));
    }

    // As samples are loaded: remove the offset, scale, window, and pad with zeros up to 1024.
    // As results are stored: only the first 512 lines.
    std::vector<std::complex<float>> spectrum(512);
    const swirl::Plan plan = swirl::plan(
        "rdft 1024 float32"
        " load=\"(x - 2048) / 2048 * window[i] where i < 700\""
        " store=\"x where i < 512\"");
    plan.with("window", window).execute(counts.data(), spectrum.data());

    std::size_t loudest = 0;
    for (std::size_t k = 0; k < spectrum.size(); ++k)
        if (std::abs(spectrum[k]) > std::abs(spectrum[loudest])) loudest = k;
    std::printf("loudest at %.3f of the sample rate\n", static_cast<double>(loudest) / n);
}
