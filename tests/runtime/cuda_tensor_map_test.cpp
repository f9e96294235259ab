#include "base/error.hpp"
#include "runtime/cuda/tensor_map.hpp"
#include "support/cuda_fixture.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace swirl::runtime {
namespace cuda_tensor_map_test {

const TensorLayout boxes{.element = DataType::bfloat16,
                         .extents = {1000, 300},
                         .byte_strides = {2048},
                         .box = {64, 128},
                         .swizzle = 128};

TEST_F(Cuda, MakesTensorsAsTheyAreDescribed) {
    const TensorMap map = tensor_map(driver(), boxes, 0x7f00'1000);
    ASSERT_EQ(fake.tensors.size(), 1U);
    const support::FakeTensor& made = fake.tensors.front();
    EXPECT_EQ(made.element, cuda::TensorElement::bfloat16);
    EXPECT_EQ(made.address, 0x7f00'1000U);
    EXPECT_EQ(made.extents, boxes.extents);
    EXPECT_EQ(made.byte_strides, boxes.byte_strides);
    EXPECT_EQ(made.box, boxes.box);
    EXPECT_EQ(made.element_strides, (std::vector<std::uint32_t>{1, 1}));
    EXPECT_EQ(made.swizzle, cuda::tensor_swizzled_128);
    EXPECT_EQ(std::memcmp(&map, &made.address, sizeof made.address), 0);
    static_assert(sizeof map == 128 && alignof(TensorMap) == 64);
}

TEST_F(Cuda, CreatesTensorMapsWithRounding) {
    TensorLayout rounded = boxes;
    rounded.element = DataType::float32;
    rounded.rounds = true;
    tensor_map(driver(), rounded, 0x7f00'1000);
    EXPECT_EQ(fake.tensors.back().element, cuda::TensorElement::float32_to_tf32);
    rounded.element = DataType::bfloat16;
    EXPECT_THROW(tensor_map(driver(), rounded, 0), InternalError);
}

TEST_F(Cuda, SaysWhatTensorsNeed) {
    expect_contains(error_of<UserError>([&] { tensor_map(driver(), boxes, 0x7f00'1008); }),
                    {"multiples of 16 bytes", "0x7f001008"});
    TensorLayout odd = boxes;
    odd.box = {64};
    EXPECT_THROW(tensor_map(driver(), odd, 0), InternalError);
    const CudaDriver older(fake_cuda_library(11000));
    expect_contains(error_of<Unavailable>([&] { tensor_map(older, boxes, 0); }), {"CUDA 12.0"});
}

} // namespace cuda_tensor_map_test
} // namespace swirl::runtime
