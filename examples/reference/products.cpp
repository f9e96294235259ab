// The snippets of docs/matrix-multiplication.md for CPUs. Each is between its name in brackets and "[end]".
#include <swirl/swirl.hpp>

#include <cstdint>
#include <vector>

namespace {

void of_bytes() {
    const std::vector<std::uint8_t> activations(512 * 1024, 1);
    const std::vector<std::int8_t> weights(1024 * 64, 1);
    std::vector<std::int32_t> sums(512 * 64);
    // [bytes]
    auto product = swirl::MatrixProduct::column_major(swirl::DataType::int32, 512, 64, 1024);
    product.a_type = swirl::DataType::uint8;
    product.b_type = swirl::DataType::int8;
    swirl::plan(product).execute(1, activations, weights, 0, sums);
    // [end]
}

void to_bytes() {
    const std::vector<std::uint8_t> a(128 * 256, 1);
    const std::vector<std::int8_t> b(256 * 512, 1);
    const std::vector<float> scale(512, 0.5F), bias(512, 1);
    std::vector<std::uint8_t> c(128 * 512);
    // [to-bytes]
    auto product = swirl::MatrixProduct::row_major(swirl::DataType::int32, 128, 512, 256);
    product.a_type = swirl::DataType::uint8;
    product.b_type = swirl::DataType::int8;
    product.c_type = swirl::DataType::uint8; // or float32, to leave it dequantised
    product.epilogue = swirl::Expression("max(0, x * scale[j] + bias[j])");
    swirl::plan(product).with("scale", scale).with("bias", bias).execute(1, a, b, 0, c);
    // [end]
}

const std::vector<float> a(128 * 256, 1), b(256 * 512, 1), bias(512, 1), residual(128 * 512, 1);
std::vector<float> c(128 * 512);

void with_an_epilogue() {
    // [epilogue]
    auto product = swirl::MatrixProduct::row_major(swirl::DataType::float32, 128, 512, 256);
    product.epilogue = swirl::Expression("max(0, x + bias[j]) + residual[i, j]");
    const auto layer = swirl::plan(product).with("bias", bias).with("residual", residual);
    layer.execute(1, a, b, 0, c);
    // [end]
}

void with_reductions() {
    // [reductions]
    auto product = swirl::MatrixProduct::row_major(swirl::DataType::float32, 128, 512, 256);
    product.epilogue = swirl::Expression("x + bias[j]");
    product.reductions = {
        {.name = "most", .operation = swirl::Reduce::maximum, .over = swirl::Over::columns}, // of each row
        {.name = "amax",
         .operation = swirl::Reduce::maximum,
         .over = swirl::Over::all,
         .of = swirl::Expression("abs(x)")},
        {.name = "squares", .over = swirl::Over::rows, .of = swirl::Expression("x * x")}};
    std::vector<float> most(128), amax(1), squares(512);
    swirl::plan(product)
        .with("bias", bias)
        .with("most", most.data())
        .with("amax", amax.data())
        .with("squares", squares.data())
        .execute(1, a, b, 0, c);
    // [end]
}

void prepacked() {
    const auto product = swirl::MatrixProduct::row_major(swirl::DataType::float32, 128, 512, 256);
    // [prepacked]
    const auto plan = swirl::plan(product);
    const swirl::PackedMatrix weights = plan.pack_b(b);
    plan.execute(1, a, weights, 0, c);
    // [end]
}

void in_groups() {
    const auto plan = swirl::plan("gemm 16x16x16 float32"), other = swirl::plan("gemm 8x8x8 float32");
    const swirl::Integer count = 2;
    const std::vector<const float*> a_list(2, a.data()), b_list(2, b.data());
    const std::vector<float*> list{c.data(), c.data() + 1000}, other_list{c.data() + 2000, c.data() + 3000};
    const float *const *a_pointers = a_list.data(), *const *b_pointers = b_list.data();
    float *const *c_pointers = list.data(), *const *other_c_pointers = other_list.data();
    // [groups]
    plan.execute_each(1, a_pointers, b_pointers, 0, c_pointers, count);
    const swirl::MatrixGroup groups[] = {{plan, 1, a_pointers, b_pointers, 0, c_pointers, count},
                                         {other, 1, a_pointers, b_pointers, 0, other_c_pointers, count}};
    swirl::execute_groups(groups); // on as many threads as any of the plans may use
    // [end]
}

} // namespace

int main() {
    of_bytes();
    to_bytes();
    with_an_epilogue();
    with_reductions();
    prepacked();
    in_groups();
}
