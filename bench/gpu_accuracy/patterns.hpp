#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

/// Patterns of GEMM operands that affect the errors of sums.
namespace swirl::bench {

using Random = std::mt19937_64;

struct AccuracyPattern {
    std::string name;
    /// Element (line, k) of A (operand 0) or of B (1): a line is a row of A or a column of B.
    std::function<double(Random&, int operand, long long line, long long k)> element;
    bool is_low_precision = false; ///< representable in 16-bit and 8-bit formats
};
const std::vector<AccuracyPattern>& accuracy_patterns();

} // namespace swirl::bench
