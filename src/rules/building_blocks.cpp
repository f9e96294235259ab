#include "rules/building_blocks.hpp"

#include "rules/number_theory.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

std::string name_of(const Formula& transform) {
    const auto named = [&](std::string_view name) { return fmt::format("{}_{}", name, transform.rows()); };
    if (transform.is<Dft>()) return named("DFT");
    if (const auto* wht = transform.get_if<Wht>())
        return named(wht->order == WalshOrder::natural  ? "WHT"
                     : wht->order == WalshOrder::dyadic ? "dyadic WHT"
                                                        : "sequency WHT");
    if (transform.is<RealDft>()) return named("RDFT");
    if (const auto* dct = transform.get_if<Dct>()) return named(fmt::format("DCT{}", dct->type));
    if (const auto* dst = transform.get_if<Dst>()) return named(fmt::format("DST{}", dst->type));
    if (transform.is<Dht>()) return named("DHT");
    if (const auto* circulant = transform.get_if<Circulant>())
        return named(circulant->of_reals ? "real circulant" : "circulant");
    if (transform.is<Kronecker>()) {
        std::string text;
        for (const Formula& child : transform.children())
            text += (text.empty() ? "" : " ⊗ ") + name_of(child);
        return text;
    }
    return fmt::format("{}×{} formula", transform.rows(), transform.columns());
}

void require(std::string_view rule, const Formula& nonterminal, const Applicability& applicability) {
    if (!applicability.ok())
        throw UserError("rule {} does not apply to {}: {}", rule, name_of(nonterminal),
                        applicability.reason());
}

void require_choice(bool holds, std::string_view rule, const Formula& nonterminal, const Choice& choice,
                    std::string_view expected) {
    if (!holds)
        throw UserError("rule {} cannot take the choice ({}) for {}: expected {}", rule,
                        fmt::join(choice, ","), name_of(nonterminal), expected);
}

Applicability has_two_factors(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() == 1 || is_prime(f.rows())) return rejected("{} has no two factors to split into", f.rows());
    return accepted();
}

void require_radices(std::string_view rule, const Formula& nonterminal, const Choice& choice) {
    Integer product_of_radices = choice.empty() ? 0 : 1;
    for (const Integer radix : choice)
        product_of_radices = radix > 1 ? checked_multiply(product_of_radices, radix).value_or(0) : 0;
    require_choice(product_of_radices == nonterminal.rows(), rule, nonterminal, choice,
                   fmt::format("radices above 1 of product {}", nonterminal.rows()));
}

std::pair<Integer, Integer> split_of(std::string_view rule, const Formula& nonterminal,
                                     const Choice& choice) {
    const bool holds = choice.size() == 2 && choice[0] > 1 && choice[1] > 1 &&
                       checked_multiply(choice[0], choice[1]) == nonterminal.rows();
    require_choice(holds, rule, nonterminal, choice,
                   fmt::format("two factors above 1 of product {}", nonterminal.rows()));
    return {choice[0], choice[1]};
}

std::vector<Choice> one_choice(const Formula&) { return {{}}; }

namespace {

std::vector<Choice> as_choices(const std::vector<std::pair<Integer, Integer>>& splits) {
    std::vector<Choice> choices;
    for (const auto& [m, n] : splits) choices.push_back({m, n});
    return choices;
}

} // namespace

std::vector<Choice> split_choices(const Formula& nonterminal) {
    return as_choices(ordered_splits(nonterminal.rows()));
}

std::vector<Choice> coprime_split_choices(const Formula& nonterminal) {
    return as_choices(coprime_splits(nonterminal.rows()));
}

Formula dft(Integer n, Direction direction) { return n == 1 ? I(1) : DFT(n, direction); }
Formula rdft(Integer n, Direction direction) { return n == 1 ? I(1) : RDFT(n, direction); }
Formula wht(Integer n) { return n == 1 ? I(1) : WHT(n); }

Formula product_of(std::initializer_list<Formula> factors) {
    std::vector<Formula> kept;
    for (const Formula& factor : factors) {
        if (factor.is<Identity>()) continue;
        if (factor.is<Product>())
            kept.insert(kept.end(), factor.children().begin(), factor.children().end());
        else
            kept.push_back(factor);
    }
    return kept.empty() ? *factors.begin() : product(std::move(kept));
}

