#include "formula/progressions.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace swirl::formula {

namespace {

/// The values of a digit map, in any order, as a progression; empty if they form none.
std::optional<Progression> progression_of(const DigitMap& map) {
    if (map.modulus != 0 || !map.base.is_constant()) return std::nullopt;
    struct Digit {
        Integer radix, stride;
    };
    Progression values{map.base.constant(), 1, 1};
    std::vector<Digit> digits;
    for (std::size_t q = 0; q < map.radices.size(); ++q) {
        if (map.radices[q] == 1) continue;
        values.first += std::min<Integer>(map.strides[q], 0) * (map.radices[q] - 1);
        digits.push_back({map.radices[q], std::abs(map.strides[q])});
    }
    std::sort(digits.begin(), digits.end(),
              [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
    for (const auto& [radix, stride] : digits) {
        if (values.count == 1)
            values.stride = stride;
        else if (stride != values.stride * values.count)
            return std::nullopt;
        values.count *= radix;
    }
    return values;
}

} // namespace

std::optional<std::vector<Progression>> missed_progressions(const IndexMap& map) {
    constexpr Integer largest_stride = 64;
    std::vector<DigitMap> pieces;
    if (const auto* digits = std::get_if<DigitMap>(&map.kind())) pieces.push_back(*digits);
    if (const auto* list = std::get_if<PiecewiseMap>(&map.kind())) pieces = list->pieces;
    std::vector<Progression> hit;
    Integer stride = 1;
    for (const DigitMap& piece : pieces) {
        const auto values = progression_of(piece);
        if (!values || values->stride < 1) return std::nullopt;
        if (values->count > 1) stride = std::max(stride, values->stride);
        hit.push_back(*values);
    }
    if (hit.empty() || stride > largest_stride) return std::nullopt;
    std::vector<Progression> missed;
    for (Integer rest = 0; rest < stride; ++rest) {      // values with this remainder
        std::vector<std::pair<Integer, Integer>> ranges; // of quotients
        for (const auto& [first, count, own] : hit) {
            if (count > 1 && own != stride && own != 1) return std::nullopt;
            const bool all = own == 1 && count > 1;
            const Integer last = first + (count - 1) * own;
            if (!all && modulo(first, stride) != rest) continue;
            ranges.emplace_back(ceil_divide(first - rest, stride), (last - rest + stride) / stride);
        }
        std::sort(ranges.begin(), ranges.end());
        ranges.emplace_back(ceil_divide(map.range() - rest, stride), 0);
        Integer next = 0;
        for (const auto& [begin, end] : ranges) {
            if (begin > next) missed.push_back({rest + stride * next, begin - next, stride});
            next = std::max(next, end);
        }
    }
    return missed;
}

} // namespace swirl::formula
