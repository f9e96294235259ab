#pragma once

#include "ir/type.hpp"
#include "runtime/cuda_driver.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace swirl::runtime {

/// What a kernel is passed for a tensor: the driver's words for the copy engine.
struct alignas(64) TensorMap {
    std::array<std::byte, 128> bytes{};
};

/// Data in global memory, and the boxes of it that are moved at once, as ir::TensorInfo has it.
struct TensorLayout {
    ir::Scalar element = ir::Scalar::float32;
    std::vector<std::uint64_t> extents;      ///< one to five
    std::vector<std::uint64_t> byte_strides; ///< of all but the first, whose elements lie together
    std::vector<std::uint32_t> box;
    int swizzle = 0;     ///< bytes of a row of a box that are swizzled in shared memory: 32, 64, 128, or 0
    bool rounds = false; ///< loads round float32 to 10 bits of fraction
};

/// UserError where the address is not a multiple of 16, or the driver is too old; InternalError for layouts that it does not take.
/// For the current GPU.
TensorMap tensor_map(const CudaDriver& driver, const TensorLayout& layout, cuda::Address address);

} // namespace swirl::runtime
