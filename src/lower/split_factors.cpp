#include "lower/factors.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace swirl::lower {

Integer combinations(const Factor& factor, const Extents& extents) {
    Integer count = 1;
    for (Variable v : factor.variables) count *= extents[v];
    return count;
}

namespace {

using formula::TwiddleFunction;

/// Entries of a table that is small enough to stay whole, and how much smaller the two tables must be together.
constexpr Integer largest_whole_table = 8192;
constexpr Integer least_saving = 4;
/// Entries of a table from which on it is worth multiplications that less is read (transforms of 10000 and 16384 points lose 1 %
/// by them on an H100).
constexpr Integer largest_cached_table = 16384;

/// Whether a table of so many entries, which by its size would be loaded up to `usual`, is.
bool is_loaded(Integer entries, Integer usual, Roots roots) {
    return roots == Roots::loaded || (roots == Roots::by_size && entries <= usual);
}

/// A twiddle ω_order^{x·y}, x and y affine; `entry` is the digit that differs from entry to entry.
struct Exponent {
    const TwiddleFunction* twiddle;
    Affine entry;
    Affine other;
};

struct Digits {
    Affine first;
    Affine second;
};

/// Whether an index has room for both.
bool are_apart(const formula::Digit& a, const formula::Digit& b) {
    return b.divisor % (a.divisor * a.modulus) == 0 || a.divisor % (b.divisor * b.modulus) == 0;
}

/// The extents with that of the table's symbol, which may have stood for other values since: one more than the largest.
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

/// Of a factor whose index a table may be part of.
std::optional<Digits> digits_with_table(const Factor& factor, const Extents& given) {
    const bool has_table = factor.varying.size() == 1 && factor.varying[0].table;
    const Extents extents = has_table ? with_symbol(given, *factor.varying[0].table) : given;
    if (factor.varying.size() != 1 || factor.constant != formula::Complex(1) || !factor.beside.empty())
        return std::nullopt;
    const MetDiagonal& met = factor.varying[0];
    const auto* twiddle = std::get_if<TwiddleFunction>(&met.diagonal.function);
    if (!twiddle || !are_apart(twiddle->first, twiddle->second)) return std::nullopt;
    const auto index = evaluate(met.diagonal.index, met.index, extents);
    if (!index) return std::nullopt;
    auto first = digit_of(twiddle->first, *index, extents);
    auto second = digit_of(twiddle->second, *index, extents);
    if (!first || !second) return std::nullopt;
    return Digits{std::move(*first), std::move(*second)};
}

std::optional<Digits> digits_of(const Factor& factor, const Extents& extents) {
    const bool has_table = !factor.varying.empty() && factor.varying[0].table;
    return has_table ? std::nullopt : digits_with_table(factor, extents);
}

/// ω^{x·y} as the factor of an entry. `first` says that x is the twiddle's first digit. `table` gives what its symbol stands
/// for, where one of them names that.
Factor power(const TwiddleFunction& twiddle, bool first, const Affine& x, const Affine& y,
             const Extents& extents, const std::optional<IndexTable>& table = {}) {
    const formula::Digit &dx = first ? twiddle.first : twiddle.second,
                         &dy = first ? twiddle.second : twiddle.first;
    const Integer range = std::max(dx.divisor * dx.modulus, dy.divisor * dy.modulus);
    const formula::Diagonal diagonal{twiddle, formula::IndexMap::identity(range)};
    MetDiagonal met{diagonal, dx.divisor * x + dy.divisor * y};
    if (table && met.index.coefficient(table->symbol) != 0) met.table = table;
    return factor_of({std::move(met)}, extents);
}

/// The split where the entries' digits are x_e = c_e + form and the other digit y is the same for all.
std::optional<SplitFactors> split_by(const std::vector<Factor>& factors, const std::vector<Digits>& digits,
                                     bool first, const Extents& extents) {
    const auto& twiddle = std::get<TwiddleFunction>(factors[0].varying[0].diagonal.function);
    const auto x = [&](const Digits& d) -> const Affine& { return first ? d.first : d.second; };
    const auto y = [&](const Digits& d) -> const Affine& { return first ? d.second : d.first; };
    const Affine form = x(digits[0]) - x(digits[0]).constant();
    for (std::size_t e = 0; e < factors.size(); ++e) {
        const auto& other = std::get<TwiddleFunction>(factors[e].varying[0].diagonal.function);
        if (other != twiddle || y(digits[e]) != y(digits[0]) ||
            x(digits[e]) - x(digits[e]).constant() != form)
            return std::nullopt;
    }
    SplitFactors split;
    for (const Digits& d : digits) split.own.push_back(power(twiddle, first, x(d).constant(), y(d), extents));
    split.common = power(twiddle, first, form, y(digits[0]), extents);
    return split;
}

/// ω^{c_e·g}: of each entry c_e, and g.
struct Powers {
    const TwiddleFunction* twiddle;
    bool first; ///< c_e is the twiddle's first digit
    std::vector<Integer> exponents;
    Affine form;
};

/// Digits of which one is constant, the other the same for all entries; entries without a factor have exponent 0.
std::optional<Powers> powers_of(const std::vector<Factor>& factors, const Extents& extents) {
    for (const bool first : {true, false}) {
        Powers powers{nullptr, first, {}, 0};
        bool fits = true;
        for (const Factor& factor : factors) {
            const auto digits = factor.is_one() ? std::nullopt : digits_of(factor, extents);
            const Affine own = digits ? first ? digits->first : digits->second : Affine(0);
            const Affine form = digits ? first ? digits->second : digits->first : powers.form;
            const auto* twiddle =
                digits ? std::get_if<TwiddleFunction>(&factor.varying[0].diagonal.function) : powers.twiddle;
            if (powers.twiddle == nullptr) powers.form = form;
            fits = fits && (digits || factor.is_one()) && !factor.limit && own.is_constant() &&
                   own.constant() >= 0 && form == powers.form &&
                   (powers.twiddle == nullptr || *twiddle == *powers.twiddle);
            powers.twiddle = twiddle;
            powers.exponents.push_back(own.constant());
        }
        if (fits && powers.twiddle != nullptr) return powers;
    }
    return std::nullopt;
}

/// A form as a sum of forms of one variable each, none of them ever negative; the constant goes with the first. Symbols of tables
/// have no negative coefficients.
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

/// One of the two sums in two parts, such that the larger of both factors has the fewest values; nothing where neither is
/// a sum of several.
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

/// What a factor of one diagonal is a product of.
void add_terms(const Factor& factor, const Extents& extents, Integer most, std::vector<Factor>& result) {
    const auto digits =
        combinations(factor, extents) > most ? digits_with_table(factor, extents) : std::nullopt;
    if (!digits) return result.push_back(factor);
    const auto& twiddle = std::get<TwiddleFunction>(factor.varying[0].diagonal.function);
    const auto factor_for = [&](const Power& each) {
        return power(twiddle, true, sum_of(each.x), sum_of(each.y), extents, factor.varying[0].table);
    };
    const auto values = [&](const Power& each) { return combinations(factor_for(each), extents); };
    const auto x = terms_of(digits->first, extents, factor.varying[0].table),
               y = terms_of(digits->second, extents, factor.varying[0].table);
    if (!x || !y) return result.push_back(factor);
    std::vector<Power> open{{*x, *y}};
    while (!open.empty()) {
        const Power next = std::move(open.back());
        open.pop_back();
        auto halves = values(next) > most ? halves_of(next, values) : std::nullopt;
        if (!halves) {
            result.push_back(factor_for(next));
            continue;
        }
        open.push_back(std::move(halves->first));
        open.push_back(std::move(halves->second));
    }
}

} // namespace

