#pragma once

#include "base/affine.hpp"
#include "formula/index_map.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace swirl::loops {

/// Extents of loop variables: variable v runs over 0…extent−1. Indexed by variable; 0 marks an unknown extent.
class Extents {
public:
    void set(Variable variable, Integer extent) {
        if (static_cast<std::size_t>(variable) >= extents_.size())
            extents_.resize(static_cast<std::size_t>(variable) + 1);
        extents_[static_cast<std::size_t>(variable)] = extent;
    }
    std::size_t size() const { return extents_.size(); } ///< one past the largest variable
    Integer operator[](Variable variable) const { return extents_.at(static_cast<std::size_t>(variable)); }

private:
    std::vector<Integer> extents_;
};

/// Smallest and largest value of a form over its variables' extents.
std::pair<Integer, Integer> bounds(const Affine& form, const Extents& extents);

struct Quotient {
    Affine quotient;
    Affine remainder;
};

/// form = divisor·quotient + remainder with 0 ≤ remainder < divisor for all values of the variables, if both are
/// affine; nothing otherwise. Terms whose coefficient is a multiple of the divisor go to the quotient.
std::optional<Quotient> divide(const Affine& form, Integer divisor, const Extents& extents);

/// Σ strides·digits of the index, likewise.
std::optional<Affine> evaluate_digits(const std::vector<Integer>& radices,
                                      const std::vector<Integer>& strides, const Affine& index,
                                      const Extents& extents);

/// map(index) as an affine form; nothing if its digits are not affine.
std::optional<Affine> evaluate(const formula::IndexMap& map, const Affine& index, const Extents& extents);

} // namespace swirl::loops
