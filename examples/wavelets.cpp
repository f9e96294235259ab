// Noise removed from a signal: small wavelet coefficients are set to zero.
#include <swirl/swirl.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

int main() {
    constexpr std::size_t n = 4096;
    std::vector<double> clean(n), noisy(n), coefficients(n), result(n);
    std::mt19937 generator(1);
    for (std::size_t i = 0; i < n; ++i) { // steps, and noise of amplitude 1/2
        clean[i] = i / 700 % 2 == 0 ? 4 : -1;
        noisy[i] = clean[i] + static_cast<double>(generator()) / 0x1p32 - 0.5;
    }
    swirl::plan("formula DWT(4096, db4, 6, periodic) float64").execute(noisy, coefficients);
    for (std::size_t k = n / 64; k < n; ++k) // all but the approximation
        if (std::fabs(coefficients[k]) < 1.1) coefficients[k] = 0;
    swirl::plan("formula IDWT(4096, db4, 6, periodic) float64").execute(coefficients, result);

    double before = 0, after = 0;
    for (std::size_t i = 0; i < n; ++i) {
        before += (noisy[i] - clean[i]) * (noisy[i] - clean[i]) / n;
        after += (result[i] - clean[i]) * (result[i] - clean[i]) / n;
    }
    std::printf("error before %.3f, after %.3f\n", std::sqrt(before), std::sqrt(after));
    return after < before / 2 ? 0 : 1;
}
