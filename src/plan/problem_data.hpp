#pragma once

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/timer.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace swirl::planning {

/// Numbers of this precision are below 2^(this + 1).
int largest_exponent(Precision precision);

/// Memory for one execution of a problem, laid out as it says, its arrays 64-byte aligned at index 0; zero at first. In
/// place, input and output are the same memory.
class ProblemData {
public:
    explicit ProblemData(const Problem& problem);

    Arguments arguments() const;

    /// An element by its offset from index 0, whatever the precision and the layout; imaginary parts of real elements
    /// are 0 and are not set.
    std::complex<double> get(Side side, Integer offset) const;
    void set(Side side, Integer offset, std::complex<double> value);
    /// The same of an array beside them, by its number in arrays_of.
    std::complex<double> get_beside(std::size_t array, Integer index) const;
    void set_beside(std::size_t array, Integer index, std::complex<double> value);

    /// All of the memory, input and output, elements and the gaps between them.
    std::span<const runtime::AlignedBuffer> buffers() const { return buffers_; }
    Precision precision_of(std::size_t buffer) const { return precisions_[buffer]; }
    /// Random numbers in −1…1 everywhere; the same seed gives the same ones.
    void fill(std::uint32_t seed);
    /// Keeps all bytes as they are now, for `restore`.
    void save();
    void restore();

    /// `run` as work that can be timed: where it writes over its input, which would grow each time, what was saved is
    /// put back before it overflows.
    runtime::TimedWork timed(std::function<void()> run);

private:
    /// Addresses of index 0, or of an element's parts; no imaginary one where it is real, or the pair lies in `real`.
    struct Place {
        std::byte* real = nullptr;
        std::byte* imaginary = nullptr;
    };
    Place& place(Side side) { return places_[side == Side::output]; }
    const Place& place(Side side) const { return places_[side == Side::output]; }
    Place parts(Side side, Integer offset) const;
    Place parts_beside(std::size_t array, Integer index) const;
    std::complex<double> read(const Place& element, Precision precision) const;
    void write(const Place& element, Precision precision, std::complex<double> value);
    std::byte* allocate(Integer lowest_byte, Integer end_byte, Precision precision);

    Problem problem_;
    std::vector<runtime::AlignedBuffer> buffers_;
    std::vector<Precision> precisions_; ///< of the numbers in each
    std::vector<std::vector<std::byte>> saved_;
    Place places_[2]; ///< input and output
    std::vector<ProblemArray> arrays_;
    std::vector<ArrayArgument> beside_;
};

} // namespace swirl::planning
