#include "cli/accuracy.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::cli {

namespace {

/// Distance of the numbers from 1 on.
double epsilon_of(Precision precision) {
    switch (precision) {
    case Precision::float32: return 0x1p-23;
    case Precision::float16: return 0x1p-10;
    case Precision::bfloat16: return 0x1p-7;
    case Precision::float64: break;
    }
    return 0x1p-52;
}

} // namespace

Accuracy accuracy(const Problem& problem, std::span<const Complex> result, std::span<const Complex> truth) {
    const double epsilon =
        std::max(epsilon_of(problem.precision), epsilon_of(stored_precision(problem, Side::output)));
    const auto n = static_cast<double>(std::max<Integer>(transform_size(problem), 2));
    const auto relative = static_cast<double>(relative_error(result, truth));
    return {relative, relative / (epsilon * std::sqrt(std::log2(n)))};
}

} // namespace swirl::cli
