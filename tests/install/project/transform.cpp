#include <swirl/swirl.hpp>

#include <complex>
#include <cstdlib>
#include <iostream>
#include <vector>

/// Compiled only: the templates of the interface.
void products(swirl::gpu::Stream stream) {
    const std::vector<float> a(6), b(6);
    std::vector<float> c(4);
    swirl::Options options;
    options.device = swirl::Device::gpu();
    const swirl::MatrixProduct problem =
        swirl::MatrixProduct::column_major(swirl::DataType::float32, 2, 2, 3);
    const swirl::Plan plan = swirl::plan(problem, options);
    swirl::gpu::Array<float> on_gpu(a), result(4);
    plan.execute(1, on_gpu, on_gpu, 0, result, stream);
    result.copy_to(c);
    const std::vector<swirl::MatrixGroup> groups(2);
    swirl::execute_groups(groups, stream);
    swirl::plan(problem).with("bias", b).execute(1, a, b.data(), 0, c);
    if (plan.problem() != swirl::Problem(problem)) std::abort();
}

int main(int count, char**) {
    if (count > 99) products({});
    std::vector<std::complex<double>> x(16), y(16);
    x[0] = 1;
    swirl::plan("dft 16").execute(x, y);
    for (const auto& value : y)
        if (value != 1.0) return 1;
    try {
        swirl::plan("dft nonsense");
        return 2;
    } catch (const swirl::UserError&) { // the library throws what the program catches
    }
    std::cout << swirl::version() << '\n';
}
