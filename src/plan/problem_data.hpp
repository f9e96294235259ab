#pragma once

#include "problem/problem.hpp"
#include "runtime/aligned_buffer.hpp"

#include <complex>
#include <random>

namespace swirl::planning {

/// Memory for one side of a problem, zero at first: elements by their offset from index 0, whatever the precision and
/// the layout.
class ProblemData {
public:
    ProblemData(const Problem& problem, Side side);

    /// Addresses of element 0; the imaginary part's is null unless planar.
    void* real() const { return origin(first_); }
    void* imaginary() const { return planar_ ? origin(second_) : nullptr; }

    /// Fills everything, gaps between strides too, with numbers in −1…1.
    void fill(std::minstd_rand& random);

    std::complex<double> operator[](Integer offset) const;

private:
    std::size_t scalar_bytes() const { return single_ ? sizeof(float) : sizeof(double); }
    double get(const runtime::AlignedBuffer& part, std::size_t k) const;
    void put(const runtime::AlignedBuffer& part, std::size_t k, double value) const;
    void* origin(const runtime::AlignedBuffer& part) const;

    bool single_;
    bool complex_;
    bool planar_;
    Extent extent_;
    runtime::AlignedBuffer first_;
    runtime::AlignedBuffer second_;
};

} // namespace swirl::planning
