#include <swirl/swirl.hpp>

#include <complex>
#include <iostream>
#include <vector>

int main() {
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
