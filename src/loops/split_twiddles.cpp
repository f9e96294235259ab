#include "loops/root_powers.hpp"
#include "loops/twiddle.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace swirl::loops {

namespace {

using formula::TwiddleFunction;

/// Largest table that is never split, and the least factor by which the two tables together must be smaller.
constexpr Integer max_unsplit_table = 8192;
constexpr Integer least_saving = 4;
/// Table size from which less data to read is worth extra multiplications (transforms of 10000 and 16384 points lose 1
/// % by them on an H100).
constexpr Integer largest_cached_table = 16384;

/// Values of all entries' own factors of split twiddles above which those are products on GPUs, too: their tables are most
/// of a plan.
constexpr Integer largest_own_tables = Integer{1} << 20;

/// Whether a table of this size is loaded directly, which is the default up to `usual` entries.
bool is_loaded(Integer entries, Integer usual, Roots roots) {
    return roots == Roots::loaded || (roots == Roots::by_size && entries <= usual);
}

/// The split for entries whose digits are x_e = c_e + form, with the other digit y equal for all.
std::optional<SplitTwiddles> split_by(const std::vector<Twiddle>& twiddles, const std::vector<Digits>& digits,
                                      bool first, const Extents& extents) {
    const auto& twiddle_function = std::get<TwiddleFunction>(twiddles[0].varying[0].diagonal.function);
    const auto x = [&](const Digits& d) -> const Affine& { return first ? d.first : d.second; };
    const auto y = [&](const Digits& d) -> const Affine& { return first ? d.second : d.first; };
    const Affine form = x(digits[0]) - x(digits[0]).constant();
    for (std::size_t e = 0; e < twiddles.size(); ++e) {
        const auto& other = std::get<TwiddleFunction>(twiddles[e].varying[0].diagonal.function);
        if (other != twiddle_function || y(digits[e]) != y(digits[0]) ||
            x(digits[e]) - x(digits[e]).constant() != form)
            return std::nullopt;
    }
    const bool has_limit = std::any_of(twiddles.begin(), twiddles.end(),
                                       [](const Twiddle& twiddle) { return twiddle.limit.has_value(); });
    SplitTwiddles split;
    for (const Digits& d : digits)
        split.own.push_back(power(twiddle_function, first, x(d).constant(), y(d), extents, has_limit));
    split.common = power(twiddle_function, first, form, y(digits[0]), extents, has_limit);
    return split;
}

/// ω^{c_e·g}: c_e of each entry, and g.
struct Powers {
    const TwiddleFunction* twiddle_function;
    bool first; ///< c_e is the twiddle_function's first digit
    std::vector<Integer> exponents;
    Affine form;
};

/// For a constant digit and one equal for all entries; entries without a twiddle have exponent 0.
std::optional<Powers> powers_of(const std::vector<Twiddle>& twiddles, const Extents& extents) {
    for (const bool first : {true, false}) {
        Powers powers{nullptr, first, {}, 0};
        bool fits = true;
        for (const Twiddle& twiddle : twiddles) {
            const auto digits = twiddle.is_one() ? std::nullopt : digits_of(twiddle, extents);
            const Affine own = digits ? first ? digits->first : digits->second : Affine(0);
            const Affine form = digits ? first ? digits->second : digits->first : powers.form;
            const auto* twiddle_function =
                digits ? std::get_if<TwiddleFunction>(&twiddle.varying[0].diagonal.function)
                       : powers.twiddle_function;
            if (powers.twiddle_function == nullptr) powers.form = form;
            fits = fits && (digits || twiddle.is_one()) && !twiddle.limit && own.is_constant() &&
                   own.constant() >= 0 && form == powers.form &&
                   (powers.twiddle_function == nullptr || *twiddle_function == *powers.twiddle_function);
            powers.twiddle_function = twiddle_function;
            powers.exponents.push_back(own.constant());
        }
        if (fits && powers.twiddle_function != nullptr) return powers;
    }
    return std::nullopt;
}

Integer all_combinations(const std::vector<Twiddle>& twiddles, const Extents& extents) {
    Integer sum = 0;
    for (const Twiddle& twiddle : twiddles)
        if (!twiddle.is_one()) sum += combinations(twiddle, extents);
    return sum;
}

} // namespace

