#include <swirl/swirl.hpp>

#include <complex>
#include <vector>

int main() {
    std::vector<std::complex<double>> x(1000, 1.0), y(1000);
    const swirl::Plan plan = swirl::plan("dft 1000"); // any length; reusable, and thread-safe
    plan.execute(x, y);
}
