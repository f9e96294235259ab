#pragma once

#include "base/integer.hpp"

#include <cstdint>

namespace swirl::planning {

/// The elements of a result to compute: all, a triangle with its diagonal, or a band of such a triangle.
struct MatrixRegion {
    enum class Half : std::uint8_t { all, lower, upper };
    Half half = Half::all;
    Integer offset =
        0; ///< rows of the triangle above the first row (lower), or columns left of the first column (upper)

    bool contains(Integer row, Integer column) const {
        if (half == Half::all) return true;
        return half == Half::lower ? row + offset >= column : column + offset >= row;
    }
    bool contains_all(Integer row, Integer rows, Integer column, Integer columns) const {
        return half == Half::lower ? contains(row, column + columns - 1) : contains(row + rows - 1, column);
    }
    bool contains_none(Integer row, Integer rows, Integer column, Integer columns) const {
        return half == Half::lower ? !contains(row + rows - 1, column) : !contains(row, column + columns - 1);
    }
};

} // namespace swirl::planning
