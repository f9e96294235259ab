#include "loops/root_powers.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace swirl::loops {

using formula::TwiddleFunction;

Integer combinations(const Twiddle& twiddle, const Extents& extents) {
    Integer count = 1;
    for (Variable v : twiddle.variables) count *= extents[v];
    return count;
}

bool is_product_of_digits(const Twiddle& twiddle, const Extents& extents) {
    return digits_with_table(twiddle, extents).has_value();
}

namespace {

/// A form as a sum of non-negative forms of one variable each; the constant goes to the first. Fails if a table's
/// symbol has a negative coefficient.
std::optional<std::vector<Affine>> terms_of(const Affine& form, const Extents& extents,
                                            const std::optional<IndexTable>& table) {
    std::vector<Affine> terms;
    Integer constant = form.constant();
    for (const Affine::Term& term : form.terms()) {
        if (table && term.variable == table->symbol && term.coefficient < 0) return std::nullopt;
        const Integer shift = term.coefficient < 0 ? -term.coefficient * (extents[term.variable] - 1) : 0;
        terms.push_back(Affine::of(term.variable, term.coefficient) + shift);
        constant -= shift;
    }
    if (terms.empty()) terms.emplace_back(0);
    terms.front() += constant;
    return terms;
}

Affine sum_of(const std::vector<Affine>& terms) {
    Affine sum = 0;
    for (const Affine& term : terms) sum += term;
    return sum;
}

/// ω^{x·y}, x and y sums.
struct Power {
    std::vector<Affine> x, y;
};

/// Splits one of the two sums so that the larger of the two twiddles has the fewest values; nothing if neither sum has
/// several terms.
std::optional<std::pair<Power, Power>> halves_of(const Power& power,
                                                 const std::function<Integer(const Power&)>& values) {
    std::optional<std::pair<Power, Power>> best;
    Integer least = values(power);
    const auto consider = [&](std::vector<Affine> Power::*side) {
        const std::vector<Affine>& terms = power.*side;
        for (std::size_t k = 0; terms.size() > 1 && k < terms.size(); ++k) {
            Power own = power, others = power;
            own.*side = {terms[k]};
            (others.*side).erase((others.*side).begin() + static_cast<std::ptrdiff_t>(k));
            const Integer larger = std::max(values(own), values(others));
            if (larger >= least) continue;
            least = larger;
            best.emplace(std::move(own), std::move(others));
        }
    };
    consider(&Power::x);
    consider(&Power::y);
    return best;
}

/// Appends factors of ω^{x·y}. `digits` splits loop variables where the sums do not suffice.
void add_powers(Power whole, const TwiddleFunction& twiddle_function, bool has_limit,
                const std::optional<IndexTable>& table, const Extents& extents, Integer most,
                DigitTerms* digits, std::vector<Twiddle>& result) {
    const auto extents_now = [&]() -> const Extents& { return digits ? digits->extents() : extents; };
    const auto twiddle_for = [&](const Power& each) {
        return power(twiddle_function, true, sum_of(each.x), sum_of(each.y), extents_now(), has_limit, table);
    };
    const auto values = [&](const Power& each) { return combinations(twiddle_for(each), extents_now()); };
    std::vector<Power> open{std::move(whole)};
    while (!open.empty()) {
        Power next = std::move(open.back());
        open.pop_back();
        if (values(next) <= most) {
            result.push_back(twiddle_for(next));
        } else if (auto halves = halves_of(next, values)) {
            open.push_back(std::move(halves->first));
            open.push_back(std::move(halves->second));
        } else {
            Affine x = sum_of(next.x), y = sum_of(next.y);
            const bool divided =
                digits && digits->divide({&x, &y}, table ? std::optional(table->symbol) : std::nullopt);
            if (divided)
                open.push_back({*terms_of(x, extents_now(), table), *terms_of(y, extents_now(), table)});
            else
                result.push_back(twiddle_for(next));
        }
    }
}

/// Appends factors of a twiddle that has a single diagonal.
void add_terms(const Twiddle& twiddle, const Extents& extents, Integer most, DigitTerms* by_digits,
               std::vector<Twiddle>& result) {
    const auto digits =
        combinations(twiddle, extents) > most ? digits_with_table(twiddle, extents) : std::nullopt;
    if (!digits) return result.push_back(twiddle);
    const auto& twiddle_function = std::get<TwiddleFunction>(twiddle.varying[0].diagonal.function);
    const auto x = terms_of(digits->first, extents, twiddle.varying[0].table),
               y = terms_of(digits->second, extents, twiddle.varying[0].table);
    if (!x || !y) return result.push_back(twiddle);
    add_powers({*x, *y}, twiddle_function, twiddle.limit.has_value(), twiddle.varying[0].table, extents, most,
               by_digits, result);
}

/// Appends factors of a chirp: ω^{(x+y)²/2} = ω^{x²/2} · ω^{x·y} · ω^{y²/2}. `digits` splits loop variables where the
/// index is no sum.
void add_chirp(const formula::ChirpFunction& chirp, const Affine& index, const Extents& extents, Integer most,
               DigitTerms* digits, std::vector<Twiddle>& result) {
    const auto extents_now = [&]() -> const Extents& { return digits ? digits->extents() : extents; };
    const auto chirp_at = [&](const Affine& form) {
        const Integer above = bounds(form, extents_now()).second + 1;
        return twiddle_of({{formula::Diagonal{chirp, formula::IndexMap::identity(above)}, form}},
                          extents_now());
    };
    const auto terms_now = [&](const Affine& form) { return *terms_of(form, extents_now(), {}); };
    Affine form = index;
    if (combinations(chirp_at(form), extents_now()) <= most) return result.push_back(chirp_at(form));
    std::vector<Affine> terms = terms_now(form);
    if (terms.size() == 1) {
        if (!digits || !digits->divide({&form}, std::nullopt)) return result.push_back(chirp_at(form));
        terms = terms_now(form);
    }
    // Splits off only the longest term, which minimises the largest of the resulting tables.
    const auto length = [&](const Affine& term) { return combinations(chirp_at(term), extents_now()); };
    const auto longest = std::max_element(
        terms.begin(), terms.end(), [&](const Affine& a, const Affine& b) { return length(a) < length(b); });
    const Affine own = *longest, others = sum_of(terms) - own;
    const Integer x = bounds(own, extents_now()).second + 1, y = bounds(others, extents_now()).second + 1;
    if (x > std::numeric_limits<Integer>::max() / y) return result.push_back(chirp_at(form));
    add_chirp(chirp, own, extents, most, digits, result);
    add_chirp(chirp, others, extents, most, digits, result);
    const TwiddleFunction twiddle_function{chirp.order, {1, x}, {x, y}, chirp.direction, chirp.factor};
    add_powers({terms_now(own), terms_now(others)}, twiddle_function, false, {}, extents, most, digits,
               result);
}

} // namespace

