/// Which elements of a distributed array a rank holds, and the usual ways to divide an array among ranks.
#pragma once

#include <swirl/export.h>
#include <swirl/kinds.hpp>
#include <swirl/transform.hpp>

#include <optional>
#include <string>
#include <vector>

namespace swirl::distributed {

/// The elements of an array whose index along each axis is in lower … upper − 1. A rank's array holds its box and nothing else,
/// contiguous. A box without elements, such as a default-constructed one, is of a rank without data.
struct Box {
    std::vector<Integer> lower;
    std::vector<Integer> upper;
    /// The axes from the slowest to the fastest in the rank's array; empty: as they are numbered, which is row-major.
    std::vector<int> order = {};
    SWIRL_API friend bool operator==(const Box& a, const Box& b);
    friend bool operator!=(const Box& a, const Box& b) { return !(a == b); }
};

SWIRL_API Integer elements(const Box& box);
/// Such as "[0,4)x[8,16)", with the order of its axes if it is not row-major; "empty" if it has no axes.
SWIRL_API std::string to_text(const Box& box);

/// How many parts each axis is divided into. Coordinates of ranks are row-major: neighbouring ranks differ along the last axis.
/// The ranks beyond the product of the parts have no data.
struct ProcessGrid {
    std::vector<Integer> parts;
    SWIRL_API friend bool operator==(const ProcessGrid& a, const ProcessGrid& b);
    friend bool operator!=(const ProcessGrid& a, const ProcessGrid& b) { return !(a == b); }
};

/// Box r of the result is for rank r. Parts of an axis of n indices divided by q are ⌊i·n/q⌋ … ⌊(i+1)·n/q⌋ − 1.
SWIRL_API std::vector<Box> divide(const std::vector<Integer>& lengths, const ProcessGrid& grid, int ranks);
/// One axis divided.
SWIRL_API std::vector<Box> slabs(const std::vector<Integer>& lengths, int ranks, std::size_t axis = 0);
/// All axes but one divided, each rank having all indices of that one. The grid is as square as the ranks allow.
SWIRL_API std::vector<Box> pencils(const std::vector<Integer>& lengths, int ranks, std::size_t whole_axis);
/// All axes divided, by the grid whose boxes have the least surface.
SWIRL_API std::vector<Box> bricks(const std::vector<Integer>& lengths, int ranks);
/// FFTW's default: an axis divided into blocks of ⌈n/ranks⌉, the last ones smaller or empty.
SWIRL_API std::vector<Box> fftw_blocks(const std::vector<Integer>& lengths, int ranks, std::size_t axis = 0);

/// The lengths of the arrays of a problem: its batch loops, then its dimensions; of a half spectrum n/2+1 along the last.
SWIRL_API std::vector<Integer> input_lengths(const Transform& problem);
SWIRL_API std::vector<Integer> output_lengths(const Transform& problem);

} // namespace swirl::distributed
