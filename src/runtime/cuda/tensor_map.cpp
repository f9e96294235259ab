#include "runtime/cuda/tensor_map.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

namespace swirl::runtime {
namespace {

constexpr int tensor_version = 12000; ///< first CUDA version with tensor maps
constexpr cuda::Address address_alignment = 16;
constexpr std::size_t max_extents = 5;

cuda::TensorElement element_of(DataType scalar, bool rounds) {
    using cuda::TensorElement;
    ensure(!rounds || scalar == DataType::float32, "a tensor of which loads round what is no float32");
    if (rounds) return TensorElement::float32_to_tf32;
    switch (scalar) {
    case DataType::int8: // copies need only the element size
    case DataType::float8_e4m3:
    case DataType::uint8: return TensorElement::uint8;
    case DataType::int16:
    case DataType::uint16: return TensorElement::uint16;
    case DataType::int32: return TensorElement::int32;
    case DataType::int64: return TensorElement::int64;
    case DataType::float16: return TensorElement::float16;
    case DataType::bfloat16: return TensorElement::bfloat16;
    case DataType::float32: return TensorElement::float32;
    case DataType::float64: return TensorElement::float64;
    default: throw InternalError("a tensor of {}, which is in no memory", name_of(scalar));
    }
}

int swizzle_of(int bytes) {
    switch (bytes) {
    case 0: return cuda::tensor_not_swizzled;
    case 32: return cuda::tensor_swizzled_32;
    case 64: return cuda::tensor_swizzled_64;
    case 128: return cuda::tensor_swizzled_128;
    default: throw InternalError("a tensor of which rows of {} bytes are swizzled", bytes);
    }
}

} // namespace

TensorMap tensor_map(const CudaDriver& driver, const TensorLayout& layout, cuda::Address address) {
    if (driver->cuTensorMapEncodeTiled == nullptr)
        driver.too_old_for("a kernel that loads tiles by TMA", tensor_version);
    if (address % address_alignment != 0)
        throw UserError("TMA needs addresses that are multiples of {} bytes; {:#x} is not", address_alignment,
                        address);
    const std::size_t rank = layout.extents.size();
    ensure(rank >= 1 && rank <= max_extents && layout.byte_strides.size() == rank - 1 &&
               layout.box.size() == rank,
           "a tensor of {} extents, {} strides and boxes of {}", rank, layout.byte_strides.size(),
           layout.box.size());
    std::array<std::uint32_t, max_extents> every_element{};
    every_element.fill(1);
    TensorMap result;
    driver.check(
        driver->cuTensorMapEncodeTiled(
            result.bytes.data(), element_of(layout.element, layout.rounds), static_cast<std::uint32_t>(rank),
            reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), layout.extents.data(),
            layout.byte_strides.data(), layout.box.data(), every_element.data(), cuda::tensor_not_interleaved,
            swizzle_of(layout.swizzle), cuda::tensor_promotion_256, cuda::tensor_zeros_outside),
        "cuTensorMapEncodeTiled");
    return result;
}

} // namespace swirl::runtime
