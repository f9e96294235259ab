#pragma once

#include <pthread.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

/// The subset of HIP that emitted GEMM files need, on CPU threads: blocks run in sequence, each with one thread per HIP
/// thread. hipLaunchKernel() takes the kernel itself instead of its untyped address.

#define __global__
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3(unsigned x_, unsigned y_, unsigned z_) : x(x_), y(y_), z(z_) {}
};
struct HipIndex {
    unsigned x = 0;
};
inline thread_local HipIndex threadIdx, blockIdx;

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};

inline float2 make_float2(float x, float y) { return {x, y}; }

enum hipError_t { hipSuccess };
using hipStream_t = void*;

inline pthread_barrier_t hip_barrier;
inline void __syncthreads() { pthread_barrier_wait(&hip_barrier); }

inline hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t) {
    std::memset(memory, value, bytes);
    return hipSuccess;
}

template <class... Parameters, std::size_t... indices>
void hip_call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<indices...>) {
    kernel(*static_cast<std::remove_const_t<Parameters>*>(arguments[indices])...);
}

template <class... Parameters>
hipError_t hipLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                           std::size_t, hipStream_t) {
    pthread_barrier_init(&hip_barrier, nullptr, block.x);
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < block.x; ++thread)
        threads.emplace_back([=] {
            threadIdx.x = thread;
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
                hip_call(kernel, arguments, std::index_sequence_for<Parameters...>());
                __syncthreads();
            }
        });
    for (std::thread& thread : threads) thread.join();
    pthread_barrier_destroy(&hip_barrier);
    return hipSuccess;
}
