#include <swirl/swirl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
    // Three periods of a cosine in 16 samples: the spectrum has two lines, 3 and 16 - 3.
    std::vector<std::complex<double>> signal(16), spectrum(16);
    for (std::size_t i = 0; i < 16; ++i) signal[i] = std::cos(2 * std::numbers::pi * 3 * i / 16);

    const swirl::Plan plan = swirl::plan("dft 16");
    plan.execute(signal, spectrum);

    std::printf("%s\n", plan.schedule().c_str());
    for (std::size_t k = 0; k < 16; ++k) std::printf("%2zu  %.3f\n", k, std::abs(spectrum[k]));
}
