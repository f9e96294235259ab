#pragma once

#include "problem/expression.hpp"
#include "problem/problem.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace swirl {

/// One side's expression at single elements: the reference. Without an expression numbers stay as they are.
class ExpressionAt {
public:
    /// An element of an array by its number in arrays_of.
    using Arrays = std::function<std::complex<double>(std::size_t array, Integer element)>;
    ExpressionAt(const Problem& problem, Side side, Arrays arrays);

    /// Of the element with these indices along `axes`: whether memory is touched there.
    bool touches(const std::vector<Integer>& indices) const;
    /// What becomes of a number; when loading, 0 where the expression says that nothing is there.
    std::complex<double> operator()(std::complex<double> x, const std::vector<Integer>& indices) const;

private:
    ExpressionValues values_at(std::complex<double> x, const std::vector<Integer>& indices) const;

    const Problem& problem_;
    Side side_;
    const ExpressionTree* tree_; ///< null: the identity
    std::vector<Axis> axes_;
    std::vector<ProblemArray> known_;
    Arrays arrays_;
};

} // namespace swirl
