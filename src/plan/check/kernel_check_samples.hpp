#pragma once

#include <swirl/half.hpp>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "gemm/epilogue.hpp"
#include "problem/data_type.hpp"

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

/// Samples, memory and results of the checks of product kernels before their first use.
namespace swirl::planning::kernel_check {

/// Watched bytes before and after results.
constexpr Integer guard_bytes = 64;

/// Well mixed bits of an element's coordinates.
inline std::uint32_t mixed(int which, Integer i, Integer j) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 0x9e3779b1U ^
                      static_cast<std::uint32_t>(j) * 0x85ebca77U ^
                      static_cast<std::uint32_t>(which + 1) * 0xc2b2ae3dU;
    x = (x ^ x >> 15) * 0x2c1b3c6dU;
    return x >> 16;
}
/// −3 … 3.
inline double small_integer(int which, Integer i, Integer j) {
    return static_cast<double>(mixed(which, i, j) % 7) - 3;
}

/// Zeroed memory whose pages cost nothing until they are touched.
class Memory {
public:
    explicit Memory(Integer bytes)
        : bytes_(static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes + alignment), 1))) {
        if (bytes_ == nullptr) throw std::bad_alloc();
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.get());
        first_ = bytes_.get() + (alignment - address % alignment);
    }
    std::byte* data() const { return first_; }

private:
    static constexpr std::uintptr_t alignment = 64;
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::byte* first_ = nullptr;
};

/// Reads and writes elements of a data type as doubles.
template <class V> void put(DataType data_type, std::byte* at, V value) {
    const auto write = [&](auto element) { std::memcpy(at, &element, sizeof element); };
    double real = 0, imaginary = 0;
    if constexpr (std::is_same_v<V, double>) {
        real = value;
    } else {
        real = value.real();
        imaginary = value.imag();
    }
    switch (data_type) {
    case DataType::float32: return write(static_cast<float>(real));
    case DataType::float64: return write(real);
    case DataType::complex64: return write(std::complex<float>(std::complex<double>(real, imaginary)));
    case DataType::complex128: return write(std::complex<double>(real, imaginary));
    case DataType::int32: return write(static_cast<std::int32_t>(real));
    case DataType::int8: return write(static_cast<std::int8_t>(real));
    case DataType::uint8: return write(static_cast<std::uint8_t>(real));
    case DataType::bfloat16: return write(bfloat16(static_cast<float>(real)));
    case DataType::float16: return write(float16(static_cast<float>(real)));
    default: throw InternalError("no sample of {}", name_of(data_type));
    }
}
template <class V> V get(DataType data_type, const std::byte* at) {
    const auto read = [&](auto element) {
        std::memcpy(&element, at, sizeof element);
        if constexpr (std::is_same_v<decltype(element), std::complex<float>>)
            return std::complex<double>(element);
        else if constexpr (std::is_same_v<decltype(element), std::complex<double>>)
            return element;
        else
            return static_cast<double>(element);
    };
    if constexpr (!std::is_same_v<V, double>) {
        return data_type == DataType::complex64 ? read(std::complex<float>()) : read(std::complex<double>());
    } else {
        switch (data_type) {
        case DataType::float32: return read(0.0F);
        case DataType::float64: return read(0.0);
        case DataType::int32: return read(std::int32_t{});
        default: throw InternalError("no result of {}", name_of(data_type));
        }
    }
}

[[noreturn]] inline void fail(const std::string& name, const std::string& what) {
    throw InternalError(
        "kernel '{}' failed its check before first use: {}\n  set SWIRL_NO_JIT=1 to compute without "
        "generated code, and report this",
        name, what);
}

/// The epilogue's operands: an array of small values for each.
class OperandArrays {
public:
    OperandArrays(const gemm::Epilogue& epilogue, DataType data_type, Integer rows, Integer columns)
        : epilogue_(epilogue), bytes_(bytes_of(gemm::epilogue_scalar(data_type))) {
        for (std::size_t k = 0; k < epilogue.operands.size(); ++k) {
            const gemm::Epilogue::Operand& operand = epilogue.operands[k];
            const Integer along_rows = operand.row_stride * (rows - 1),
                          along_columns = operand.column_stride * (columns - 1);
            const Integer lowest = std::min<Integer>(along_rows, 0) + std::min<Integer>(along_columns, 0);
            const Integer highest = std::max<Integer>(along_rows, 0) + std::max<Integer>(along_columns, 0);
            memories_.emplace_back((highest - lowest + lanes) * size(k));
            first_.push_back(memories_.back().data() - lowest * size(k));
            for (Integer i = 0; i < rows; ++i)
                for (Integer j = 0; j < columns; ++j) {
                    const Integer at = i * operand.row_stride + j * operand.column_stride;
                    put_value(k, at, 0);
                    if (operand.is_complex) put_value(k, at, 1);
                }
        }
    }
    const gemm::Epilogue& code() const { return epilogue_; }
    const void* operand(std::size_t k, Integer row, Integer column) const {
        const gemm::Epilogue::Operand& operand = epilogue_.operands[k];
        return first_[k] + (row * operand.row_stride + column * operand.column_stride) * size(k);
    }

private:
    static constexpr Integer lanes = 16; ///< vectors may be read up to their end

    Integer size(std::size_t k) const { return bytes_ * (epilogue_.operands[k].is_complex ? 2 : 1); }
    /// Multiples of a quarter, never zero.
    void put_value(std::size_t k, Integer at, Integer component) {
        const double value =
            (static_cast<double>(mixed(static_cast<int>(k) + 20, at, component) % 8) - 4.5) / 2;
        put(bytes_ == 4 ? DataType::float32 : DataType::float64,
            first_[k] + at * size(k) + component * bytes_, value);
    }

    const gemm::Epilogue& epilogue_;
    Integer bytes_;
    std::vector<Memory> memories_;
    std::vector<std::byte*> first_;
};

} // namespace swirl::planning::kernel_check
