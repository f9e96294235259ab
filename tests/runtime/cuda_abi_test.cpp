#include "runtime/cuda/abi.hpp"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

#include <algorithm>
#include <cstddef>

namespace swirl::runtime::cuda {
namespace cuda_abi_test {

#if defined(CUDA_VERSION) && CUDA_VERSION >= 11080

template <class Ours> constexpr bool is(Ours ours, int theirs) { return static_cast<int>(ours) == theirs; }

TEST(CudaAbi, ResultsAreThoseOfCudasHeader) {
    EXPECT_TRUE(is(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY));
    EXPECT_TRUE(is(not_initialized, CUDA_ERROR_NOT_INITIALIZED));
    EXPECT_TRUE(is(stub_library, CUDA_ERROR_STUB_LIBRARY));
    EXPECT_TRUE(is(device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE));
    EXPECT_TRUE(is(no_device, CUDA_ERROR_NO_DEVICE));
    EXPECT_TRUE(is(not_ready, CUDA_ERROR_NOT_READY));
    EXPECT_TRUE(is(peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
    EXPECT_TRUE(is(invalid_context, CUDA_ERROR_INVALID_CONTEXT));
    EXPECT_TRUE(is(no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU));
    EXPECT_TRUE(is(invalid_ptx, CUDA_ERROR_INVALID_PTX));
    EXPECT_TRUE(is(compiler_not_found, CUDA_ERROR_JIT_COMPILER_NOT_FOUND));
    EXPECT_TRUE(is(unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
    EXPECT_TRUE(is(compilation_disabled, CUDA_ERROR_JIT_COMPILATION_DISABLED));
    EXPECT_TRUE(is(invalid_handle, CUDA_ERROR_INVALID_HANDLE));
    EXPECT_TRUE(is(illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS));
    EXPECT_TRUE(is(launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
    EXPECT_TRUE(is(launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT));
    EXPECT_TRUE(is(assertion, CUDA_ERROR_ASSERT));
    EXPECT_TRUE(is(hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR));
    EXPECT_TRUE(is(launch_failed, CUDA_ERROR_LAUNCH_FAILED));
}

TEST(CudaAbi, AttributesAreThoseOfCudasHeader) {
    using D = DeviceAttribute;
    EXPECT_TRUE(is(D::threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    EXPECT_TRUE(is(D::shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    EXPECT_TRUE(is(D::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE));
    EXPECT_TRUE(is(D::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    EXPECT_TRUE(is(D::clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
    EXPECT_TRUE(is(D::memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
    EXPECT_TRUE(is(D::memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
    EXPECT_TRUE(is(D::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    EXPECT_TRUE(is(D::threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
    EXPECT_TRUE(is(D::capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    EXPECT_TRUE(is(D::capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    EXPECT_TRUE(
        is(D::shared_bytes_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
    EXPECT_TRUE(is(D::registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
    EXPECT_TRUE(is(D::max_shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    EXPECT_TRUE(is(D::blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
    EXPECT_TRUE(is(D::shared_bytes_reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
    EXPECT_TRUE(is(D::memory_pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED));
    EXPECT_TRUE(is(D::cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH));

    using F = FunctionAttribute;
    EXPECT_TRUE(is(F::threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    EXPECT_TRUE(is(F::static_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    EXPECT_TRUE(is(F::constant_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    EXPECT_TRUE(is(F::local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    EXPECT_TRUE(is(F::registers, CU_FUNC_ATTRIBUTE_NUM_REGS));
    EXPECT_TRUE(is(F::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
    EXPECT_TRUE(is(F::max_dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    EXPECT_TRUE(is(F::any_cluster_size, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));

    EXPECT_TRUE(is(PointerAttribute::memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE));
    EXPECT_TRUE(is(PointerAttribute::is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED));
    EXPECT_TRUE(is(PointerAttribute::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL));
    EXPECT_TRUE(is(MemoryType::host, CU_MEMORYTYPE_HOST));
    EXPECT_TRUE(is(MemoryType::device, CU_MEMORYTYPE_DEVICE));
}

TEST(CudaAbi, OptionsAreThoseOfCudasHeader) {
    using C = CompileOption;
    EXPECT_TRUE(is(C::max_registers, CU_JIT_MAX_REGISTERS));
    EXPECT_TRUE(is(C::information, CU_JIT_INFO_LOG_BUFFER));
    EXPECT_TRUE(is(C::information_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES));
    EXPECT_TRUE(is(C::errors, CU_JIT_ERROR_LOG_BUFFER));
    EXPECT_TRUE(is(C::errors_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
    EXPECT_TRUE(is(C::optimization, CU_JIT_OPTIMIZATION_LEVEL));
    EXPECT_TRUE(is(C::verbose, CU_JIT_LOG_VERBOSE));

    EXPECT_TRUE(is(link_input_ptx, CU_JIT_INPUT_PTX));
    EXPECT_TRUE(is(stream_non_blocking, CU_STREAM_NON_BLOCKING));
    EXPECT_TRUE(is(capture_none, CU_STREAM_CAPTURE_STATUS_NONE));
    EXPECT_TRUE(is(LaunchAttribute::cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
    EXPECT_TRUE(is(LaunchAttribute::cooperative_launch, CU_LAUNCH_ATTRIBUTE_COOPERATIVE));
    EXPECT_TRUE(is(LaunchAttribute::programmatic_stream_serialization,
                   CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION));
}

TEST(CudaAbi, TensorsAreThoseOfCudasHeader) {
#if CUDA_VERSION >= 12000
    using T = TensorElement;
    EXPECT_TRUE(is(T::uint8, CU_TENSOR_MAP_DATA_TYPE_UINT8));
    EXPECT_TRUE(is(T::uint16, CU_TENSOR_MAP_DATA_TYPE_UINT16));
    EXPECT_TRUE(is(T::uint32, CU_TENSOR_MAP_DATA_TYPE_UINT32));
    EXPECT_TRUE(is(T::int32, CU_TENSOR_MAP_DATA_TYPE_INT32));
    EXPECT_TRUE(is(T::uint64, CU_TENSOR_MAP_DATA_TYPE_UINT64));
    EXPECT_TRUE(is(T::int64, CU_TENSOR_MAP_DATA_TYPE_INT64));
    EXPECT_TRUE(is(T::float16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16));
    EXPECT_TRUE(is(T::float32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32));
    EXPECT_TRUE(is(T::float64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64));
    EXPECT_TRUE(is(T::bfloat16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16));
    EXPECT_TRUE(is(tensor_not_interleaved, CU_TENSOR_MAP_INTERLEAVE_NONE));
    EXPECT_TRUE(is(tensor_not_swizzled, CU_TENSOR_MAP_SWIZZLE_NONE));
    EXPECT_TRUE(is(tensor_swizzled_128, CU_TENSOR_MAP_SWIZZLE_128B));
    EXPECT_TRUE(is(tensor_promotion_256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B));
    EXPECT_TRUE(is(tensor_zeros_outside, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    static_assert(sizeof(CUtensorMap) == 128);
#else
    GTEST_SKIP() << "<cuda.h> of CUDA 12.0 or later is not installed";
#endif
}

TEST(CudaAbi, LayoutsAreThoseOfCudasHeader) {
    static_assert(alignof(LaunchAttribute) == alignof(CUlaunchAttribute));
    static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
    static_assert(offsetof(LaunchAttribute, cluster) == offsetof(CUlaunchAttribute, value));
    static_assert(sizeof(LaunchConfiguration) == sizeof(CUlaunchConfig));
    static_assert(offsetof(LaunchConfiguration, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
    static_assert(offsetof(LaunchConfiguration, stream) == offsetof(CUlaunchConfig, hStream));
    static_assert(offsetof(LaunchConfiguration, attributes) == offsetof(CUlaunchConfig, attrs));
    static_assert(offsetof(LaunchConfiguration, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
    static_assert(sizeof(Address) == sizeof(CUdeviceptr));
    static_assert(sizeof(Result) == sizeof(CUresult));
    static_assert(sizeof(DeviceHandle) == sizeof(CUdevice));
    static_assert(sizeof(MemoryType) == sizeof(CUmemorytype));
    CUlaunchAttribute theirs{};
    theirs.value.clusterDim.y = 7;
    LaunchAttribute ours{};
    static_assert(sizeof ours == sizeof theirs);
    std::copy_n(reinterpret_cast<const char*>(&theirs), sizeof theirs, reinterpret_cast<char*>(&ours));
    EXPECT_EQ(ours.cluster.y, 7U);
}

#else

TEST(CudaAbi, ValuesAndLayoutsAreThoseOfCudasHeader) {
    GTEST_SKIP() << "<cuda.h> of CUDA 11.8 or later is not installed";
}

#endif

} // namespace cuda_abi_test
} // namespace swirl::runtime::cuda
