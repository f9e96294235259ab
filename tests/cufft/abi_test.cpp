#include "cufft/abi.hpp"

#include <gtest/gtest.h>

#if __has_include(<cufftXt.h>) && __has_include(<cuda_runtime.h>)
#include <cufftXt.h>
#define SWIRL_HAS_CUFFT_HEADER 1
#endif

#include <cstddef>

namespace swirl::cufft {
namespace abi_test {

#if defined(SWIRL_HAS_CUFFT_HEADER)

template <class Ours> constexpr bool is(Ours ours, int theirs) { return static_cast<int>(ours) == theirs; }

TEST(CufftAbi, ValuesAreThoseOfNvidiasHeaders) {
    EXPECT_TRUE(is(Status::success, CUFFT_SUCCESS));
    EXPECT_TRUE(is(Status::invalid_plan, CUFFT_INVALID_PLAN));
    EXPECT_TRUE(is(Status::alloc_failed, CUFFT_ALLOC_FAILED));
    EXPECT_TRUE(is(Status::invalid_type, CUFFT_INVALID_TYPE));
    EXPECT_TRUE(is(Status::invalid_value, CUFFT_INVALID_VALUE));
    EXPECT_TRUE(is(Status::internal_error, CUFFT_INTERNAL_ERROR));
    EXPECT_TRUE(is(Status::exec_failed, CUFFT_EXEC_FAILED));
    EXPECT_TRUE(is(Status::setup_failed, CUFFT_SETUP_FAILED));
    EXPECT_TRUE(is(Status::invalid_size, CUFFT_INVALID_SIZE));
    EXPECT_TRUE(is(Status::unaligned_data, CUFFT_UNALIGNED_DATA));
    EXPECT_TRUE(is(Status::invalid_device, CUFFT_INVALID_DEVICE));
    EXPECT_TRUE(is(Status::no_workspace, CUFFT_NO_WORKSPACE));
    EXPECT_TRUE(is(Status::not_implemented, CUFFT_NOT_IMPLEMENTED));
    EXPECT_TRUE(is(Status::not_supported, CUFFT_NOT_SUPPORTED));
    EXPECT_TRUE(is(Type::r2c, CUFFT_R2C));
    EXPECT_TRUE(is(Type::c2r, CUFFT_C2R));
    EXPECT_TRUE(is(Type::c2c, CUFFT_C2C));
    EXPECT_TRUE(is(Type::d2z, CUFFT_D2Z));
    EXPECT_TRUE(is(Type::z2d, CUFFT_Z2D));
    EXPECT_TRUE(is(Type::z2z, CUFFT_Z2Z));
    EXPECT_TRUE(is(ElementType::real_float32, CUDA_R_32F));
    EXPECT_TRUE(is(ElementType::real_float64, CUDA_R_64F));
    EXPECT_TRUE(is(ElementType::real_float16, CUDA_R_16F));
    EXPECT_TRUE(is(ElementType::complex_float32, CUDA_C_32F));
    EXPECT_TRUE(is(ElementType::complex_float64, CUDA_C_64F));
    EXPECT_TRUE(is(ElementType::complex_float16, CUDA_C_16F));
    EXPECT_TRUE(is(ElementType::real_bfloat16, CUDA_R_16BF));
    EXPECT_TRUE(is(ElementType::complex_bfloat16, CUDA_C_16BF));
    EXPECT_TRUE(is(forward_sign, CUFFT_FORWARD));
    EXPECT_TRUE(is(inverse_sign, CUFFT_INVERSE));
    EXPECT_TRUE(is(LibraryProperty::major, MAJOR_VERSION));
    EXPECT_TRUE(is(LibraryProperty::patch, PATCH_LEVEL));
    EXPECT_TRUE(is(WorkAreaPolicy::performance, CUFFT_WORKAREA_PERFORMANCE));
    EXPECT_TRUE(is(SubFormat::in_place, CUFFT_XT_FORMAT_INPLACE));
    EXPECT_TRUE(is(SubFormat::in_place_shuffled, CUFFT_XT_FORMAT_INPLACE_SHUFFLED));
    EXPECT_TRUE(is(CopyType::device_to_host, CUFFT_COPY_DEVICE_TO_HOST));
    EXPECT_TRUE(is(CopyType::device_to_device, CUFFT_COPY_DEVICE_TO_DEVICE));
#if CUFFT_VERSION >= 12000
    EXPECT_TRUE(is(null_plan, CUFFT_PLAN_NULL));
    EXPECT_TRUE(is(PlanProperty::max_host_threads, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS));
#endif
}

TEST(CufftAbi, LayoutsAreThoseOfNvidiasHeaders) {
    EXPECT_EQ(sizeof(Memories), sizeof(cudaXtDesc));
    EXPECT_EQ(offsetof(Memories, ordinals), offsetof(cudaXtDesc, GPUs));
    EXPECT_EQ(offsetof(Memories, data), offsetof(cudaXtDesc, data));
    EXPECT_EQ(offsetof(Memories, bytes), offsetof(cudaXtDesc, size));
    EXPECT_EQ(offsetof(Memories, state), offsetof(cudaXtDesc, cudaXtState));
    EXPECT_EQ(sizeof(Descriptor), sizeof(cudaLibXtDesc));
    EXPECT_EQ(offsetof(Descriptor, memories), offsetof(cudaLibXtDesc, descriptor));
    EXPECT_EQ(offsetof(Descriptor, format), offsetof(cudaLibXtDesc, subFormat));
    EXPECT_EQ(offsetof(Descriptor, owner), offsetof(cudaLibXtDesc, libDescriptor));
}

#else

TEST(CufftAbi, ValuesAreThoseOfNvidiasHeaders) { GTEST_SKIP() << "cufftXt.h is not installed"; }

#endif

} // namespace abi_test
} // namespace swirl::cufft