Integer max_twiddle_table(std::size_t tables) {
    constexpr Integer max_total_entries = Integer{1} << 18;
    return max_total_entries / std::max<Integer>(1, static_cast<Integer>(tables));
}

std::optional<SplitTwiddles> split_twiddles(const std::vector<Twiddle>& twiddles, const Extents& extents,
                                            Roots roots) {
    if (twiddles.size() < 2) return std::nullopt;
    const Integer entries = static_cast<Integer>(twiddles.size());
    const Integer whole = entries * combinations(twiddles.back(), extents);
    if (is_loaded(whole, max_unsplit_table, roots)) return std::nullopt;
    std::vector<Digits> digits;
    for (const Twiddle& twiddle : twiddles) {
        auto both = digits_of(twiddle, extents);
        if (!both) return std::nullopt;
        digits.push_back(std::move(*both));
    }
    for (const bool first : {true, false}) {
        auto split = split_by(twiddles, digits, first, extents);
        if (!split || split->common.is_one()) continue;
        const Integer size =
            combinations(split->common, extents) + entries * combinations(split->own.back(), extents);
        if (least_saving * size <= whole) return split;
    }
    return std::nullopt;
}

std::optional<TwiddleProducts> twiddle_products(const std::vector<Twiddle>& twiddles, const Extents& extents,
                                                Roots roots) {
    if (is_loaded(all_combinations(twiddles, extents), largest_cached_table, roots)) return std::nullopt;
    const auto powers = powers_of(twiddles, extents);
    if (!powers) return std::nullopt;
    Integer radix = 1;
    while (radix * radix < std::ssize(twiddles)) radix *= 2;
    Integer unit = 0; // of the exponents
    for (const Integer exponent : powers->exponents) unit = std::gcd(unit, exponent);
    radix *= std::max<Integer>(unit, 1);
    TwiddleProducts products;
    std::map<Integer, std::size_t> index_of_exponent;
    for (const Integer exponent : powers->exponents) {
        auto& own = products.of_entry.emplace_back();
        for (const Integer term : {exponent % radix, exponent / radix * radix}) {
            if (term == 0) continue;
            const auto [at, is_new] = index_of_exponent.emplace(term, products.twiddles.size());
            if (is_new)
                products.twiddles.push_back(
                    power(*powers->twiddle_function, powers->first, term, powers->form, extents, false));
            own.push_back(at->second);
        }
    }
    return products;
}

