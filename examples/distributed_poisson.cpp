// Poisson's equation −Δu = f on a periodic cube, its points divided among ranks: pencils before, and whatever saves an exchange
// after. Ranks are threads here; with MPI only the communicator differs.
#include <swirl/distributed/plan.hpp>
#include <swirl/distributed/threads.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <mutex>
#include <numbers>
#include <vector>

namespace {

using swirl::Integer;
using swirl::distributed::Box;

constexpr Integer n = 48;
constexpr int ranks = 6;

/// Calls visit(position in the rank's array, x, y, z) for the points of a box in row-major order.
template <class Visit> void for_each_point(const Box& box, Visit&& visit) {
    if (elements(box) == 0) return;
    std::size_t at = 0;
    for (Integer x = box.lower[0]; x < box.upper[0]; ++x)
        for (Integer y = box.lower[1]; y < box.upper[1]; ++y)
            for (Integer z = box.lower[2]; z < box.upper[2]; ++z) visit(at++, x, y, z);
}

double coordinate(Integer i) {
    return 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
}
double solution(Integer x, Integer y, Integer z) {
    return std::sin(coordinate(x)) * std::cos(2 * coordinate(y)) + std::cos(3 * coordinate(z));
}
double right_side(Integer x, Integer y, Integer z) { // −Δ of the solution
    return 5 * std::sin(coordinate(x)) * std::cos(2 * coordinate(y)) + 9 * std::cos(3 * coordinate(z));
}

/// A rank's share of the spectrum of −Δu becomes that of u; its mean, which is free, becomes zero.
void divide_by_squared_frequencies(const Box& box, std::vector<std::complex<double>>& spectrum) {
    const auto squared = [](Integer k) {
        return static_cast<double>(k <= n / 2 ? k * k : (n - k) * (n - k));
    };
    for_each_point(box, [&](std::size_t at, Integer x, Integer y, Integer z) {
        const double length = squared(x) + squared(y) + squared(z);
        spectrum[at] *= length == 0 ? 0 : 1 / length;
    });
}

/// The largest error of this rank's points.
double solve(swirl::distributed::Communicator& communicator) {
    // [plans]
    namespace distributed = swirl::distributed;
    const Box mine = distributed::pencils({n, n, n}, communicator.size(),
                                          2)[static_cast<std::size_t>(communicator.rank())];
    const auto forward = distributed::plan("rdft 48x48x48", communicator, {.input = mine});
    const auto backward = distributed::plan("rdft 48x48x48 backward norm=backward", communicator,
                                            {.input = forward.output_box(), .output = mine});
    // [end]
    std::vector<double> u(static_cast<std::size_t>(elements(mine)));
    for_each_point(mine,
                   [&](std::size_t at, Integer x, Integer y, Integer z) { u[at] = right_side(x, y, z); });

    // [solve]
    std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(elements(forward.output_box())));
    forward.execute(u, spectrum);
    divide_by_squared_frequencies(forward.output_box(), spectrum);
    backward.execute(spectrum, u);
    // [end]

    double largest = 0;
    for_each_point(mine, [&](std::size_t at, Integer x, Integer y, Integer z) {
        largest = std::max(largest, std::abs(u[at] - solution(x, y, z)));
    });
    if (communicator.rank() == 0)
        std::printf("forward %s\nbackward %s\n", forward.schedule().c_str(), backward.schedule().c_str());
    return largest;
}

} // namespace

int main() {
    double largest = 0;
    std::mutex mutex;
    swirl::distributed::run_ranks(ranks, [&](swirl::distributed::Communicator& communicator) {
        const double error = solve(communicator);
        const std::lock_guard lock(mutex);
        largest = std::max(largest, error);
    });
    std::printf("the error is %s 1e-13\n", largest < 1e-13 ? "below" : "above");
    return largest < 1e-13 ? 0 : 1;
}