Formula repeat(Integer count, const Formula& a) {
    if (count == 1) return a;
    if (a.is<Identity>()) return I(count * a.rows());
    return kron(I(count), a);
}

Formula spread(const Formula& a, Integer count) {
    if (count == 1) return a;
    if (a.is<Identity>()) return I(count * a.rows());
    return kron(a, I(count));
}

Formula kronecker_on_pairs(const std::vector<Formula>& factors,
                           const std::function<Formula(const Formula& a, Integer k)>& spread_pairs) {
    Integer before = 1, after = 1;
    for (const Formula& factor : factors) after *= factor.columns();
    std::vector<Formula> terms;
    for (const Formula& factor : factors) {
        after /= factor.columns();
        if (!factor.is<Identity>()) terms.insert(terms.begin(), repeat(before, spread_pairs(factor, after)));
        before *= factor.rows();
    }
    return terms.empty() ? I(2 * before) : product(std::move(terms));
}

std::vector<Formula> passes_of(const Choice& radices,
                               const std::function<Formula(Integer before, Integer radix)>& pass) {
    std::vector<Formula> passes;
    Integer before = 1;
    for (const Integer radix : radices) {
        passes.push_back(pass(before, radix));
        before *= radix;
    }
    std::reverse(passes.begin(), passes.end());
    return passes;
}

IndexMap indices_in_pairs(Integer n) {
    const Integer h = n / 2 + 1, m = complex_entries(n);
    return IndexMap::piecewise({DigitMap{{h}, {2}, 0, 0}, DigitMap{{m}, {-2}, 2 * m + 1, 0}}, 2 * h);
}

void Summands::add_identity(Integer n) {
    if (n > 0) summands_.push_back(I(n));
}

Formula Summands::sum() const {
    std::vector<Formula> merged;
    for (const Formula& summand : summands_) {
        if (summand.is<Identity>() && !merged.empty() && merged.back().is<Identity>())
            merged.back() = I(merged.back().rows() + summand.rows());
        else
            merged.push_back(summand);
    }
    return direct_sum(std::move(merged));
}

Formula root_diagonal(Integer order, Integer n, Integer base, Integer step, Direction direction) {
    // The first digit of index order + e is e itself (e < order), the second the constant 1; the map reduces e modulo
    // order, which leaves the root unchanged.
    const TwiddleFunction function{order, {1, order}, {order, 2}, direction};
    const Integer last = base + step * (n - 1);
    if (last < order)
        return diagonal(function, IndexMap(n, 2 * order, DigitMap{{n}, {step}, order + base, 0}));
    std::vector<Integer> exponents;
    for (Integer i = 0; i < n; ++i) exponents.push_back(order + (base + step * i) % order);
    return diagonal(function, IndexMap::table(std::move(exponents), 2 * order));
}

Formula alternating_signs(Integer n) {
    const auto values = std::make_shared<const std::vector<Complex>>(std::vector<Complex>{1, -1});
    return diagonal(ExplicitFunction{values}, IndexMap(n, 2, DigitMap{{n}, {1}, 0, 2}));
}

Formula scaled_identity(Integer n, Complex value) { return diagonal(ConstantFunction{value}, n); }

Formula signs(const std::vector<bool>& negative) {
    if (std::find(negative.begin(), negative.end(), true) == negative.end())
        return I(static_cast<Integer>(negative.size()));
    std::vector<Complex> values;
    values.reserve(negative.size());
    for (const bool minus : negative) values.emplace_back(minus ? -1 : 1);
    return diagonal(std::move(values));
}

Formula permutation_from(std::vector<Integer> sources) {
    const auto n = static_cast<Integer>(sources.size());
    const bool identity = [&] {
        for (Integer i = 0; i < n; ++i)
            if (sources[static_cast<std::size_t>(i)] != i) return false;
        return true;
    }();
    if (identity) return I(n);
    return permutation(IndexMap::table(std::move(sources), n));
}

} // namespace swirl::rules
