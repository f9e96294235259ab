#pragma once

#include "ir/type.hpp"
#include "loops/loop_program.hpp"
#include "plan/portable/builtin.hpp"

#include <vector>

namespace swirl::planning {

/// Entries of several transforms: lane l of entry e is element lanes·e + l. `im` is null for reals.
template <class T> struct LaneVector {
    T* re;
    T* im;
};

/// A codelet on emit::builtin_lanes transforms at once: a built-in one, otherwise a product with the dense matrix.
template <class T> class PortableCodelet {
public:
    PortableCodelet(const formula::Formula& formula, bool complex);

    /// out = codelet(in) in the first `count` lanes; the other lanes of `out` are unspecified.
    void run(const LaneVector<T>& in, const LaneVector<T>& out, Integer count) const;

    Integer flops() const { return flops_; } ///< of one transform

private:
    void run_builtin(const LaneVector<T>& in, const LaneVector<T>& out, Integer count) const;
    void run_dense(const LaneVector<T>& in, const LaneVector<T>& out) const;

    bool complex_;
    bool complex_formula_;
    std::optional<BuiltinMatch> builtin_;
    Integer rows_;
    Integer columns_;
    std::vector<T> re_; ///< of the matrix, row-major
    std::vector<T> im_; ///< empty if the matrix is real
    Integer flops_ = 0;
};

} // namespace swirl::planning
