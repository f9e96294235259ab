//   DFT_n = diag(c) · G · DFT_M^{−} · diag(d) · DFT_M · S · diag(c)        M ≥ 2n − 2
//
//   c_k = e^{∓πi·k²/n};  d = DFT_M(h) / M with h_k = h_{M−k} = c̄_k for k < n, else 0;  S pads with zeros to M entries,
//   G keeps the first n; DFT^{−} is the transform in the other direction.
//
// Bluestein (1970): jk = (j² + k² − (k−j)²)/2 turns a DFT of any size into a convolution with a chirp. The chirp is
// even, so k−j = n−1 and 1−n may share an entry. Choice {M}.

#include "base/fork_gate.hpp"
#include "formula/chirp_spectrum.hpp"
#include "formula/roots_of_unity.hpp"
#include "rules/accurate_dft.hpp"
#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_bluestein(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() < 3) return rejected("size {} is below 3", f.rows());
    return accepted();
}

std::vector<Choice> bluestein_choices(const Formula& f) {
    std::vector<Choice> result;
    for (const Integer size : padded_lengths(2 * f.rows() - 2)) result.push_back({size});
    return result;
}

/// Spectra up to this size are stored completely and computed with the formula.
constexpr Integer largest_stored_spectrum = 1 << 16;

/// Longer spectra are computed by the kernels, which takes about a third of the convolution's time: their tables would take
/// over 64 MiB in float64, and most of a second to fill.
constexpr Integer longest_tabulated = Integer{4} << 20;

Integer entries_of_spectrum(Integer size) { return size <= largest_stored_spectrum ? size : size / 2 + 1; }

/// Of a short chirp, by a DFT.
std::vector<Complex> compute_spectrum(Integer n, Integer size, Direction direction) {
    const DiagonalFunction chirp = ChirpFunction{n, Direction::backward};
    DiagonalValues values;
    std::vector<Complex> kernel(static_cast<std::size_t>(size / 2 + 1));
    for (Integer k = 0; k < n && k <= size / 2; ++k) kernel[static_cast<std::size_t>(k)] = values(chirp, k);
    std::vector<Complex> d = accurate_even_dft(std::move(kernel), size);
    d.resize(static_cast<std::size_t>(size));
    for (Integer k = size / 2 + 1; k < size; ++k)
        d[static_cast<std::size_t>(k)] = d[static_cast<std::size_t>(size - k)];
    for (Complex& value : d) {
        value /= static_cast<long double>(size);
        if (direction == Direction::backward) value = std::conj(value);
    }
    return d;
}

/// Of a long chirp, entry by entry: entries 0 … size/2; the rest follow by symmetry.
SharedList<Complex> closed_form(Integer n, Integer size, Direction direction) {
    const auto spectrum = std::make_shared<const ChirpSpectrum>(n, size);
    return SharedList<Complex>::evaluated_by(
        static_cast<std::size_t>(entries_of_spectrum(size)),
        [=](std::size_t j) { return spectrum->of_function(static_cast<Integer>(j), direction); });
}

/// All live formulas share the spectrum of a long chirp.
class Spectra {
public:
    SharedList<Complex> of_chirp(Integer n, Integer size, Direction direction) {
        if (size <= largest_stored_spectrum)
            return std::make_shared<const std::vector<Complex>>(compute_spectrum(n, size, direction));
        const std::lock_guard lock(mutex_);
        const Key key{n, size, direction};
        const auto at = known_.find(key);
        if (auto list = at == known_.end() ? SharedList<Complex>() : at->second.lock()) return list;
        std::erase_if(known_, [](const auto& entry) { return !entry.second.lock(); });
        const SharedList<Complex> list = closed_form(n, size, direction);
        known_[key] = list;
        return list;
    }

private:
    using Key = std::tuple<Integer, Integer, Direction>;

    ForkSafeMutex mutex_;
    std::map<Key, SharedList<Complex>::Weak> known_;
};

SharedList<Complex> spectrum_of_chirp(Integer n, Integer size, Direction direction) {
    static Spectra& spectra = *new Spectra;
    return spectra.of_chirp(n, size, direction);
}

/// The index in its list of each entry of the spectrum.
IndexMap places_in_spectrum(Integer size) {
    const Integer entries = entries_of_spectrum(size);
    if (entries == size) return IndexMap::identity(size);
    const DigitMap ahead{{entries}, {1}, 0, 0}, back{{size - entries}, {-1}, size - entries, 0};
    return {size, entries, PiecewiseMap{{ahead, back}}};
}

Formula spectrum(Integer n, Integer size, Direction direction) {
    if (size > longest_tabulated && size <= ChirpSpectrumFunction::largest_size && size > 2 * n - 2)
        return diagonal(ChirpSpectrumFunction{n, size, direction}, size);
    return diagonal(ExplicitFunction{spectrum_of_chirp(n, size, direction)}, places_in_spectrum(size));
}

Formula build_bluestein(const Formula& f, const Choice& choice) {
    require(bluestein.name, f, applicable_bluestein(f));
    const Integer n = f.rows();
    // Padding beyond the next power of two never helps; the bound keeps a typing error from exhausting memory.
    const Integer least = 2 * n - 2, most = 4 * n;
    require_choice(choice.size() == 1 && choice[0] >= least && choice[0] <= most, bluestein.name, f, choice,
                   fmt::format("one size of at least {} and at most {}", least, most));
    const Direction direction = f.get_if<Dft>()->direction;
    const Integer size = choice[0];
    const Formula chirp = diagonal(ChirpFunction{n, direction}, n);
    const IndexMap first_entries = IndexMap::strided(n, size, 0, 1);
    return product({
        chirp,
        gather(first_entries),
        DFT(size, reversed(direction)),
        spectrum(n, size, direction),
        DFT(size, direction),
        scatter(first_entries),
        chirp,
    });
}

} // namespace

constinit const BreakdownRule bluestein = {
    .name = "bluestein",
    .identity = "DFT_n = diag(c) · G · DFT_M^{−} · diag(d) · DFT_M · S · diag(c), M ≥ 2n − 2",
    .applicable = applicable_bluestein,
    .choices = bluestein_choices,
    .build = build_bluestein,
};

} // namespace swirl::rules
