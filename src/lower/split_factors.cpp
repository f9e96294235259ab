#include "lower/factors.hpp"
#include "lower/root_powers.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace swirl::lower {

namespace {

using formula::TwiddleFunction;

/// Entries of a table that is small enough to stay whole, and how much smaller the two tables must be together.
constexpr Integer largest_whole_table = 8192;
constexpr Integer least_saving = 4;
/// Entries of a table from which on it is worth multiplications that less is read (transforms of 10000 and 16384 points lose 1 %
/// by them on an H100).
constexpr Integer largest_cached_table = 16384;

/// Entries of all tables of chirps of a codelet that are loaded as they are.
constexpr Integer largest_chirp_table = Integer{1} << 20;

/// Whether a table of so many entries, which by its size would be loaded up to `usual`, is.
bool is_loaded(Integer entries, Integer usual, Roots roots) {
    return roots == Roots::loaded || (roots == Roots::by_size && entries <= usual);
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

Integer largest_factor_table(std::size_t tables) {
    constexpr Integer largest_together = Integer{1} << 18;
    return largest_together / std::max<Integer>(1, static_cast<Integer>(tables));
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

namespace {

/// The index of a chirp, as a form of loop variables; of what lies beyond a limit any value will do.
std::optional<Affine> chirp_index(const Factor& factor, const Extents& extents) {
    if (factor.varying.size() != 1 || factor.constant != formula::Complex(1) || !factor.beside.empty())
        return std::nullopt;
    const MetDiagonal& met = factor.varying[0];
    if (!std::holds_alternative<formula::ChirpFunction>(met.diagonal.function) || met.table)
        return std::nullopt;
    return evaluate(met.diagonal.index, met.index, extents);
}

/// Long chirps at c_e + f for entry e, f a form of loop variables, as the chirp at f, the same for all, and at entry e
/// ω^{c_e²/2} · ω^{c_e·f}. Nothing where they are not such, or short.
std::optional<SplitFactors> split_chirps(const std::vector<Factor>& factors, const Extents& extents) {
    std::optional<formula::ChirpFunction> chirp;
    Affine least;
    Integer entries = 0;
    for (const Factor& factor : factors) {
        if (factor.is_one()) continue;
        const auto index = chirp_index(factor, extents);
        if (!index) return std::nullopt;
        entries += combinations(factor, extents);
        const auto& function = std::get<formula::ChirpFunction>(factor.varying[0].diagonal.function);
        if (!chirp) least = *index;
        if (chirp.value_or(function) != function || !(*index - least).is_constant()) return std::nullopt;
        chirp = function;
        if (index->constant() < least.constant()) least = *index;
    }
    if (!chirp || entries <= largest_chirp_table || bounds(least, extents).first < 0) return std::nullopt;
    SplitFactors split;
    const Integer above = bounds(least, extents).second + 1;
    split.common =
        factor_of({{formula::Diagonal{*chirp, formula::IndexMap::identity(above)}, least}}, extents);
    for (const Factor& factor : factors) {
        const Integer own = factor.is_one() ? 0 : (*chirp_index(factor, extents) - least).constant();
        if (own == 0) {
            split.own.emplace_back();
            continue;
        }
        const TwiddleFunction twiddle{chirp->order, {1, above}, {above, own + 1}, chirp->direction};
        split.own.push_back(power(twiddle, true, least, own, extents));
        split.own.back().constant *= formula::diagonal_value(*chirp, own);
    }
    return split;
}

} // namespace

FactorGroups factor_groups(std::vector<Factor> factors, bool complex, bool for_gpu, const Extents& extents,
                           Roots roots) {
    FactorGroups result;
    Integer largest = largest_factor_table(1);
    for (std::size_t entry = 0; entry < factors.size(); ++entry) result.of_entry.push_back({{entry}});
    if (auto split = split_factors(factors, extents, roots)) {
        for (auto& groups : result.of_entry) groups.push_back({factors.size()});
        factors = std::move(split->own);
        factors.push_back(std::move(split->common));
    } else if (auto chirps = complex && for_gpu ? split_chirps(factors, extents) : std::nullopt) {
        for (std::size_t entry = 0; entry < factors.size(); ++entry)
            if (!factors[entry].is_one()) result.of_entry[entry].push_back({factors.size()});
        largest = std::min(largest, largest_chirp_table / std::ssize(factors));
        factors = std::move(chirps->own);
        factors.push_back(std::move(chirps->common));
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
    const Integer most = std::min(largest, largest_factor_table(for_gpu ? 1 : factors.size()));
    DigitTerms terms(extents, most);
    std::vector<std::vector<std::size_t>> terms_of_factor;
    for (const Factor& factor : factors) {
        auto& numbers = terms_of_factor.emplace_back();
        for (Factor& term : for_gpu ? terms.terms_of(factor) : factor_terms(factor, extents, most)) {
            numbers.push_back(result.factors.size());
            result.factors.push_back(std::move(term));
        }
    }
    result.digits = terms.digits();
    for (auto& groups : result.of_entry)
        for (auto& group : groups) group = terms_of_factor[group.front()];
    return result;
}

} // namespace swirl::lower