Integer largest_factor_table(std::size_t tables) {
    constexpr Integer largest = Integer{1} << 18, largest_together = Integer{1} << 20;
    return std::min(largest, largest_together / std::max<Integer>(1, static_cast<Integer>(tables)));
}

bool is_product_of_digits(const Factor& factor, const Extents& extents) {
    return digits_with_table(factor, extents).has_value();
}

std::vector<Factor> factor_terms(const Factor& factor, const Extents& extents, Integer most) {
    if (factor.limit || !factor.beside.empty() || combinations(factor, extents) <= most) return {factor};
    std::vector<Factor> result;
    for (const MetDiagonal& met : factor.varying) add_terms(factor_of({met}, extents), extents, most, result);
    result.front().constant *= factor.constant;
    return result;
}

std::optional<SplitFactors> split_factors(const std::vector<Factor>& factors, const Extents& extents,
                                          Roots roots) {
    if (factors.size() < 2) return std::nullopt;
    const Integer entries = static_cast<Integer>(factors.size());
    const Integer whole = entries * combinations(factors.back(), extents);
    if (is_loaded(whole, largest_whole_table, roots)) return std::nullopt;
    std::vector<Digits> digits;
    for (const Factor& factor : factors) {
        auto both = digits_of(factor, extents);
        if (!both) return std::nullopt;
        digits.push_back(std::move(*both));
    }
    for (const bool first : {true, false}) {
        auto split = split_by(factors, digits, first, extents);
        if (!split || split->common.is_one()) continue;
        const Integer size =
            combinations(split->common, extents) + entries * combinations(split->own.back(), extents);
        if (least_saving * size <= whole) return split;
    }
    return std::nullopt;
}

