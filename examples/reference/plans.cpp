// The snippets of docs/cpp-api.md. Each is between its name in brackets and "[end]".
#include <swirl/swirl.hpp>

#include <complex>
#include <vector>

namespace {

void of_a_formula() {
    // [formula]
    const swirl::Plan plan =
        swirl::plan(swirl::Transform::formula("(DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)"));
    // [end]
    std::vector<std::complex<double>> x(8), y(8);
    plan.execute(x, y);
}

void of_both_kinds() {
    std::vector<std::complex<double>> x(1024 * 100), y(1024 * 100);
    const std::vector<double> a(100 * 60), b(60 * 80);
    std::vector<double> c(100 * 80);
    // [plans]
    swirl::Plan fft = swirl::plan("dft 1024 batch=100", {.threads = 4, .effort = swirl::Effort::measure});
    fft.execute(x, y);                                    // vectors and spans: extents are checked
    fft.execute(x.data(), y.data());                      // pointers: std::complex, double[2], float2, void
    swirl::plan("gemm 100x80x60").execute(1, a, b, 0, c); // α, A, B, β, C
    // [end]
}

} // namespace

int main() {
    of_a_formula();
    of_both_kinds();
}
