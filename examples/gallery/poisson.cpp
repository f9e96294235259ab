// Solves Poisson's equation −Δu = f in a cube with u = 0 on its faces, by the sine transform of three dimensions.
//
//   example_poisson_cpp [FOLDER]          FOLDER/poisson.txt: u on the cube's middle plane
//
// Sines are the eigenvectors of the second difference, so in their basis the equation is a division. The division by the
// eigenvalues is a store callback of the forward transform.
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

constexpr int n = 63; // points inside each edge; the faces are at 0 and n + 1
constexpr double h = 1.0 / (n + 1);

std::size_t at(int i, int j, int k) { return static_cast<std::size_t>((i * n + j) * n + k); }

/// u at a point of the grid; 0 on the faces.
double value(const std::vector<double>& u, int i, int j, int k) {
    const auto inside = [](int index) { return index >= 0 && index < n; };
    return inside(i) && inside(j) && inside(k) ? u[at(i, j, k)] : 0;
}

int main(int count, char** arguments) {
    // Two charged balls.
    std::vector<double> f(n * n * n), solution(f.size()), spectrum(f.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                const auto inside = [&](double x, double y, double z) {
                    return std::hypot((i + 1) * h - x, (j + 1) * h - y, (k + 1) * h - z) < 0.12;
                };
                f[at(i, j, k)] = (inside(0.35, 0.35, 0.5) ? 100 : 0) - (inside(0.65, 0.6, 0.5) ? 100 : 0);
            }

    std::vector<double> eigenvalues(n); // of the second difference along one edge
    for (int i = 0; i < n; ++i)
        eigenvalues[static_cast<std::size_t>(i)] =
            std::pow(2 / h * std::sin(std::numbers::pi * (i + 1) / (2.0 * (n + 1))), 2);

    // dst1 applied twice multiplies by 2(n + 1) for each dimension.
    const swirl::Plan divide =
        swirl::plan("dst1 63x63x63 store=\"x / (x_part[i0] + y_part[i1] + z_part[i2])\"");
    const swirl::Plan back = swirl::plan("dst1 63x63x63 scale=1/2097152"); // (2 · 64)³
    divide.with("x_part", eigenvalues)
        .with("y_part", eigenvalues)
        .with("z_part", eigenvalues)
        .execute(f, spectrum);
    back.execute(spectrum, solution);

    // What the equation leaves over, at every point.
    double residual = 0, largest = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                const double neighbours = value(solution, i - 1, j, k) + value(solution, i + 1, j, k) +
                                          value(solution, i, j - 1, k) + value(solution, i, j + 1, k) +
                                          value(solution, i, j, k - 1) + value(solution, i, j, k + 1);
                const double left = (6 * value(solution, i, j, k) - neighbours) / (h * h);
                residual = std::max(residual, std::abs(left - f[at(i, j, k)]));
                largest = std::max(largest, std::abs(f[at(i, j, k)]));
            }
    std::printf("%d points, relative residual %s 1e-12\n", n * n * n,
                residual < 1e-12 * largest ? "below" : "above");

    if (count > 1) {
        std::ofstream out(std::string(arguments[1]) + "/poisson.txt");
        for (int i = 0; i < n; ++i, out << '\n')
            for (int j = 0; j < n; ++j) out << solution[at(i, j, n / 2)] << ' ';
    }
    return residual < 1e-12 * largest ? 0 : 1;
}
