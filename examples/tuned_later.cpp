#include <swirl/swirl.hpp>

#include <complex>
#include <vector>

int main() {
    std::vector<std::complex<double>> x(5040, 1.0), y(5040);
    const swirl::Plan plan = swirl::plan("dft 5040", {.effort = swirl::Effort::background});
    for (int frame = 0; frame < 1000; ++frame) plan.execute(x, y); // as estimated, while the search goes on
    swirl::background::wait(10);           // if the program wants to: for at most so many seconds
    swirl::plan("dft 5040").execute(x, y); // as found; in the next run of the program from the first plan on
}
