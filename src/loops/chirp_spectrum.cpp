#include "loops/chirp_spectrum.hpp"

#include <utility>

namespace swirl::loops {

using formula::ChirpSpectrumFunction;

Twiddle phase_in_chirp_spectrum(const ChirpSpectrumFunction& spectrum, const Affine& index,
                                const Extents& extents) {
    const formula::ChirpFunction chirp{spectrum.size * spectrum.size, spectrum.direction, spectrum.order};
    return twiddle_of({{formula::Diagonal{chirp, formula::IndexMap::identity(spectrum.size)}, index}},
                      extents);
}

Twiddle turn_in_chirp_spectrum(const ChirpSpectrumFunction& spectrum, const Affine& index,
                               const Extents& extents) {
    const Integer size = spectrum.size;
    const formula::TwiddleFunction power{
        size, {1, size}, {size, 2}, reversed(spectrum.direction), spectrum.order};
    return twiddle_of({{formula::Diagonal{power, formula::IndexMap::identity(2 * size)}, index + size}},
                      extents);
}

std::optional<ChirpSpectrumEntries> take_chirp_spectrum(std::vector<Twiddle>& twiddles,
                                                        const Extents& extents) {
    std::optional<ChirpSpectrumEntries> found;
    std::vector<Twiddle> others = twiddles;
    for (std::size_t entry = 0; entry < twiddles.size(); ++entry) {
        std::vector<FoldedDiagonal> left;
        for (const FoldedDiagonal& met : twiddles[entry].varying) {
            const auto index = index_of<ChirpSpectrumFunction>(met, extents);
            if (!index) {
                left.push_back(met);
                continue;
            }
            const auto& function = std::get<ChirpSpectrumFunction>(met.diagonal.function);
            if (!found) found = ChirpSpectrumEntries{function, {}};
            found->indices.resize(twiddles.size());
            if (found->function != function || found->indices[entry]) return std::nullopt;
            found->indices[entry] = index;
        }
        if (left.size() == twiddles[entry].varying.size()) continue;
        others[entry] = twiddle_of(left, extents);
        others[entry].constant *= twiddles[entry].constant;
        others[entry].auxiliary = twiddles[entry].auxiliary;
        others[entry].limit = twiddles[entry].limit;
    }
    if (found) twiddles = std::move(others);
    return found;
}

} // namespace swirl::loops
