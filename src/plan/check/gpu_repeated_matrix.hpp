#pragma once

#include <swirl/half.hpp>
#include <swirl/normalised.hpp>

#include "base/error.hpp"
#include "plan/check/guarded_gpu_buffer.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda/memory.hpp"

#include <cmath>
#include <complex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

/// Device matrices with known elements, for verifying products.
namespace swirl::planning {

/// Calls f with a value of the storage type of a real data type.
template <class F> void with_stored(DataType data_type, F&& f) {
    switch (data_type) {
    case DataType::float32: return f(float{});
    case DataType::float64: return f(double{});
    case DataType::bfloat16: return f(bfloat16{});
    case DataType::float16: return f(float16{});
    case DataType::float8_e4m3: return f(float8_e4m3{});
    case DataType::int8: return f(std::int8_t{});
    case DataType::uint8: return f(std::uint8_t{});
    case DataType::unorm8: return f(unorm8{});
    case DataType::snorm8: return f(snorm8{});
    case DataType::unorm16: return f(unorm16{});
    case DataType::snorm16: return f(snorm16{});
    default: break;
    }
    throw InternalError("a product of {} on a GPU", name_of(data_type));
}

/// Integer and normalised storage: distance between values, and range.
struct Quantization {
    double spacing = 0;
    double least = 0, greatest = 0;
};
std::optional<Quantization> quantization_of(DataType data_type);

/// Rounds to the storage type. Integers get small values, so that accumulations over k stay in range.
template <class T> T rounded(double value) {
    if constexpr (std::is_integral_v<T>) {
        constexpr double most = 9; // so that sums of a few products stay in range
        return static_cast<T>(std::is_signed_v<T> ? most * value : std::abs(most * value));
    } else if constexpr (sizeof(T) < sizeof(float))
        return T(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

/// Calls f with a value of the type of α and β.
template <class F> void with_accumulator_type(DataType data_type, F&& f) {
    if (data_type == DataType::complex64) return f(std::complex<float>{});
    if (data_type == DataType::complex128) return f(std::complex<double>{});
    with_stored(data_type, f);
}

/// Relative distance of neighbouring values (machine epsilon), also relative to the smallest value with full precision.
double spacing(DataType data_type);
double largest(DataType data_type);

/// A matrix in device memory, with a host description of its elements. A short random sequence repeats, because filling
/// large matrices at random would take longer than multiplying them. Its length is prime, so that rows and columns soon
/// differ.
class RepeatedMatrix {
public:
    /// The first element in memory lies `shift` elements behind an address of the largest alignment.
    RepeatedMatrix(const runtime::GpuDevice& device, DataType data_type, const MatrixLayout& layout,
                   Integer rows, Integer columns, Integer batch, unsigned seed, double scale = 1,
                   Integer shift = 0);

    void* origin() const;
    std::complex<double> element(Integer matrix, Integer i, Integer j) const;
    /// The current element on the GPU; after a `fetch`, as of that fetch.
    std::complex<double> read(Integer matrix, Integer i, Integer j) const;
    std::size_t memory_bytes() const { return memory_.bytes(); }
    /// Offset in bytes from origin of the first byte written in the redzones.
    std::optional<std::ptrdiff_t> written_in_redzones() const { return memory_.written_in_redzones(); }
    /// Offset in bytes from the start of the memory of the first changed byte, or of the first one between elements.
    /// Memory larger than `max_watched` is checked at both ends only.
    std::optional<std::ptrdiff_t> changed() const { return changed(false); }
    std::optional<std::ptrdiff_t> changed_in_gaps() const { return changed(true); }
    static constexpr std::size_t max_watched = std::size_t{1} << 24; ///< bytes
    /// Copies the whole matrix from the GPU, for many reads.
    void fetch();

private:
    std::size_t bytes() const {
        return static_cast<std::size_t>(bytes_of(component_type_));
    } ///< of a component
    std::complex<double> of_layout(const std::complex<double>& stored) const {
        return layout_.conjugated ? std::conj(stored) : stored;
    }
    Integer offset(Integer matrix, Integer i, Integer j) const;
    std::optional<std::ptrdiff_t> changed(bool in_gaps) const;
    std::optional<std::ptrdiff_t> changed(bool in_gaps, std::size_t first, std::size_t end) const;
    void restore_elements(std::span<std::byte> found, std::size_t first) const;

    DataType component_type_; ///< of components
    Integer components_;
    MatrixLayout layout_;
    Integer rows_, columns_, batch_;
    Extent extent_; ///< of all memory, with the elements before the first
    std::vector<double> sequence_;
    std::vector<std::byte> stored_; ///< the sequence
    GuardedGpuBuffer memory_;
    std::vector<std::byte> fetched_;
};

} // namespace swirl::planning
