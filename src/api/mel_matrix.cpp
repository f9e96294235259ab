#include "api/mel_matrix.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace swirl::api {

using namespace formula;

namespace {

/// Slaney's scale is linear up to 1000 Hz, where it is 15; 27 more are a factor of 6.4.
constexpr double linear_step = 200.0 / 3, first_logarithmic = 1000;
double logarithmic_step() { return std::log(6.4) / 27; }

double mels_of(double hertz, MelScale scale) {
    if (scale == MelScale::htk) return 2595 * std::log10(1 + hertz / 700);
    if (hertz < first_logarithmic) return hertz / linear_step;
    return first_logarithmic / linear_step + std::log(hertz / first_logarithmic) / logarithmic_step();
}

double hertz_of(double mels, MelScale scale) {
    if (scale == MelScale::htk) return 700 * (std::pow(10, mels / 2595) - 1);
    const double above = mels - first_logarithmic / linear_step;
    return above < 0 ? mels * linear_step : first_logarithmic * std::exp(above * logarithmic_step());
}

} // namespace

std::vector<MelFilter> filters_of(const MelFilters& mel, Integer n_fft) {
    const double highest = mel.highest == 0 ? mel.sample_rate / 2 : mel.highest;
    const double low = mels_of(mel.lowest, mel.scale), high = mels_of(highest, mel.scale);
    const auto corner = [&](Integer k) {
        const double fraction = static_cast<double>(k) / static_cast<double>(mel.count + 1);
        return hertz_of(low + fraction * (high - low), mel.scale);
    };
    std::vector<MelFilter> filters;
    for (Integer m = 0; m < mel.count; ++m) {
        const double begin = corner(m), middle = corner(m + 1), end = corner(m + 2);
        const double height = mel.norm == MelNorm::area ? 2 / (end - begin) : 1;
        MelFilter filter;
        for (Integer k = 0; 2 * k <= n_fft; ++k) {
            const double hertz = static_cast<double>(k) * mel.sample_rate / static_cast<double>(n_fft);
            const double weight =
                std::min((hertz - begin) / (middle - begin), (end - hertz) / (end - middle));
            if (!(weight > 0)) continue;
            if (filter.weights.empty()) filter.first = k;
            filter.weights.push_back(height * weight);
        }
        filters.push_back(std::move(filter));
    }
    return filters;
}

Formula mel_matrix(const std::vector<MelFilter>& filters, Integer n_fft) {
    constexpr std::size_t most_rows = 8; // of a codelet; neighbours share bins
    std::vector<Formula> blocks;
    std::vector<DigitMap> sources;
    for (std::size_t begin = 0; begin < filters.size(); begin += most_rows) {
        const std::size_t end = std::min(begin + most_rows, filters.size());
        Integer first = n_fft / 2, last = 0;
        for (std::size_t m = begin; m < end; ++m) {
            if (filters[m].weights.empty()) continue;
            first = std::min(first, filters[m].first);
            last = std::max(last, filters[m].first + static_cast<Integer>(filters[m].weights.size()) - 1);
        }
        const Integer columns = std::max<Integer>(last - first + 1, 1);
        std::vector<Complex> entries(static_cast<std::size_t>(columns) * (end - begin));
        for (std::size_t m = begin; m < end; ++m)
            for (std::size_t k = 0; k < filters[m].weights.size(); ++k)
                entries[(m - begin) * static_cast<std::size_t>(columns) +
                        static_cast<std::size_t>(filters[m].first - first) + k] = filters[m].weights[k];
        blocks.push_back(matrix(static_cast<Integer>(end - begin), columns, std::move(entries)));
        sources.push_back({{columns}, {1}, first, 0});
    }
    return product(
        {direct_sum(std::move(blocks)), gather(IndexMap::piecewise(std::move(sources), n_fft / 2 + 1))});
}

} // namespace swirl::api
