#pragma once

#include "plan/check/guarded_buffer.hpp"
#include "plan/transform/cpu/plan.hpp"
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

/// Finite values of this precision are below 2^(result + 1).
int largest_exponent(DataType precision);

/// Calls f with each element's indices along the axes of a side.
void for_each_index(const std::vector<Axis>& loops,
                    const std::function<void(const std::vector<Integer>&)>& f);
/// Offset of the element with these indices.
Integer offset_of(const std::vector<Axis>& loops, const std::vector<Integer>& indices);

/// One of the arrays of a problem's execution.
struct ProblemArray {
    enum class Role : std::uint8_t { input, output, auxiliary };
    std::string name; ///< in messages: input, imaginary output, array w
    DataType precision;
    Role role; ///< in place: output
    bool is_imaginary = false;
    Integer before = 0; ///< bytes before index 0
    Integer bytes = 0;
};
/// Input, output and auxiliary arrays; in place, input and output are one.
std::vector<ProblemArray> problem_arrays(const Transform& problem);

/// The arguments of an execution whose arrays have these addresses of index 0, in the order of problem_arrays.
class ProblemArguments {
public:
    ProblemArguments() = default;
    ProblemArguments(const std::vector<ProblemArray>& arrays, const std::vector<void*>& at);
    /// Valid while this object lives.
    Arguments get() const;
    const std::vector<ArrayArgument>& auxiliary() const { return auxiliary_; }

private:
    Arguments arguments_;
    std::vector<ArrayArgument> auxiliary_;
};

/// Memory for one execution of a problem, in the problem's layout, with arrays 64-byte aligned at index 0 and initially
/// zero. In place, input and output are the same memory. Each array lies between redzones (GuardedBuffer).
class ProblemData {
public:
    explicit ProblemData(const Transform& problem);
    /// All memory that it takes for a problem, in bytes.
    static Integer bytes_for(const Transform& problem);

    Arguments arguments() const;

    /// Access to an element by its offset from index 0, for any precision and layout. Imaginary components of real
    /// elements read as 0 and are not written.
    std::complex<double> get(Side side, Integer offset) const;
    /// The elements at offset, offset + stride, …
    void get(Side side, Integer offset, Integer stride, std::span<std::complex<double>> values) const;
    void set(Side side, Integer offset, std::complex<double> value);
    /// The same for an auxiliary array, by its index in arrays_of.
    std::complex<double> get_auxiliary(std::size_t array, Integer index) const;
    void set_auxiliary(std::size_t array, Integer index, std::complex<double> value);

    /// All memory of input and output: elements and the gaps between them.
    std::span<const GuardedBuffer> buffers() const { return buffers_; }
    const std::vector<ProblemArray>& arrays() const { return contents_; } ///< of each buffer
    /// Whether executions may write elements of it.
    bool is_written(std::size_t buffer) const { return contents_[buffer].role == ProblemArray::Role::output; }
    /// Sets all bytes to `poison`, redzones included.
    void clear();
    /// Random values in [−1, 1] everywhere; the same seed gives the same values.
    void fill(std::uint32_t seed);
    /// Random values in [−amplitude, amplitude] in all input elements that the problem touches, and in [−1, 1] in the
    /// auxiliary arrays; all other bytes, redzones included, become `poison`.
    void fill_input(std::uint32_t seed, double amplitude);
    /// Sets the bytes of all elements of a side to `poison`; if the side has an expression, of those that it touches.
    void erase(Side side);
    /// Saves all bytes, for `restore`.
    void save();
    void restore();

    /// `run` as a benchmark. If it writes over its input, which would grow each time, the saved data is restored before
    /// it overflows.
    runtime::TimedWork timed(std::function<void()> run);

private:
    /// Addresses of an element's components. `imaginary` is null for reals, or if the pair is at `real`.
    struct ElementAddress {
        std::byte* real = nullptr;
        std::byte* imaginary = nullptr;
    };
    ElementAddress& addresses(Side side) { return addresses_[side == Side::output]; }
    const ElementAddress& addresses(Side side) const { return addresses_[side == Side::output]; }
    /// Distance in scalars between the real components of neighbouring elements.
    Integer component_stride(Side side) const;
    ElementAddress components(Side side, Integer offset) const;
    ElementAddress auxiliary_components(std::size_t array, Integer index) const;
    std::complex<double> read(const ElementAddress& element, DataType precision) const;
    void write(const ElementAddress& element, DataType precision, std::complex<double> value);
    /// Calls f(offset of its first element, Axis) for ranges that together are all elements the problem touches.
    template <class F> void for_each_range(Side side, F&& f) const;

    Transform problem_;
    std::vector<GuardedBuffer> buffers_;
    std::vector<ProblemArray> contents_; ///< of each buffer
    std::vector<std::vector<std::byte>> saved_;
    ElementAddress addresses_[2]; ///< input and output
    std::vector<AuxiliaryArray> arrays_;
    ProblemArguments given_;
};

} // namespace swirl::planning
