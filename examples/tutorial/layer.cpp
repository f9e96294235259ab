#include <swirl/swirl.hpp>

#include <cstdio>
#include <vector>

int main() {
    // A layer of a neural network for 128 inputs of 256 values: y = max(0, x·w + bias), and the largest output of each row.
    std::vector<float> x(128 * 256, 0.5F), w(256 * 512, 0.01F), y(128 * 512), bias(512), largest(128);
    for (std::size_t j = 0; j < 512; ++j) bias[j] = static_cast<float>(j) / 512 - 2;

    auto product = swirl::MatrixProduct::row_major(swirl::DataType::float32, 128, 512, 256);
    product.epilogue = swirl::Expression("max(0, x + bias[j])");
    product.reductions = {
        {.name = "largest", .operation = swirl::Reduce::maximum, .over = swirl::Over::columns}};

    const swirl::Plan layer = swirl::plan(product).with("bias", bias).with("largest", largest.data());
    layer.execute(1, x, w, 0, y); // alpha, A, B, beta, C

    std::printf("y[0][0] = %.3f, y[0][511] = %.3f, largest of row 0 = %.3f\n", y[0], y[511], largest[0]);
}
