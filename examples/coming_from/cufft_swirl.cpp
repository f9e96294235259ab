// With swirl: a thousand transforms of 1024 points on a GPU, and back.
#include <swirl/swirl.hpp>

#include <complex>
#include <cstdio>
#include <vector>

int main() try {
    const int n = 1024, batch = 1000;
    std::vector<std::complex<float>> signals(n * batch, 1.0F), again(n * batch);
    const swirl::Options on_gpu{.device = swirl::Device::gpu()};
    const swirl::gpu::Array<std::complex<float>> x(signals), y(signals.size());
    swirl::plan("dft 1024 float32 batch=1000", on_gpu).execute(x, y);
    swirl::plan("dft 1024 float32 batch=1000 backward scale=1/1024", on_gpu).execute(y, x);
    x.copy_to(again);

    std::printf("%.3f\n", again[12345].real());
} catch (const swirl::Error& error) {
    std::printf("%s\n", error.what()); // says what is missing, and what would work
    return 1;
}
