#pragma once

#include "problem/problem.hpp"
#include "runtime/aligned_buffer.hpp"

#include <complex>
#include <memory>
#include <random>

namespace swirl::planning {

/// Memory for one side of a problem, zero at first: elements by their offset from index 0, whatever the precision and
/// the layout. In place it has room for both sides.
class ProblemData {
public:
    ProblemData(const Problem& problem, Side side);
    /// The same memory, its elements those of the other side.
    ProblemData(const Problem& problem, Side side, const ProblemData& memory);

    /// Addresses of element 0; the imaginary part's is null unless planar.
    void* real() const { return origin(*first_); }
    void* imaginary() const { return planar_ ? origin(*second_) : nullptr; }

    /// Fills everything, gaps between strides too, with numbers in −1…1.
    void fill(std::minstd_rand& random);

    std::complex<double> operator[](Integer offset) const;

private:
    std::size_t scalar_bytes() const { return single_ ? sizeof(float) : sizeof(double); }
    double get(const runtime::AlignedBuffer& part, std::ptrdiff_t k) const;
    void* origin(const runtime::AlignedBuffer& part) const;

    bool single_;
    bool complex_;
    bool planar_;
    std::size_t zero_; ///< scalars before element 0
    std::shared_ptr<runtime::AlignedBuffer> first_;
    std::shared_ptr<runtime::AlignedBuffer> second_; ///< empty unless planar
};

} // namespace swirl::planning
