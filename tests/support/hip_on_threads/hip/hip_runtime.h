#pragma once

#include <pthread.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

/// As much of HIP as emitted files of products need, on threads of the CPU: a block after the other, each with as many threads as it has.
/// hipLaunchKernel() wants the kernel itself in place of its address without a type.

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

inline pthread_barrier_t hip_meeting;
inline void __syncthreads() { pthread_barrier_wait(&hip_meeting); }

inline hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t) {
    std::memset(memory, value, bytes);
    return hipSuccess;
}

template <class... Parameters, std::size_t... places>
void hip_call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<places...>) {
    kernel(*static_cast<std::remove_const_t<Parameters>*>(arguments[places])...);
}

template <class... Parameters>
hipError_t hipLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                           std::size_t, hipStream_t) {
    pthread_barrier_init(&hip_meeting, nullptr, block.x);
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
    pthread_barrier_destroy(&hip_meeting);
    return hipSuccess;
}
