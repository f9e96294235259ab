#pragma once

#include "rules/rule.hpp"

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

/// Building blocks shared by breakdown rules.
namespace swirl::rules {

using formula::Complex;

/// Whether a formula is a DFT of m·n points, m, n > 1, as the two-factor splits require.
Applicability has_two_factors(const Formula& nonterminal);

/// Throws UserError naming rule, transform and reason unless the rule applies.
void require(std::string_view rule, const Formula& nonterminal, const Applicability& applicability);
/// Throws UserError unless `holds`, naming the invalid choice and rule, and what is valid.
void require_choice(bool holds, std::string_view rule, const Formula& nonterminal, const Choice& choice,
                    std::string_view expected);
/// Throws UserError unless the choice is a list of radices above 1 whose product is the size.
void require_radices(std::string_view rule, const Formula& nonterminal, const Choice& choice);
/// The choice as a pair {m, n} with m·n = size, both above 1; throws UserError.
std::pair<Integer, Integer> split_of(std::string_view rule, const Formula& nonterminal, const Choice& choice);

/// The empty choice, of rules without parameters.
std::vector<Choice> one_choice(const Formula& nonterminal);
/// {m, n} for each ordered split of the size, or for each with coprime m and n.
std::vector<Choice> split_choices(const Formula& nonterminal);
std::vector<Choice> coprime_split_choices(const Formula& nonterminal);

/// "DFT_12", for messages.
std::string name_of(const Formula& transform);

/// The transform; I_1 for size 1 where both are equal.
Formula dft(Integer n, Direction direction);
Formula rdft(Integer n, Direction direction);
Formula wht(Integer n);

/// Products without identity factors, Kronecker products without I_1, sums without absent summands.
Formula product_of(std::initializer_list<Formula> factors);
Formula repeat(Integer count, const Formula& a); ///< I_count ⊗ a
Formula spread(const Formula& a, Integer count); ///< a ⊗ I_count
/// Of real components of complex vectors: A ⊗ B ⊗ … = (A ⊗ I)(I ⊗ B ⊗ …), one factor at a time, none for identities.
/// spread_pairs(a, k) is the form of a ⊗ I_k on pairs.
Formula kronecker_on_pairs(const std::vector<Formula>& factors,
                           const std::function<Formula(const Formula& a, Integer k)>& spread_pairs);

/// The factors of an iterative algorithm, that of the first radix last. `pass` receives the product of the preceding
/// radices and the radix.
std::vector<Formula> passes_of(const Choice& radices,
                               const std::function<Formula(Integer before, Integer radix)>& pass);

/// Direct sums whose summands may be empty: `add` skips those of size 0.
class Summands {
public:
    void add(const Formula& summand) { summands_.push_back(summand); }
    void add_identity(Integer n);
    Formula sum() const; ///< requires at least one summand

private:
    std::vector<Formula> summands_;
};

/// diag(ω_order^{base + step·i}), i = 0…n−1; base, step ≥ 0.
Formula root_diagonal(Integer order, Integer n, Integer base, Integer step, Direction direction);
/// diag(1, −1, 1, …).
Formula alternating_signs(Integer n);
/// value · I_n.
Formula scaled_identity(Integer n, Complex value);
/// diag of ±1: −1 where the entry is true; the identity if none is.
Formula signs(const std::vector<bool>& negative);

/// The permutation (P x)[i] = x[sources[i]].
Formula permutation_from(std::vector<Integer> sources);

/// Number of k with 0 < k < n/2: the complex frequencies in a real transform's halfcomplex output.
constexpr Integer complex_entries(Integer n) { return (n - 1) / 2; }
/// Positions of the halfcomplex entries r_0 r_1 … i_2 i_1 among X_0 … X_{n/2} stored as pairs of reals.
formula::IndexMap indices_in_pairs(Integer n);

} // namespace swirl::rules
