#pragma once

#include "problem/expression.hpp"
#include "problem/problem.hpp"

#include <complex>
#include <functional>
#include <utility>
#include <vector>

namespace swirl {

/// Reference evaluation of one side's expression at single elements. Without an expression, the identity.
class ExpressionAt {
public:
    /// An element of an auxiliary array, by the array's index in arrays_of.
    using Arrays = std::function<std::complex<double>(std::size_t array, Integer element)>;
    ExpressionAt(const Transform& problem, Side side, Arrays arrays);

    /// Whether memory is touched at the element with these indices along `axes`.
    bool touches(const std::vector<Integer>& indices) const;
    /// The value of the expression; when loading, 0 where `where` excludes the element.
    std::complex<double> operator()(std::complex<double> x, const std::vector<Integer>& indices) const;

private:
    /// A condition on indices along `axes`.
    struct Condition {
        std::vector<std::pair<std::size_t, Integer>> coefficients; ///< of the index along an axis
        Integer constant;
        IndexCondition::Relation relation;
        bool holds_at(const std::vector<Integer>& indices) const;
    };
    std::vector<Condition> along_axes(const std::vector<IndexCondition>& conditions) const;
    static bool hold_at(const std::vector<Condition>& conditions, const std::vector<Integer>& indices);
    ExpressionValues values_at(std::complex<double> x, const std::vector<Integer>& indices) const;

    const Transform& problem_;
    Side side_;
    const ExpressionTree* tree_;     ///< null: the identity
    std::vector<Condition> where_;   ///< of the expression
    std::vector<Condition> touched_; ///< where memory is touched
    std::vector<Axis> axes_;
    std::vector<AuxiliaryArray> known_;
    Arrays arrays_;
};

} // namespace swirl
