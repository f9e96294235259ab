#pragma once

#include <cmath>
#include <cstddef>

namespace swirl::cli {

/// Of a range of positive numbers; 1 of none.
template <class Range> double geometric_mean(Range&& numbers) {
    double logarithms = 0;
    std::size_t count = 0;
    for (const double number : numbers) {
        logarithms += std::log(number);
        ++count;
    }
    return count == 0 ? 1 : std::exp(logarithms / static_cast<double>(count));
}

} // namespace swirl::cli
