#pragma once

#include "problem/problem.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"

#include <complex>
#include <cstddef>
#include <string_view>
#include <vector>

/// The data of GPU benchmarks: random elements that the host can reproduce without storing all of them.
namespace swirl::bench {

/// A stored data type. Values are rounded to nearest, ties to even.
struct StoredType {
    std::string_view name;
    std::size_t bytes = 0;
    void (*write)(double value, std::byte* to) = nullptr;
    double (*read)(const std::byte* from) = nullptr;
};
const StoredType& stored(DataType precision);
/// E4M3 of "OCP 8-bit Floating Point Specification", revision 1.0: 4 significant bits, from 2^-9 to 448. Magnitudes
/// written are below 448.
const StoredType& stored_e4m3();

/// Random elements in −1…1 with a prime period that is no size of a transform or matrix.
class RandomNumbers {
public:
    explicit RandomNumbers(const StoredType& type);

    static constexpr Integer period = 8388593; ///< the largest prime below 2^23

    const StoredType& type() const { return *type_; }
    const std::vector<std::byte>& bytes() const { return bytes_; }
    /// The element at an index ≥ 0, and the one after it, which may be the imaginary component.
    long double operator[](Integer index) const { return values_[static_cast<std::size_t>(index % period)]; }
    std::complex<long double> pair(Integer index) const {
        const auto at = static_cast<std::size_t>(index % period);
        return {values_[at], values_[at + 1]};
    }

private:
    const StoredType* type_;
    std::vector<std::byte> bytes_;
    std::vector<double> values_; ///< as stored; then the first again
};

/// The same elements on a GPU, to fill arrays with.
class RandomPattern {
public:
    /// For arrays of up to `reach` elements. Throws OutOfMemory.
    RandomPattern(const runtime::GpuStream& stream, const StoredType& type, Integer reach);

    const RandomNumbers& numbers() const { return numbers_; }
    /// Whether such arrays can be filled.
    bool serves(const StoredType& type, Integer reach) const;
    /// Enqueues a fill of `bytes`, a multiple of the element size, with the elements from this index on.
    void fill(const runtime::GpuStream& stream, runtime::cuda::Address to, std::size_t bytes,
              Integer first = 0) const;

private:
    RandomNumbers numbers_;
    runtime::GpuBuffer pattern_;
};

} // namespace swirl::bench
