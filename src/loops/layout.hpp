#pragma once

#include "base/integer.hpp"

#include <optional>
#include <vector>

namespace swirl::loops {

/// An integer that depends on an entry's location: constant + Σ strides·digits of its index in a Layout.
struct LayoutForm {
    std::vector<Integer> strides;
    Integer constant = 0;
    bool operator==(const LayoutForm&) const = default;
};

/// Address of each entry of a vector: the index splits into digits (row-major over `lengths`), each with a stride.
/// Strides count elements: complex elements for complex data, reals for real data.
struct Layout {
    std::vector<Integer> lengths;
    std::vector<Integer> strides;
    /// For the caller's memory with a callback (see Pointwise): forms of the same digits.
    std::optional<std::vector<LayoutForm>> forms = {};
    static Layout contiguous(Integer n) { return {{n}, {1}}; }
    bool operator==(const Layout&) const = default;
};

/// Elements low … high of the caller's memory are accessed, relative to index 0.
struct Reach {
    Integer low;
    Integer high;
    bool operator==(const Reach&) const = default;
};

/// The complex array that multiplies entries (formula::ArgumentFunction); entries that are reals by real components.
struct AuxiliaryFactor {
    std::size_t array = 0; ///< index of the caller's auxiliary array
    Layout layout;         ///< address of the factor for an entry of the whole vector
    bool operator==(const AuxiliaryFactor&) const = default;
};

} // namespace swirl::loops
