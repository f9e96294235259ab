#include "cli/accuracy.hpp"

#include "cli/epsilon.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::cli {

Accuracy accuracy(const Transform& problem, std::span<const Complex> result, std::span<const Complex> truth) {
    const double epsilon =
        std::max(epsilon_of(problem.precision), epsilon_of(stored_precision(problem, Side::output)));
    const auto n = static_cast<double>(std::max<Integer>(transform_size(problem), 2));
    const auto relative = static_cast<double>(relative_error(result, truth));
    return {relative, relative / (epsilon * std::sqrt(std::log2(n)))};
}

} // namespace swirl::cli