namespace {

/// The index of a twiddle that is a chirp; beyond a limit any value will do.
std::optional<Affine> chirp_index(const Twiddle& twiddle, const Extents& extents) {
    if (twiddle.varying.size() != 1 || twiddle.constant != formula::Complex(1) || !twiddle.auxiliary.empty())
        return std::nullopt;
    return index_of<formula::ChirpFunction>(twiddle.varying[0], extents);
}

/// Splits long chirps at c_e + f for entry e, f a form of loop variables, into the chirp at f, common to all entries,
/// and for entry e  ω^{c_e²/2} · ω^{c_e·f}. Nothing for other twiddles, or short tables.
std::optional<SplitTwiddles> split_chirps(const std::vector<Twiddle>& twiddles, const Extents& extents) {
    std::optional<formula::ChirpFunction> chirp;
    Affine least;
    Integer entries = 0;
    for (const Twiddle& twiddle : twiddles) {
        if (twiddle.is_one()) continue;
        const auto index = chirp_index(twiddle, extents);
        if (!index) return std::nullopt;
        entries += combinations(twiddle, extents);
        const auto& function = std::get<formula::ChirpFunction>(twiddle.varying[0].diagonal.function);
        if (!chirp) least = *index;
        if (chirp.value_or(function) != function || !(*index - least).is_constant()) return std::nullopt;
        chirp = function;
        if (index->constant() < least.constant()) least = *index;
    }
    if (!chirp || entries <= largest_chirp_table) return std::nullopt;
    SplitTwiddles split;
    const Integer above = bounds(least, extents).second + 1;
    split.common =
        twiddle_of({{formula::Diagonal{*chirp, formula::IndexMap::identity(above)}, least}}, extents);
    for (const Twiddle& twiddle : twiddles) {
        const Integer own = twiddle.is_one() ? 0 : (*chirp_index(twiddle, extents) - least).constant();
        if (own == 0) {
            split.own.emplace_back();
            continue;
        }
        const TwiddleFunction twiddle_function{
            chirp->order, {1, above}, {above, own + 1}, chirp->direction, chirp->factor};
        split.own.push_back(power(twiddle_function, true, least, own, extents, false));
        split.own.back().constant *= formula::diagonal_value(*chirp, own);
    }
    return split;
}

} // namespace

TwiddleGroups twiddle_groups(std::vector<Twiddle> twiddles, bool complex, bool for_gpu,
                             const Extents& extents, Roots roots) {
    TwiddleGroups result;
    Integer largest = max_twiddle_table(1);
    for (std::size_t entry = 0; entry < twiddles.size(); ++entry) result.of_entry.push_back({{entry}});
    const auto replace_by = [&](TwiddleProducts products) {
        twiddles = std::move(products.twiddles);
        for (std::size_t entry = 0; entry < result.of_entry.size(); ++entry) {
            result.of_entry[entry].clear();
            for (const std::size_t index : products.of_entry[entry])
                result.of_entry[entry].push_back({index});
        }
    };
    if (auto split = split_twiddles(twiddles, extents, roots)) {
        twiddles = std::move(split->own);
        if (complex && for_gpu && all_combinations(twiddles, extents) > largest_own_tables)
            if (auto products = twiddle_products(twiddles, extents, roots)) replace_by(std::move(*products));
        for (auto& groups : result.of_entry) groups.push_back({twiddles.size()});
        twiddles.push_back(std::move(split->common));
    } else if (auto chirps = complex && (for_gpu || twiddles.size() > 1) ? split_chirps(twiddles, extents)
                                                                         : std::nullopt) {
        for (std::size_t entry = 0; entry < twiddles.size(); ++entry)
            if (!twiddles[entry].is_one()) result.of_entry[entry].push_back({twiddles.size()});
        largest = std::min(largest, largest_chirp_table / std::ssize(twiddles));
        twiddles = std::move(chirps->own);
        twiddles.push_back(std::move(chirps->common));
    } else if (complex && for_gpu) {
        if (auto products = twiddle_products(twiddles, extents, roots)) replace_by(std::move(*products));
    }
    if (!complex) {
        result.twiddles = std::move(twiddles);
        return result;
    }
    const Integer most = std::min(largest, max_twiddle_table(for_gpu ? 1 : twiddles.size()));
    DigitTerms terms(extents, most);
    std::vector<std::vector<std::size_t>> terms_of_twiddle;
    for (Twiddle& twiddle : twiddles) {
        auto& indices = terms_of_twiddle.emplace_back();
        for (Twiddle& term :
             for_gpu ? terms.terms_of(twiddle) : twiddle_terms(std::move(twiddle), extents, most)) {
            indices.push_back(result.twiddles.size());
            result.twiddles.push_back(std::move(term));
        }
    }
    result.digits = terms.digits();
    for (auto& groups : result.of_entry)
        for (auto& group : groups) group = terms_of_twiddle[group.front()];
    return result;
}

} // namespace swirl::loops
