#include "formula/digits.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace swirl::formula {

// Arithmetic progressions whose sums cover 0…n−1 exactly once are nested: the least stride is 1, and each further
// stride is the product of the preceding radices (de Bruijn 1956, "On number systems").
bool is_permutation_of_interval(const DigitMap& map, Integer domain) {
    if (!map.base.is_constant()) return false;
    const auto [least, greatest] = bounds(map, map.base.constant());
    if (least != 0 || greatest != domain - 1) return false;
    std::vector<std::pair<Integer, Integer>> digits;
    for (std::size_t q = 0; q < map.radices.size(); ++q)
        if (map.radices[q] > 1) digits.emplace_back(std::abs(map.strides[q]), map.radices[q]);
    std::sort(digits.begin(), digits.end());
    Integer expected = 1;
    for (const auto& [stride, radix] : digits) {
        if (stride != expected) return false;
        expected *= radix;
    }
    return true;
}

// Hajós (1942): if progressions factor a finite abelian group, one of them is a subgroup; repeat in the quotient.
// H = ⟨g⟩ is the subgroup covered so far, g a divisor of the modulus n.
bool is_permutation_modulo(const DigitMap& map) {
    const Integer n = map.modulus;
    Integer g = n;
    std::vector<std::pair<Integer, Integer>> digits;
    for (std::size_t q = 0; q < map.radices.size(); ++q)
        if (map.radices[q] > 1) digits.emplace_back(modulo(map.strides[q], n), map.radices[q]);
    while (!digits.empty()) {
        const auto subgroup = std::find_if(digits.begin(), digits.end(), [&](const auto& digit) {
            return g / std::gcd(g, digit.first) == digit.second;
        });
        if (subgroup == digits.end()) return false;
        g = std::gcd(g, subgroup->first);
        digits.erase(subgroup);
    }
    return g == 1;
}

namespace {

/// If the map then stays in 0…modulus−1: drops the modulus and replaces each stride by the difference it makes at
/// index 0. Otherwise reduces strides and base.
void reduce(DigitMap& map) {
    const Integer n = map.modulus;
    for (Integer& stride : map.strides) stride = modulo(stride, n);
    Affine base = modulo(map.base.constant(), n);
    for (const Affine::Term& term : map.base.terms())
        base += Affine::of(term.variable, modulo(term.coefficient, n));
    map.base = base;
    if (!base.is_constant()) return;
    DigitMap plain = map;
    plain.modulus = 0;
    for (Integer& stride : plain.strides) stride = modulo(base.constant() + stride, n) - base.constant();
    const auto [least, greatest] = bounds(plain, base.constant());
    if (least >= 0 && greatest < n) map = std::move(plain);
}

} // namespace

DigitMap merged(const DigitMap& map) {
    DigitMap result = map;
    if (result.modulus != 0) reduce(result);
    const Integer n = result.modulus;
    std::size_t kept = 0;
    for (std::size_t q = 0; q < result.radices.size(); ++q) {
        const Integer radix = result.radices[q], stride = result.strides[q];
        if (radix == 1) continue;
        const Integer contiguous = kept == 0 ? 0 : result.strides[kept - 1] - stride * radix;
        if (kept > 0 && (n == 0 ? contiguous == 0 : modulo(contiguous, n) == 0)) {
            result.radices[kept - 1] *= radix;
            result.strides[kept - 1] = stride;
        } else {
            result.radices[kept] = radix;
            result.strides[kept++] = stride;
        }
    }
    result.radices.resize(kept);
    result.strides.resize(kept);
    // Merging digits may make the modulus redundant, and vice versa: two steps reach a fixpoint.
    if (n != 0 && kept < map.radices.size()) return merged(result);
    return result;
}

std::optional<DigitMap> recognise_digits(std::span<const Integer> values, Integer modulus) {
    const auto difference = [&](Integer a, Integer b) {
        return modulus == 0 ? a - b : modulo(a - b, modulus);
    };
    std::vector<Integer> level(values.begin(), values.end());
    DigitMap map{{}, {}, values.front(), modulus};
    while (level.size() > 1) {
        const Integer stride = difference(level[1], level[0]);
        std::size_t progression = 2;
        while (progression < level.size() && difference(level[progression], level[progression - 1]) == stride)
            ++progression;
        if (level.size() % progression != 0) return std::nullopt;
        for (std::size_t i = 1; i < level.size(); ++i)
            if (i % progression != 0 && difference(level[i], level[i - 1]) != stride) return std::nullopt;
        map.radices.insert(map.radices.begin(), static_cast<Integer>(progression));
        map.strides.insert(map.strides.begin(), stride);
        for (std::size_t i = 0; i * progression < level.size(); ++i) level[i] = level[i * progression];
        level.resize(level.size() / progression);
    }
    return map;
}

std::optional<DigitMap> inverse_digits(const DigitMap& map, Integer domain) {
    const DigitMap canonical = merged(map);
    if (!canonical.base.is_constant()) return std::nullopt;
    const std::size_t count = canonical.radices.size();
    if (canonical.modulus != 0) {
        if (count != 1) return std::nullopt;
        // i ↦ s·i + b modulo n: the inverse of s by Euclid's extended algorithm
        Integer r = domain, next_r = canonical.strides[0], t = 0, next_t = 1;
        while (next_r != 0) {
            const Integer quotient = r / next_r;
            std::tie(t, next_t) = std::pair(next_t, t - quotient * next_t);
            std::tie(r, next_r) = std::pair(next_r, r - quotient * next_r);
        }
        __extension__ using Wide = __int128;
        const Wide base = -static_cast<Wide>(canonical.base.constant()) * t % domain;
        return DigitMap{{domain}, {modulo(t, domain)}, modulo(static_cast<Integer>(base), domain), domain};
    }
    std::vector<Integer> weights(count, 1);
    for (std::size_t q = count; q-- > 1;) weights[q - 1] = weights[q] * canonical.radices[q];
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(canonical.strides[a]) > std::abs(canonical.strides[b]);
    });
    DigitMap inverse;
    for (const std::size_t q : order) {
        const bool reversed = canonical.strides[q] < 0;
        inverse.radices.push_back(canonical.radices[q]);
        inverse.strides.push_back(reversed ? -weights[q] : weights[q]);
        if (reversed) inverse.base += weights[q] * (canonical.radices[q] - 1);
    }
    return inverse;
}

} // namespace swirl::formula
