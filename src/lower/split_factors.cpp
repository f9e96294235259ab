#include "lower/factors.hpp"

#include <map>

namespace swirl::lower {

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

std::optional<Digits> digits_of(const Factor& factor, const Extents& extents) {
    if (factor.varying.size() != 1 || factor.constant != formula::Complex(1) || !factor.beside.empty())
        return std::nullopt;
    const MetDiagonal& met = factor.varying[0];
    const auto* twiddle = std::get_if<TwiddleFunction>(&met.diagonal.function);
    if (!twiddle || met.table) return std::nullopt;
    const auto index = evaluate(met.diagonal.index, met.index, extents);
    if (!index) return std::nullopt;
    auto first = digit_of(twiddle->first, *index, extents);
    auto second = digit_of(twiddle->second, *index, extents);
    if (!first || !second) return std::nullopt;
    return Digits{std::move(*first), std::move(*second)};
}

/// ω^{x·y} as the factor of an entry. `first` says that x is the twiddle's first digit.
Factor power(const TwiddleFunction& twiddle, bool first, const Affine& x, const Affine& y,
             const Extents& extents) {
    const formula::Digit &dx = first ? twiddle.first : twiddle.second,
                         &dy = first ? twiddle.second : twiddle.first;
    const Integer range = dx.divisor * dx.modulus * dy.divisor * dy.modulus;
    const formula::Diagonal diagonal{twiddle, formula::IndexMap::identity(range)};
    return factor_of({{diagonal, dx.divisor * x + dy.divisor * y}}, extents);
}

Integer combinations(const Factor& factor, const Extents& extents) {
    Integer count = 1;
    for (Variable v : factor.variables) count *= extents[v];
    return count;
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

} // namespace

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

} // namespace swirl::lower
