// C = A·B for column-major A (300 x 200) and B (200 x 100), on all processors.
#include <swirl/swirl.hpp>

#include <cstdio>
#include <vector>

int main() {
    std::vector<double> a(300 * 200, 1.0), b(200 * 100, 0.5), c(300 * 100);

    const auto product = swirl::MatrixProduct::column_major(swirl::DataType::float64, 300, 100, 200);
    const swirl::Plan plan = swirl::plan(product, {.threads = 0});
    plan.execute(1, a, b, 0, c);

    std::printf("%s\n%g\n", plan.description().c_str(), c[0]); // 100
}
