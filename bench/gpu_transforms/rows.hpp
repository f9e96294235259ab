#pragma once

#include "problem/problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What is measured, and what is to be reached.
namespace swirl::bench {

/// What a row is measured in, and how.
enum class Measure {
    of_copy, ///< the data read once and written once, over a copy's bandwidth; arrays in turn, beyond the caches
    resident,    ///< the same and microseconds, in arrays that stay in the GPU's cache
    latency,     ///< microseconds of one transform, recorded into a graph and replayed
    convolution, ///< as of_copy: a transform, a product with one spectrum for all, and the inverse transform
    planning,    ///< milliseconds until a plan is there, with nothing cached
    cached,      ///< the same of a plan that has been made before, by another process perhaps
};

/// How the measures are named in options and files.
std::string_view word(Measure measure);

struct Row {
    std::string problem; ///< its text
    double goal = 0; ///< the least part of a copy's bandwidth; microseconds or milliseconds at most; 0: none
};

struct Group {
    std::string name;
    std::string what;
    Measure measure = Measure::of_copy;
    std::vector<Row> rows;
};

/// All groups; those that are measured against a copy with as many transforms as fit into `bytes` on a side.
std::vector<Group> groups(std::size_t bytes);

/// The groups of a list such as "real,large", in the order in which they stand here. Throws UserError naming the option.
std::vector<Group> parse_groups(const std::string& option, const std::string& list, std::size_t bytes);

} // namespace swirl::bench
