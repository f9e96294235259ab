#pragma once

#include "plan/guarded_buffer.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "runtime/timer.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// Numbers of this precision are below 2^(this + 1).
int largest_exponent(Precision precision);

/// Calls f with each element's indices along the axes of a side.
void for_each_index(const std::vector<Axis>& loops,
                    const std::function<void(const std::vector<Integer>&)>& f);
/// Of the element with these indices.
Integer offset_of(const std::vector<Axis>& loops, const std::vector<Integer>& indices);

/// Memory for one execution of a problem, laid out as it says, its arrays 64-byte aligned at index 0; zero at first. In
/// place, input and output are the same memory. Each array lies between zones (GuardedBuffer).
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
    std::span<const GuardedBuffer> buffers() const { return buffers_; }
    Precision precision_of(std::size_t buffer) const { return contents_[buffer].precision; }
    /// As messages call an array: input, imaginary output, array w.
    const std::string& name_of(std::size_t buffer) const { return contents_[buffer].name; }
    /// Bytes before index 0.
    Integer bytes_before_zero(std::size_t buffer) const { return contents_[buffer].before; }
    /// Whether executions may write elements of it.
    bool is_written(std::size_t buffer) const { return contents_[buffer].role == Role::output; }
    /// Random numbers in −1…1 everywhere; the same seed gives the same ones.
    void fill(std::uint32_t seed);
    /// Random numbers in −amplitude…amplitude in all elements of the input that the problem touches, in −1…1 in the arrays
    /// beside; all other bytes, those of the zones too, become `untouched`.
    void fill_input(std::uint32_t seed, double amplitude);
    /// Makes the bytes of all elements of a side `untouched`; where it has an expression, of those that this touches.
    void erase(Side side);
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
    /// Numbers from one element's real part to that of the next.
    Integer parts_stride(Side side) const;
    Place parts(Side side, Integer offset) const;
    Place parts_beside(std::size_t array, Integer index) const;
    std::complex<double> read(const Place& element, Precision precision) const;
    void write(const Place& element, Precision precision, std::complex<double> value);
    enum class Role : std::uint8_t { input, output, beside };
    struct Contents {
        std::string name;
        Precision precision;
        Role role; ///< in place: output
        Integer before = 0;
    };
    /// Calls f(offset of its first element, Axis) for runs of elements that together are all that the problem touches.
    template <class F> void for_each_run(Side side, F&& f) const;
    std::byte* allocate(Integer lowest_byte, Integer end_byte, Contents contents);

    Problem problem_;
    std::vector<GuardedBuffer> buffers_;
    std::vector<Contents> contents_; ///< of each
    std::vector<std::vector<std::byte>> saved_;
    Place places_[2]; ///< input and output
    std::vector<ProblemArray> arrays_;
    std::vector<ArrayArgument> beside_;
};

} // namespace swirl::planning
