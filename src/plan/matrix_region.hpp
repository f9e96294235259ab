#pragma once

#include <swirl/kinds.hpp>

#include "runtime/team.hpp"

#include <algorithm>

namespace swirl::planning {

/// Which elements of a result are wanted: all, or a triangle with its diagonal, or of such a triangle a band.
struct MatrixRegion {
    enum class Half : std::uint8_t { all, lower, upper };
    Half half = Half::all;
    Integer offset =
        0; ///< rows of the triangle above the first one (lower), or columns left of the first one (upper)

    bool contains(Integer row, Integer column) const {
        if (half == Half::all) return true;
        return half == Half::lower ? row + offset >= column : column + offset >= row;
    }
    /// Of rows first … last−1 those that it contains elements of in a column.
    runtime::Share rows_in(Integer column, runtime::Share rows) const {
        if (half == Half::lower) rows.first = std::clamp(column - offset, rows.first, rows.last);
        if (half == Half::upper) rows.last = std::clamp(column + offset + 1, rows.first, rows.last);
        return rows;
    }
    bool contains_all(Integer row, Integer rows, Integer column, Integer columns) const {
        return half == Half::lower ? contains(row, column + columns - 1) : contains(row + rows - 1, column);
    }
    bool contains_none(Integer row, Integer rows, Integer column, Integer columns) const {
        return half == Half::lower ? !contains(row + rows - 1, column) : !contains(row, column + columns - 1);
    }
};

} // namespace swirl::planning
