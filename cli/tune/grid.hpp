#pragma once

#include <swirl/problem.hpp>

#include <vector>

namespace swirl::cli {

/// Transforms that lie densely among all: complex and real DFTs of every length from 4 to `largest` without prime factors
/// above 7, of each type. On a GPU each in a batch of 2^24 points in all, as draws have them (draw.hpp).
///
/// Their order begins with the powers of two, and each beginning of the rest lies evenly on a logarithmic scale: a tuning that
/// ends early leaves a coarser grid.
std::vector<Problem> transform_grid(Integer largest, const std::vector<DataType>& types, bool on_gpu);

} // namespace swirl::cli
