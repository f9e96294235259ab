#pragma once

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_stream.hpp"

#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

/// The data of the benchmark: random numbers that the host knows too, without holding all of them.
namespace swirl::bench {

/// Where the parts of an element lie, counted in real numbers from the begin of an array; −1: it has no such part.
struct Parts {
    Integer real = 0;
    Integer imaginary = -1;
};
/// Of the element that is `offset` from index 0. Planar imaginary parts follow the real ones of the whole array.
Parts parts_at(const Problem& problem, Side side, Integer offset);

/// Bytes that a side of a problem takes, from index 0 on. Strides are not negative here.
std::size_t bytes_of(const Problem& problem, Side side);

/// Random numbers in −1…1 of a precision, which repeat after a number of them that is prime and no size of a transform.
class RandomNumbers {
public:
    explicit RandomNumbers(Precision precision);

    Precision precision() const { return precision_; }
    const std::vector<std::byte>& bytes() const { return bytes_; }
    /// The number at an index from 0 on, and the one after it, which may be the imaginary part.
    long double operator[](Integer index) const { return values_[static_cast<std::size_t>(index % period)]; }
    std::complex<long double> pair(Integer index) const {
        const auto at = static_cast<std::size_t>(index % period);
        return {values_[at], values_[at + 1]};
    }

private:
    static constexpr Integer period = 8388593; ///< the largest prime below 2^23

    Precision precision_;
    std::vector<std::byte> bytes_;
    std::vector<double> values_; ///< as stored; then the first again
};

/// The number that bytes hold in a precision.
long double number_at(Precision precision, const std::byte* bytes);

/// Two pairs of an input and an output on a GPU, to be used in turn: what one execution has left in the cache, the next
/// does not find there.
class Arrays {
public:
    static constexpr std::size_t sets = 2;

    /// GpuOutOfMemory.
    Arrays(const runtime::GpuStream& stream, std::size_t input_bytes, std::size_t output_bytes);

    /// Fills inputs with random numbers, and outputs with bytes that are no numbers, as far as the problem reaches.
    void fill(const Problem& problem);
    /// What a set's input was filled with, on the host.
    const RandomNumbers& numbers() const { return *numbers_; }

    planning::Arguments arguments(const Problem& problem, std::size_t set) const;
    runtime::cuda::Address input(std::size_t set) const { return inputs_[set].address(); }
    runtime::cuda::Address output(std::size_t set) const { return outputs_[set].address(); }

private:
    void prepare(Precision precision);

    const runtime::GpuStream& stream_;
    std::vector<runtime::GpuBuffer> inputs_, outputs_;
    std::optional<RandomNumbers> numbers_;
    std::optional<runtime::GpuBuffer> pattern_; ///< the same numbers on the GPU
};

} // namespace swirl::bench
