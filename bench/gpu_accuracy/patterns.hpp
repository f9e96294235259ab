#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

/// What operands of a product may look like, as far as errors of sums depend on it.
namespace swirl::bench {

using Random = std::mt19937_64;

struct AccuracyPattern {
    std::string name;
    /// Element (line, k) of A (operand 0) or of B (1): a line is a row of A or a column of B.
    std::function<double(Random&, int operand, long long line, long long k)> element;
    bool is_narrow = false; ///< fits formats of 16 and 8 bits
};
const std::vector<AccuracyPattern>& accuracy_patterns();

} // namespace swirl::bench
