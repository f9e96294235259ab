#include "loops/index_algebra.hpp"

namespace swirl::loops {

std::pair<Integer, Integer> bounds(const Affine& form, const Extents& extents) {
    Integer low = form.constant(), high = form.constant();
    for (const auto& [variable, coefficient] : form.terms()) {
        const Integer reach = coefficient * (extents[variable] - 1);
        (reach < 0 ? low : high) += reach;
    }
    return {low, high};
}

std::optional<Quotient> divide(const Affine& form, Integer divisor, const Extents& extents) {
    if (divisor == 1) return Quotient{form, 0};
    Affine quotient = floor_divide(form.constant(), divisor);
    Affine remainder = modulo(form.constant(), divisor);
    for (const auto& [variable, coefficient] : form.terms()) {
        quotient += Affine::of(variable, coefficient / divisor);
        remainder += Affine::of(variable, coefficient % divisor);
    }
    const auto [low, high] = bounds(remainder, extents);
    // A remainder that stays inside another period only shifts the quotient.
    const Integer shift = floor_divide(low, divisor);
    if (floor_divide(high, divisor) != shift) return std::nullopt;
    return Quotient{quotient + shift, remainder - shift * divisor};
}

std::optional<Affine> evaluate_digits(const std::vector<Integer>& radices,
                                      const std::vector<Integer>& strides, const Affine& index,
                                      const Extents& extents) {
    Affine rest = index, result = 0;
    for (std::size_t q = radices.size(); q-- > 0;) {
        if (q == 0) return result + strides[q] * rest;
        auto division = divide(rest, radices[q], extents);
        if (!division) return std::nullopt;
        result += strides[q] * division->remainder;
        rest = std::move(division->quotient);
    }
    return result;
}

std::optional<Affine> evaluate(const formula::IndexMap& map, const Affine& index, const Extents& extents) {
    if (const auto* digits = std::get_if<formula::DigitMap>(&map.kind())) {
        auto sum = evaluate_digits(digits->radices, digits->strides, index, extents);
        if (!sum) return std::nullopt;
        *sum += digits->base;
        if (digits->modulus == 0) return sum;
        auto division = divide(*sum, digits->modulus, extents);
        if (!division) return std::nullopt;
        return division->remainder;
    }
    if (index.is_constant()) return map(index.constant());
    const auto* pieces = std::get_if<formula::PiecewiseMap>(&map.kind());
    if (!pieces) return std::nullopt;
    const auto [least, greatest] = bounds(index, extents);
    Integer begin = 0;
    for (const formula::DigitMap& piece : pieces->pieces) {
        const Integer end = begin + formula::domain_of(piece);
        if (least >= begin && greatest < end)
            return evaluate({end - begin, map.range(), piece}, index - begin, extents);
        begin = end;
    }
    return std::nullopt;
}

} // namespace swirl::loops
