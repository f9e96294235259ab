#pragma once

#include "base/affine.hpp"
#include "formula/index_map.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace swirl::lower {

/// Extents of loop variables: variable v runs over 0…extent−1. Indexed by variable; 0 marks an unknown one.
class Extents {
public:
    void set(Variable variable, Integer extent) {
        if (static_cast<std::size_t>(variable) >= extents_.size())
            extents_.resize(static_cast<std::size_t>(variable) + 1);
        extents_[static_cast<std::size_t>(variable)] = extent;
    }
    std::size_t size() const { return extents_.size(); } ///< variables are below it
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

/// form = divisor·quotient + remainder with 0 ≤ remainder < divisor for every value of the variables, when both
/// parts are affine; nothing otherwise. Terms whose coefficient the divisor divides go to the quotient.
std::optional<Quotient> divide(const Affine& form, Integer divisor, const Extents& extents);

/// Σ strides·digits of the index, the same way.
std::optional<Affine> evaluate_digits(const std::vector<Integer>& radices,
                                      const std::vector<Integer>& strides, const Affine& index,
                                      const Extents& extents);

/// map(index) as an affine form; nothing when the digits do not come out affine.
std::optional<Affine> evaluate(const formula::IndexMap& map, const Affine& index, const Extents& extents);

} // namespace swirl::lower
