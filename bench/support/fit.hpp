#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace swirl::bench {

/// Lowers an error by changing positive values, one after the other, by factors: e^±step at first, then each value has a
/// step of its own, longer after a success and shorter after a failure.
template <class Error> void fit(std::span<double* const> values, double step, int sweeps, Error&& error_now) {
    std::vector<double> steps(values.size(), step);
    double error = error_now();
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t k = 0; k < values.size(); ++k) {
            double& value = *values[k];
            const double before = value;
            bool better = false;
            for (const double factor : {std::exp(steps[k]), std::exp(-steps[k])}) {
                value = before * factor;
                const double now = error_now();
                if (now < error) {
                    error = now;
                    better = true;
                    break;
                }
                value = before;
            }
            steps[k] *= better ? 1.3 : 0.6;
        }
}

} // namespace swirl::bench
