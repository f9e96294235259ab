#include "loops/root_powers.hpp"

#include <algorithm>
#include <utility>

namespace swirl::loops {

using formula::TwiddleFunction;

namespace {

/// Whether the digits occupy disjoint ranges of bits of an index.
bool are_disjoint(const formula::Digit& a, const formula::Digit& b) {
    return b.divisor % (a.divisor * a.modulus) == 0 || a.divisor % (b.divisor * b.modulus) == 0;
}

/// The extents with that of the table's symbol, one more than the table's largest value: the symbol may have denoted
/// other values since.
Extents with_symbol(Extents extents, const IndexTable& table) {
    std::vector<Integer> iteration(table.variables.size());
    const IndexTable::Lookup lookup = [&](Variable v) {
        const auto at = std::find(table.variables.begin(), table.variables.end(), v);
        return at == table.variables.end()
                   ? 0
                   : iteration[static_cast<std::size_t>(at - table.variables.begin())];
    };
    Integer largest = 0;
    for (std::size_t k = 0; k <= iteration.size();) {
        if (k == 0) largest = std::max(largest, table.value(lookup));
        if (k == iteration.size()) break;
        const bool carries = ++iteration[k] == extents[table.variables[k]];
        if (carries) iteration[k] = 0;
        k = carries ? k + 1 : 0;
    }
    extents.set(table.symbol, largest + 1);
    return extents;
}

} // namespace

std::optional<Digits> digits_with_table(const Twiddle& twiddle, const Extents& given) {
    const bool has_table = twiddle.varying.size() == 1 && twiddle.varying[0].table;
    const Extents extents = has_table ? with_symbol(given, *twiddle.varying[0].table) : given;
    if (twiddle.varying.size() != 1 || twiddle.constant != formula::Complex(1) || !twiddle.auxiliary.empty())
        return std::nullopt;
    const FoldedDiagonal& met = twiddle.varying[0];
    const auto* twiddle_function = std::get_if<TwiddleFunction>(&met.diagonal.function);
    if (!twiddle_function || !are_disjoint(twiddle_function->first, twiddle_function->second))
        return std::nullopt;
    const auto index = evaluate(met.diagonal.index, met.index, extents);
    if (!index) return std::nullopt;
    // Up to a limit the index is in the map's range, but beyond it may not be: the highest digit is the whole quotient.
    const auto digit = [&](const formula::Digit& own) -> std::optional<Affine> {
        if (!twiddle.limit || own.divisor * own.modulus < met.diagonal.index.range())
            return digit_of(own, *index, extents);
        auto quotient = divide(*index, own.divisor, extents);
        return quotient ? std::optional(std::move(quotient->quotient)) : std::nullopt;
    };
    auto first = digit(twiddle_function->first), second = digit(twiddle_function->second);
    if (!first || !second) return std::nullopt;
    return Digits{std::move(*first), std::move(*second)};
}

std::optional<Digits> digits_of(const Twiddle& twiddle, const Extents& extents) {
    const bool has_table = !twiddle.varying.empty() && twiddle.varying[0].table;
    return has_table ? std::nullopt : digits_with_table(twiddle, extents);
}

Twiddle power(const TwiddleFunction& twiddle_function, bool first, const Affine& x, const Affine& y,
              const Extents& extents, bool has_limit, const std::optional<IndexTable>& table) {
    const formula::Digit &dx = first ? twiddle_function.first : twiddle_function.second,
                         &dy = first ? twiddle_function.second : twiddle_function.first;
    const Affine index = dx.divisor * x + dy.divisor * y;
    Integer range = std::max(dx.divisor * dx.modulus, dy.divisor * dy.modulus);
    if (has_limit) range = std::max(range, bounds(index, extents).second + 1);
    FoldedDiagonal met{{twiddle_function, formula::IndexMap::identity(range)}, index};
    if (table && met.index.coefficient(table->symbol) != 0) met.table = table;
    return twiddle_of({std::move(met)}, extents);
}

} // namespace swirl::loops
