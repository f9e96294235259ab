#include <swirl/swirl.hpp>

#include <complex>

int main() {
    std::complex<double> x[1000] = {1}, y[1000];
    swirl::plan("dft 1000").execute(x, y); // any length; keep the plan to use it again, from any thread
}
