// With cuFFT: a thousand transforms of 1024 points on a GPU, and back.
#include <cuda_runtime.h>
#include <cufft.h>

#include <complex>
#include <cstdio>
#include <vector>

int main() {
    const int n = 1024, batch = 1000;
    std::vector<std::complex<float>> signals(n * batch, 1.0F), again(n * batch);
    const std::size_t bytes = signals.size() * sizeof signals[0];
    cufftComplex *x = nullptr, *y = nullptr;
    cufftHandle plan = 0;
    if (cudaMalloc(reinterpret_cast<void**>(&x), bytes) != cudaSuccess ||
        cudaMalloc(reinterpret_cast<void**>(&y), bytes) != cudaSuccess ||
        cufftPlan1d(&plan, n, CUFFT_C2C, batch) != CUFFT_SUCCESS) {
        std::printf("no GPU, no memory or no plan\n");
        return 1;
    }
    cudaMemcpy(x, signals.data(), bytes, cudaMemcpyHostToDevice);
    cufftExecC2C(plan, x, y, CUFFT_FORWARD);
    cufftExecC2C(plan, y, x, CUFFT_INVERSE);
    cudaMemcpy(again.data(), x, bytes, cudaMemcpyDeviceToHost);
    for (auto& element : again) element /= n; // on the GPU this would be a kernel of its own

    std::printf("%.3f\n", again[12345].real());
    cufftDestroy(plan);
    cudaFree(x);
    cudaFree(y);
}
