#pragma once

#include "bench/support/random_numbers.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_stream.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// The data of the benchmark: where it lies, and arrays of random numbers.
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
    const RandomNumbers& numbers() const { return pattern_->numbers(); }

    planning::Arguments arguments(const Problem& problem, std::size_t set) const;
    runtime::cuda::Address input(std::size_t set) const { return inputs_[set].address(); }
    runtime::cuda::Address output(std::size_t set) const { return outputs_[set].address(); }

private:
    const runtime::GpuStream& stream_;
    std::vector<runtime::GpuBuffer> inputs_, outputs_;
    std::optional<RandomPattern> pattern_; ///< of the last problem's numbers
};

} // namespace swirl::bench
