#pragma once

#include "bench/support/random_numbers.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// The data of the benchmark: its layout, and arrays of random elements.
namespace swirl::bench {

/// Indices of an element's components, in reals from the beginning of an array; −1: no such component.
struct Components {
    Integer real = 0;
    Integer imaginary = -1;
};
/// Components of the element that is `offset` from index 0. Planar imaginary components follow the real ones of the
/// whole array.
Components components_at(const Transform& problem, Side side, Integer offset);

/// Size in bytes of a side of a problem, from index 0. Strides are not negative here.
std::size_t bytes_of(const Transform& problem, Side side);

/// Two pairs of input and output on a GPU, used in turn, so that an execution does not find the previous one's data in
/// the cache.
class Arrays {
public:
    static constexpr std::size_t sets = 2;

    /// Throws OutOfMemory.
    Arrays(const runtime::GpuStream& stream, std::size_t input_bytes, std::size_t output_bytes);

    /// Fills inputs with random elements, and outputs with NaN bytes, over the extent of the problem.
    void fill(const Transform& problem);
    /// The contents of a set's input, on the host.
    const RandomNumbers& numbers() const { return pattern_->numbers(); }

    planning::Arguments arguments(const Transform& problem, std::size_t set) const;
    runtime::cuda::Address input(std::size_t set) const { return inputs_[set].address(); }
    runtime::cuda::Address output(std::size_t set) const { return outputs_[set].address(); }

private:
    const runtime::GpuStream& stream_;
    std::vector<runtime::GpuBuffer> inputs_, outputs_;
    std::optional<RandomPattern> pattern_; ///< of the last problem's data
};

} // namespace swirl::bench
