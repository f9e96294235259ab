// The snippets of docs/matrix-multiplication.md for GPUs. Each is between its name in brackets and "[end]".
#include <swirl/swirl.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

const swirl::Options on_gpu{.device = swirl::Device::gpu()};
const swirl::gpu::Stream stream = {};

void of_floats() {
    const swirl::gpu::Array<float> a(4096 * 1024), b(1024 * 4096), c(4096 * 4096);
    // [gpu]
    const auto product = swirl::MatrixProduct::column_major(swirl::DataType::float32, 4096, 4096, 1024);
    const auto plan = swirl::plan(product, on_gpu);
    plan.execute(1, a, b, 0, c, stream); // matrices on the GPU; does not block
    // [end]
}

void of_quantised_data() {
    auto product = swirl::MatrixProduct::column_major(swirl::DataType::float32, 256, 256, 256);
    const float scale_of_a = 0.5F, scale_of_b = 0.25F;
    const swirl::gpu::Array<std::int8_t> a(256 * 256), b(256 * 256);
    const swirl::gpu::Array<float> c(256 * 256);
    // [quantised]
    product.a_type = product.b_type = swirl::DataType::int8; // and product.data_type is float32
    swirl::plan(product, on_gpu).execute(scale_of_a * scale_of_b, a, b, 0, c);
    product.epilogue = swirl::Expression("x * row_scale[i] * column_scale[j]");
    // [end]
}

void with_an_epilogue() {
    auto product = swirl::MatrixProduct::column_major(swirl::DataType::float32, 256, 256, 256);
    const swirl::gpu::Array<swirl::bfloat16> a(256 * 256), b(256 * 256), c(256 * 256);
    const swirl::gpu::Array<float> bias(256);
    // [epilogue]
    product.a_type = product.b_type = product.c_type = swirl::DataType::bfloat16;
    product.epilogue = swirl::Expression("gelu(x + bias[i])");
    swirl::plan(product, on_gpu).with("bias", bias).execute(1, a, b, 0, c, stream);
    // [end]
}

/// The lists are arrays of pointers on the GPU.
void of_lists(const float* const* a_list, const float* const* b_list, float* const* c_list,
              float* const* other_c_list) {
    auto product = swirl::MatrixProduct::column_major(swirl::DataType::float32, 16, 16, 16);
    // [lists]
    product.batch = 1000; // so many pointers each list has
    product.listed = true;
    product.list_alignment = 16; // bytes that pointers are multiples of; 0: of an element
    const auto plan = swirl::plan(product, on_gpu);
    plan.execute_each(1, a_list, b_list, 0, c_list, 1000, stream);
    product.rows = 8; // of another shape
    const swirl::MatrixGroup groups[] = {
        {plan, 1, a_list, b_list, 0, c_list, 1000},
        {swirl::plan(product, on_gpu), 1, a_list, b_list, 0, other_c_list, 1000}};
    swirl::execute_groups(groups, stream); // several shapes: one launch each, in this order
    // [end]
}

/// 1000 pointers to one matrix.
swirl::gpu::Array<float*> list_of(const swirl::gpu::Array<float>& matrices, std::size_t apart) {
    std::vector<float*> pointers(1000);
    for (std::size_t i = 0; i < pointers.size(); ++i) pointers[i] = matrices.data() + i * apart;
    return swirl::gpu::Array<float*>(pointers);
}

} // namespace

int main() {
    if (swirl::gpu_count() == 0) {
        std::printf("%s\n", swirl::why_no_gpu().c_str());
        return 0;
    }
    of_floats();
    of_quantised_data();
    with_an_epilogue();
    const swirl::gpu::Array<float> one(256), many(1000 * 256), others(1000 * 256);
    const auto inputs = list_of(one, 0), outputs = list_of(many, 256), other_outputs = list_of(others, 256);
    of_lists(inputs.data(), inputs.data(), outputs.data(), other_outputs.data());
}