std::optional<FactorProducts> factor_products(const std::vector<Factor>& factors, const Extents& extents,
                                              Roots roots) {
    Integer whole = 0;
    for (const Factor& factor : factors)
        if (!factor.is_one()) whole += combinations(factor, extents);
    if (is_loaded(whole, largest_cached_table, roots)) return std::nullopt;
    const auto powers = powers_of(factors, extents);
    if (!powers) return std::nullopt;
    Integer step = 1;
    while (step * step < std::ssize(factors)) step *= 2;
    FactorProducts products;
    std::map<Integer, std::size_t> numbers; // by exponent
    for (const Integer exponent : powers->exponents) {
        auto& own = products.of_entry.emplace_back();
        for (const Integer part : {exponent % step, exponent / step * step}) {
            if (part == 0) continue;
            const auto [at, is_new] = numbers.emplace(part, products.factors.size());
            if (is_new)
                products.factors.push_back(
                    power(*powers->twiddle, powers->first, part, powers->form, extents));
            own.push_back(at->second);
        }
    }
    return products;
}

FactorGroups factor_groups(std::vector<Factor> factors, bool complex, bool for_gpu, const Extents& extents,
                           Roots roots) {
    FactorGroups result;
    for (std::size_t entry = 0; entry < factors.size(); ++entry) result.of_entry.push_back({{entry}});
    if (auto split = split_factors(factors, extents, roots)) {
        for (auto& groups : result.of_entry) groups.push_back({factors.size()});
        factors = std::move(split->own);
        factors.push_back(std::move(split->common));
    } else if (complex && for_gpu) {
        if (auto products = factor_products(factors, extents, roots)) {
            factors = std::move(products->factors);
            for (std::size_t entry = 0; entry < result.of_entry.size(); ++entry) {
                result.of_entry[entry].clear();
                for (const std::size_t number : products->of_entry[entry])
                    result.of_entry[entry].push_back({number});
            }
        }
    }
    if (!complex) {
        result.factors = std::move(factors);
        return result;
    }
    const Integer most = largest_factor_table(factors.size());
    std::vector<std::vector<std::size_t>> terms_of_factor;
    for (const Factor& factor : factors) {
        auto& numbers = terms_of_factor.emplace_back();
        for (Factor& term : factor_terms(factor, extents, most)) {
            numbers.push_back(result.factors.size());
            result.factors.push_back(std::move(term));
        }
    }
    for (auto& groups : result.of_entry)
        for (auto& group : groups) group = terms_of_factor[group.front()];
    return result;
}

} // namespace swirl::lower
