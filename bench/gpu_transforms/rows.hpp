#pragma once

#include "problem/problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Benchmark rows and their goals.
namespace swirl::bench {

/// Unit and method of a row's measurement.
enum class Measure {
    /// Fraction of copy bandwidth, with the data read once and written once; cycles through arrays beyond the caches.
    of_copy,
    resident,    ///< the same and microseconds, in arrays that stay in the GPU's L2 cache
    latency,     ///< microseconds of one transform, captured into a graph and replayed
    convolution, ///< as of_copy: a transform, a product with one spectrum, and the inverse
    planning,    ///< milliseconds to make a plan, with nothing cached
    cached,      ///< the same for a plan that has been made before, possibly by another process
};

/// Names of the measures in options and files.
std::string_view word(Measure measure);

struct Row {
    std::string problem; ///< as text
    double goal = 0; ///< minimum fraction of copy bandwidth; maximum microseconds or milliseconds; 0: none
};

struct Group {
    std::string name;
    std::string what;
    Measure measure = Measure::of_copy;
    std::vector<Row> rows;
};

/// All groups; those measured against a copy have as many transforms as fit into `bytes` per side.
std::vector<Group> groups(std::size_t bytes);

/// The groups of a list such as "real,large", in the order of definition. Throws UserError naming the option.
std::vector<Group> parse_groups(const std::string& option, const std::string& list, std::size_t bytes);

} // namespace swirl::bench
