#pragma once

#include "ir/type.hpp"
#include "runtime/cuda/driver.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace swirl::runtime {

/// A tensor map (CUtensorMap), passed to a kernel as the TMA descriptor of a tensor.
struct alignas(64) TensorMap {
    std::array<std::byte, 128> bytes{};
};

/// Data in global memory, and the boxes of it that TMA copies, as described by ir::TensorInfo.
struct TensorLayout {
    DataType element = DataType::float32;
    std::vector<std::uint64_t> extents;      ///< one to five dimensions
    std::vector<std::uint64_t> byte_strides; ///< of all dimensions but the first, which is contiguous
    std::vector<std::uint32_t> box;
    int swizzle = 0;     ///< swizzle width in bytes of a box row in shared memory: 32, 64, 128, or 0
    bool rounds = false; ///< loads round float32 to TF32 (10-bit fraction)
};

/// Encodes a tensor map for the current GPU. Throws UserError if the address is not a multiple of 16 or the driver is
/// too old; InternalError if the driver rejects the layout.
TensorMap tensor_map(const CudaDriver& driver, const TensorLayout& layout, cuda::Address address);

} // namespace swirl::runtime
