#pragma once

#include "problem/problem.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_stream.hpp"

#include <complex>
#include <cstddef>
#include <string_view>
#include <vector>

/// The data of benchmarks on GPUs: random numbers that the host knows too, without holding all of them.
namespace swirl::bench {

/// How numbers lie in memory. What is written is rounded to the nearest, ties to even.
struct StoredNumber {
    std::string_view name;
    std::size_t bytes = 0;
    void (*write)(double value, std::byte* to) = nullptr;
    double (*read)(const std::byte* from) = nullptr;
};
const StoredNumber& stored(Precision precision);
/// E4M3 of "OCP 8-bit Floating Point Specification", revision 1.0: 4 significant bits, from 2^-9 to 448. Magnitudes that
/// are written are below 448.
const StoredNumber& stored_e4m3();

/// Random numbers in −1…1, which repeat after a number of them that is prime and no size of a transform or matrix.
class RandomNumbers {
public:
    explicit RandomNumbers(const StoredNumber& number);

    static constexpr Integer period = 8388593; ///< the largest prime below 2^23

    const StoredNumber& number() const { return *number_; }
    const std::vector<std::byte>& bytes() const { return bytes_; }
    /// The number at an index from 0 on, and the one after it, which may be the imaginary part.
    long double operator[](Integer index) const { return values_[static_cast<std::size_t>(index % period)]; }
    std::complex<long double> pair(Integer index) const {
        const auto at = static_cast<std::size_t>(index % period);
        return {values_[at], values_[at + 1]};
    }

private:
    const StoredNumber* number_;
    std::vector<std::byte> bytes_;
    std::vector<double> values_; ///< as stored; then the first again
};

/// The same numbers on a GPU, to fill arrays with.
class RandomPattern {
public:
    /// For arrays that reach no further than so many numbers behind the first. GpuOutOfMemory.
    RandomPattern(const runtime::GpuStream& stream, const StoredNumber& number, Integer reach);

    const RandomNumbers& numbers() const { return numbers_; }
    /// Whether such arrays can be filled.
    bool serves(const StoredNumber& number, Integer reach) const;
    /// Puts bytes, a multiple of the number's, into the stream: the numbers from this index on.
    void fill(const runtime::GpuStream& stream, runtime::cuda::Address to, std::size_t bytes,
              Integer first = 0) const;

private:
    RandomNumbers numbers_;
    runtime::GpuBuffer pattern_;
};

} // namespace swirl::bench
