#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

int main() {
    // Cooley and Tukey's factors of the DFT of 8 points, as a formula, are the DFT of 8 points.
    const swirl::Plan factors =
        swirl::plan(swirl::Transform::formula("(DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)"));
    std::vector<std::complex<double>> x(8), y(8), z(8);
    for (std::size_t i = 0; i < 8; ++i) x[i] = {static_cast<double>(i * i), 1};
    factors.execute(x, y);
    swirl::plan("dft 8").execute(x, z);
    double error = 0;
    for (std::size_t i = 0; i < 8; ++i) error = std::max(error, std::abs(y[i] - z[i]));
    std::printf("the factors' product is the DFT: %s\n", error < 1e-12 ? "yes" : "no");

    // A matrix of your own: JPEG's cosine transform of 8 x 8 pixels, with JPEG's factors, for a thousand blocks.
    const std::string rows = "(diag(0.1767766952966369, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25) · DCT2(8))";
    const swirl::Plan jpeg = swirl::plan("formula " + rows + " ⊗ " + rows + " float32 batch=1000");
    std::vector<float> blocks(64 * 1000, 100), coefficients(64 * 1000);
    jpeg.execute(blocks, coefficients);
    std::printf("a grey block has one coefficient: %.0f, then %.0f\n", coefficients[0],
                std::abs(coefficients[1]));
}
