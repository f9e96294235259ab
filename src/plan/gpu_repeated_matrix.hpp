#pragma once

#include <swirl/half.hpp>
#include <swirl/normalised.hpp>

#include "base/error.hpp"
#include "plan/guarded_gpu_buffer.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda_memory.hpp"

#include <cmath>
#include <complex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

/// Matrices of known numbers on a GPU, for comparing products with their definition.
namespace swirl::planning {

/// f with an example of the type of a real number in memory.
template <class F> void with_stored(Number number, F&& f) {
    switch (number) {
    case Number::float32: return f(float{});
    case Number::float64: return f(double{});
    case Number::bfloat16: return f(bfloat16{});
    case Number::float16: return f(float16{});
    case Number::float8_e4m3: return f(float8_e4m3{});
    case Number::int8: return f(std::int8_t{});
    case Number::uint8: return f(std::uint8_t{});
    case Number::unorm8: return f(unorm8{});
    case Number::snorm8: return f(snorm8{});
    case Number::unorm16: return f(unorm16{});
    case Number::snorm16: return f(snorm16{});
    default: break;
    }
    throw InternalError("a product of {} on a GPU", word_of(number));
}

/// Integers in memory: how far apart their values are, and the range that these keep to.
struct Steps {
    double step = 0;
    double least = 0, greatest = 0;
};
std::optional<Steps> steps_of(Number number);

/// A number as it is stored; of integers some that are small, as sums of some products are to be no larger than what is stored.
template <class T> T rounded(double number) {
    if constexpr (std::is_integral_v<T>) {
        constexpr double most = 9; // so that sums of some products are no larger than what is stored
        return static_cast<T>(std::is_signed_v<T> ? most * number : std::abs(most * number));
    } else if constexpr (sizeof(T) < sizeof(float))
        return T(static_cast<float>(number));
    else
        return static_cast<T>(number);
}

/// f with an example of what α and β are.
template <class F> void with_sums(Number number, F&& f) {
    if (number == Number::complex32) return f(std::complex<float>{});
    if (number == Number::complex64) return f(std::complex<double>{});
    with_stored(number, f);
}

/// Of a complex number's parts.
Number part_of(Number number);
/// What a number's neighbours differ by, as part of it, or of the smallest one that has all digits.
double spacing(Number number);
double largest(Number number);

/// Numbers of a matrix, in a GPU's memory and on the host: a short random sequence again and again, as large matrices would take longer to
/// fill than to multiply. Its length is a prime, so that no two rows or columns are the same for long.
class RepeatedMatrix {
public:
    RepeatedMatrix(const runtime::GpuDevice& device, Number number, const MatrixLayout& layout, Integer rows,
                   Integer columns, Integer batch, unsigned seed, double scale = 1);

    void* origin() const;
    std::complex<double> element(Integer matrix, Integer i, Integer j) const;
    /// What is there by now; by the last `fetch`, if there was one.
    std::complex<double> read(Integer matrix, Integer i, Integer j) const;
    std::size_t memory_bytes() const { return memory_.bytes(); }
    /// The first byte written in the zones around it, from its first one on.
    std::optional<std::ptrdiff_t> touched_in_zones() const { return memory_.touched_in_zones(); }
    /// The first byte of its memory that has changed, or of what is between elements, from its first one on. Of memory larger than
    /// `most_watched` both ends are looked at.
    std::optional<std::ptrdiff_t> changed() const { return changed(false); }
    std::optional<std::ptrdiff_t> changed_in_gaps() const { return changed(true); }
    static constexpr std::size_t most_watched = std::size_t{1} << 24; ///< bytes
    /// Copies all of it from the GPU, for many reads.
    void fetch();

private:
    std::size_t bytes() const { return static_cast<std::size_t>(bytes_of(number_)); } ///< of a part
    std::complex<double> of_layout(const std::complex<double>& stored) const {
        return layout_.conjugated ? std::conj(stored) : stored;
    }
    Integer offset(Integer matrix, Integer i, Integer j) const;
    std::optional<std::ptrdiff_t> changed(bool in_gaps) const;
    std::optional<std::ptrdiff_t> changed(bool in_gaps, std::size_t first, std::size_t end) const;
    void restore_elements(std::span<std::byte> found, std::size_t first) const;

    Number number_; ///< of parts
    Integer parts_;
    MatrixLayout layout_;
    Integer rows_, columns_, batch_;
    Extent extent_;
    std::vector<double> sequence_;
    std::vector<std::byte> stored_; ///< the sequence
    GuardedGpuBuffer memory_;
    std::vector<std::byte> fetched_;
};

} // namespace swirl::planning
