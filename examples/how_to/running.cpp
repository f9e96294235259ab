// The snippets of docs/how-to on threads and determinism. Each is between its name in brackets and "[end]".
#include <swirl/swirl.hpp>

#include <complex>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using Signal = std::vector<std::complex<double>>;

void share() {
    Signal x(1000), y(1000), z(1000);
    // [concurrent]
    const swirl::Plan plan = swirl::plan("dft 1000"); // one plan, many threads
    std::thread other([&] { plan.execute(x, y); });
    plan.execute(x, z);
    other.join();
    // [end]
}

void split() {
    Signal x(512 * 512, 1.0), y(512 * 512);
    // [threads]
    const swirl::Plan plan = swirl::plan("dft 512x512", {.threads = 2}); // 0: as many as there are processors
    plan.execute(x, y);
    std::printf("an execution uses %d threads\n", plan.threads());
    // [end]
}

void same_bits() {
    Signal x(512 * 512), y(512 * 512), z(512 * 512);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = {static_cast<double>(i % 77), static_cast<double>(i % 31)};
    // [bits]
    swirl::plan("dft 512x512", {.threads = 1}).execute(x, y);
    swirl::plan("dft 512x512", {.threads = 2}).execute(x, z);
    const bool are_same = std::memcmp(y.data(), z.data(), y.size() * sizeof y[0]) == 0; // always true
    // [end]
    std::printf("the bits are %s\n", are_same ? "the same" : "different");
}

} // namespace

int main() {
    share();
    split();
    same_bits();
}
