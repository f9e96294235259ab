#include "plan/gemm/cpu/result_conversion.hpp"

#include "base/error.hpp"

#include <bit>
#include <cstring>

namespace swirl::planning {

namespace {

/// Rounds to the nearest integer, ties to even, and clamps to T's range; NaN becomes 0. `rounder` clears the fraction.
template <class T> T to_byte(float x) {
    constexpr float least = std::is_signed_v<T> ? -128 : 0, greatest = std::is_signed_v<T> ? 127 : 255;
    constexpr float rounder = 0x1.8p23F;
    float kept = x == x ? x : 0.0F;
    kept = kept < least ? least : kept;
    kept = greatest < kept ? greatest : kept;
    return static_cast<T>(std::bit_cast<std::uint32_t>(kept + rounder));
}

/// Calls f with a function that converts a float32 to the data type.
template <class F> void with_conversion(DataType to, F&& f) {
    switch (to) {
    case DataType::bfloat16: return f([](float x) { return bfloat16(x); });
    case DataType::float16: return f([](float x) { return float16(x); });
    case DataType::unorm8: return f([](float x) { return unorm8(x); });
    case DataType::snorm8: return f([](float x) { return snorm8(x); });
    case DataType::unorm16: return f([](float x) { return unorm16(x); });
    case DataType::snorm16: return f([](float x) { return snorm16(x); });
    case DataType::int8: return f(to_byte<std::int8_t>);
    case DataType::uint8: return f(to_byte<std::uint8_t>);
    default: throw InternalError("sums stored as {}", name_of(to));
    }
}

void convert_on_host(const float* accumulators, const MatrixProduct& product, void* to) {
    with_conversion(product.type_of_c(), [&](auto&& converted) {
        using T = decltype(converted(0.0F));
        const Integer stride = product.c.row_stride;
        for (Integer column = 0; column < product.columns; ++column) {
            const float* const from = accumulators + column * product.rows;
            T* const c = static_cast<T*>(to) + column * product.c.column_stride;
            if (stride == 1) // the compiler vectorises it
                for (Integer row = 0; row < product.rows; ++row) c[row] = converted(from[row]);
            else
                for (Integer row = 0; row < product.rows; ++row) c[row * stride] = converted(from[row]);
        }
    });
}

} // namespace

std::shared_ptr<ElementwiseKernels> conversion_kernels(const MatrixProduct& canonical, const target::Cpu& cpu,
                                                       KernelCheck check) {
    if (bytes_of(canonical.type_of_c()) >= bytes_of(canonical.data_type)) return nullptr;
    return ElementwiseKernels::shared(
        {.data_type = DataType::float32,
         .result = gemm::StoredElements{canonical.type_of_c(), canonical.c.row_stride}},
        canonical.rows, canonical.columns, cpu, check);
}

void convert_and_store(ElementwiseKernels* kernels, float* accumulators, const MatrixProduct& product,
                       void* c) {
    if (kernels == nullptr) return convert_on_host(accumulators, product, c);
    kernels->run({.rows = product.rows,
                  .columns = product.columns,
                  .elements = accumulators,
                  .column_stride = product.rows,
                  .results = c,
                  .result_stride = product.c.column_stride},
                 1, [](std::size_t) -> const void* { return nullptr; });
}

void convert_element(float element, DataType to, std::byte* at) {
    with_conversion(to, [&](auto&& converted) {
        const auto result = converted(element);
        std::memcpy(at, &result, sizeof result);
    });
}

} // namespace swirl::planning