bool is_long_chirp(const Twiddle& twiddle, const Extents& extents) {
    return twiddle.varying.size() == 1 && index_of<formula::ChirpFunction>(twiddle.varying[0], extents) &&
           combinations(twiddle, extents) > largest_chirp_table;
}

std::vector<Twiddle> twiddle_terms(Twiddle twiddle, const Extents& extents, Integer most) {
    std::vector<Twiddle> result;
    if (twiddle.limit || !twiddle.auxiliary.empty() || combinations(twiddle, extents) <= most) {
        result.push_back(std::move(twiddle));
        return result;
    }
    for (const FoldedDiagonal& met : twiddle.varying) {
        const Twiddle own = twiddle_of({met}, extents);
        if (is_long_chirp(own, extents))
            add_chirp(std::get<formula::ChirpFunction>(met.diagonal.function),
                      *index_of<formula::ChirpFunction>(met, extents), extents, most, nullptr, result);
        else
            add_terms(own, extents, most, nullptr, result);
    }
    result.front().constant *= twiddle.constant;
    return result;
}

std::vector<Twiddle> DigitTerms::terms_of(const Twiddle& twiddle) {
    if (combinations(twiddle, extents_) <= most_) return {twiddle};
    std::vector<Twiddle> result;
    for (const FoldedDiagonal& met : twiddle.varying) {
        Twiddle own = twiddle_of({met}, extents_);
        if (twiddle.limit && varies_with(own, *twiddle.limit)) own.limit = twiddle.limit;
        if (const auto index = index_of<formula::ChirpFunction>(met, extents_))
            add_chirp(std::get<formula::ChirpFunction>(met.diagonal.function), *index, extents_, most_, this,
                      result);
        else
            add_terms(own, extents_, most_, this, result);
    }
    // Beyond a limit nothing is multiplied, so factors need no limit; an unsplit diagonal may be undefined there.
    if (result.size() == 1) return {twiddle};
    result.front().constant *= twiddle.constant;
    result.front().auxiliary = twiddle.auxiliary;
    return result;
}

Variable DigitTerms::digit(Variable variable, Integer divisor, Integer count, bool is_highest) {
    for (const LoopDigit& known : digits_) {
        if (known.symbol != variable) continue; // digits of a digit are digits of the loop's variable
        variable = known.variable;
        divisor *= known.divisor;
        is_highest = is_highest && known.is_highest;
        break;
    }
    for (const LoopDigit& known : digits_)
        if (known.variable == variable && known.divisor == divisor && known.count == count &&
            known.is_highest == is_highest)
            return known.symbol;
    const auto symbol = static_cast<Variable>(extents_.size());
    extents_.set(symbol, count);
    digits_.push_back({symbol, variable, divisor, count, is_highest});
    return symbol;
}

bool DigitTerms::divide(std::vector<Affine*> forms, std::optional<Variable> whole) {
    constexpr Integer shortest = 64;
    std::optional<Variable> longest;
    for (const Affine* form : forms)
        for (const Affine::Term& term : form->terms())
            if (term.variable != whole && extents_[term.variable] >= shortest &&
                (!longest || extents_[term.variable] > extents_[*longest]))
                longest = term.variable;
    if (!longest) return false;
    const Integer count = extents_[*longest];
    Integer radix = 1;
    while (radix * radix < count) radix *= 2;
    const Affine digits = Affine::of(digit(*longest, 1, radix, false)) +
                          Affine::of(digit(*longest, radix, ceil_divide(count, radix), true), radix);
    std::vector<Affine> divided;
    for (const Affine* form : forms) {
        divided.push_back(form->substitute(*longest, digits));
        const auto terms = loops::terms_of(divided.back(), extents_, {});
        for (const Affine& term :
             *terms) // for a decreasing form, the digits may exceed the variable's range and make it negative
            if (bounds(term, extents_).first < 0) return false;
    }
    for (std::size_t k = 0; k < forms.size(); ++k) *forms[k] = divided[k];
    return true;
}

} // namespace swirl::loops
