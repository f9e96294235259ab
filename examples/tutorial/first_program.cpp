#include <swirl/swirl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
    // 1000 samples of a tone with 50 periods, and of a weaker one with 120.
    std::vector<std::complex<double>> signal(1000), spectrum(1000);
    for (std::size_t i = 0; i < 1000; ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i) / 1000;
        signal[i] = std::cos(50 * turn) + 0.25 * std::cos(120 * turn);
    }

    const swirl::Plan plan = swirl::plan("dft 1000");
    plan.execute(signal, spectrum);

    for (std::size_t k = 0; k <= 500; ++k)
        if (std::abs(spectrum[k]) > 1) std::printf("line %zu: %.1f\n", k, std::abs(spectrum[k]));
}
