#include "search/cost/cpu/real_cost.hpp"

#include "base/error.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "search/candidates/cpu/dft_candidates.hpp"
#include "search/cost/cpu/real_cycles.hpp"

#include <algorithm>

namespace swirl::search {

using namespace formula;

namespace {

/// Rules for real transforms, in order of preference; their children are DFTs or again real transforms.
constexpr std::string_view real_rules[] = {
    "rdft-stockham", "rdft-rader", "rdft-half-size", "rdft-embedding", "dct2-rdft", "dct3-rdft",
    "dct4-dft",      "dct4-rdft",  "dst-dct",        "dct1-dct3",      "dct1-dft",  "dst1-dst3",
    "dst1-dft",      "dct1-rdft",  "dst1-rdft",      "dct5-rdft",      "dst5-rdft", "dct-type5",
    "dht-rdft",      "wht-split",  "wht-stockham"};

/// Largest real transform computed by one straight-line codelet.
constexpr Integer largest_real_codelet = 32;

/// Longest convolution of rdft-rader: its spectrum and its permutations are tables. Longer transforms are embedded in complex
/// ones, where Bluestein's chirps are products of small tables.
constexpr Integer longest_rader = Integer{1} << 20;

/// Longest transform of type 1 by parts. Longer ones, whose parts the caches do not hold, are real transforms of twice the
/// points: two sweeps over memory.
constexpr Integer longest_by_parts = Integer{1} << 20;

bool is_worthwhile(const rules::BreakdownRule& rule, Integer n) {
    const bool is_whole = rule.name == "dct1-rdft" || rule.name == "dst1-rdft";
    const bool is_by_parts = rule.name == "dct1-dct3" || rule.name == "dct1-dft" ||
                             rule.name == "dst1-dst3" || rule.name == "dst1-dft";
    return n > longest_by_parts ? !is_by_parts : !is_whole;
}

/// The length of the real DFT whose straight-line algorithms compute a transform.
Integer period_of(const Formula& transform) {
    const Integer n = transform.rows();
    if (const auto* dct = transform.get_if<Dct>()) {
        if (dct->type == 1) return n - 1;
        if (dct->type > 4) return dct->type == 8 ? 2 * n + 1 : 2 * n - 1;
    }
    if (const auto* dst = transform.get_if<Dst>()) {
        if (dst->type == 1) return n + 1;
        if (dst->type > 4) return dst->type == 8 ? 2 * n - 1 : 2 * n + 1;
    }
    return n;
}

/// The choices of a rule worth trying; of the many splits of a long WHT only one: by codelets, else balanced.
std::vector<rules::Choice> worthwhile_choices(const rules::BreakdownRule& rule, const Formula& transform) {
    const auto* wht = transform.get_if<Wht>();
    if (!wht || wht->order != WalshOrder::natural) {
        std::vector<rules::Choice> choices = rule.choices(transform);
        if (rule.name == "rdft-rader")
            std::erase_if(choices, [](const rules::Choice& choice) { return choice[0] > longest_rader; });
        return choices;
    }
    Integer left = 2;
    while (left < largest_real_codelet && left * left < transform.rows()) left *= 2;
    return {{left, transform.rows() / left}};
}

/// How often a rule for n reals executes a child. A DFT takes pairs of reals, or reals with zero imaginary components.
double runs_of(const rules::BreakdownRule& rule, const Formula& child, Integer n) {
    if (rule.name == "dct1-dct3" || rule.name == "dst1-dst3") return 1; // two children of half the size
    if (child.rows() >= n - 1) return 1; // as it is, or with zero imaginary components
    const Integer reals = child.is<Dft>() && 2 * child.rows() <= n ? 2 * child.rows() : child.rows();
    return static_cast<double>(n) / static_cast<double>(reals);
}

/// Cycles of a rule's own work, without its children.
double cycles_around(std::string_view rule, Integer n, const Setting& setting) {
    constexpr double one_by_one = 2, permuted = 8, vectors = 4;
    const auto size = static_cast<double>(n);
    if (rule == "rdft-half-size") return half_size_cycles(n, setting);
    if (rule == "rdft-rader") return permuted * size;
    if (rule == "dct2-rdft" || rule == "dct3-rdft" || rule == "dct4-dft")
        return vectors * size / setting.lanes;
    return one_by_one * size;
}

/// The transforms that the rule leaves, in order. Building the rules for primes would compute spectra needlessly.
std::vector<Formula> children_after(const rules::BreakdownRule& rule, const rules::Choice& choice,
                                    const Formula& transform) {
    if (rule.name == "rdft-rader")
        return {RDFT(choice[0], Direction::backward), RDFT(choice[0], Direction::forward)};
    return rules::nonterminals(rule.build(transform, choice));
}

Candidate candidate_of(const rules::BreakdownRule& rule, const rules::Choice& choice,
                       const Formula& transform, const Setting& setting) {
    const Integer n = transform.rows();
    if (rule.name == "rdft-stockham")
        return {{std::string(rule.name), choice, {}},
                rdft_stockham_cycles(choice, n, transform.get_if<RealDft>()->direction, setting)};
    if (rule.name == "wht-stockham") {
        Candidate candidate{{std::string(rule.name), choice, {}}, 0};
        for (const Integer radix : choice)
            candidate.cycles += static_cast<double>(n / radix) * real_codelet_cycles(radix, setting);
        return candidate;
    }
    Candidate candidate{{std::string(rule.name), choice, {}}, cycles_around(rule.name, n, setting)};
    for (const Formula& child : children_after(rule, choice, transform)) {
        const Candidate inner =
            child.is<Dft>() ? best_dft(child, setting) : real_candidates(child, setting).front();
        candidate.tree.children.push_back(inner.tree);
        candidate.cycles += inner.cycles * runs_of(rule, child, n);
    }
    return candidate;
}

} // namespace

std::vector<Candidate> real_candidates(const Formula& transform, const Setting& setting) {
    const Integer n = transform.rows();
    std::vector<Candidate> result;
    const Integer period = period_of(transform);
    if (n <= largest_real_codelet && rules::largest_prime_factor(period) <= rules::largest_base_prime)
        result.push_back({{}, real_codelet_cycles(n, setting)});
    for (const std::string_view name : real_rules) {
        const rules::BreakdownRule& rule = rules::rule_named(name);
        if (!is_worthwhile(rule, n) || !rule.applicable(transform).ok()) continue;
        for (const rules::Choice& choice : worthwhile_choices(rule, transform))
            result.push_back(candidate_of(rule, choice, transform, setting));
    }
    if (result.empty()) throw UserError("no breakdown is known for a transform of {} reals", n);
    sort_by_cycles(result);
    return result;
}

} // namespace swirl::search
