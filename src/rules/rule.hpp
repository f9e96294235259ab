#pragma once

#include "formula/formula.hpp"
#include "formula/rewrite_trace.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Breakdown rules: each expresses a transform by smaller ones, with choices.
namespace swirl::rules {

using formula::Formula;

/// Empty if a rule applies; otherwise the reason why it does not.
class Applicability {
public:
    bool ok() const { return !reason_; }
    const std::string& reason() const { return *reason_; }
    /// Whether the rule is for another kind of transform, of any size.
    bool is_for_other_transform() const { return is_for_other_transform_; }

    friend Applicability accepted();
    friend Applicability not_a(std::string_view transform);
    template <class... Args>
    friend Applicability rejected(fmt::format_string<Args...> format, Args&&... args);

private:
    std::optional<std::string> reason_;
    bool is_for_other_transform_ = false;
};

Applicability accepted();
/// Rejects all but one kind of transform, "DFT": the reason is "not a DFT".
Applicability not_a(std::string_view transform);
template <class... Args> Applicability rejected(fmt::format_string<Args...> format, Args&&... args) {
    Applicability applicability;
    applicability.reason_ = fmt::format(format, std::forward<Args>(args)...);
    return applicability;
}

/// A rule's free parameters, in an order that the rule defines, e.g. {m, n} of Cooley–Tukey or the radices of Stockham.
using Choice = std::vector<Integer>;

/// An entry of the registry.
struct BreakdownRule {
    std::string_view name;     ///< "cooley-tukey"
    std::string_view identity; ///< "DFT_mn = (DFT_m ⊗ I_n) T^mn_n (I_m ⊗ DFT_n) L^mn_m"
    Applicability (*applicable)(const Formula& nonterminal);
    /// All useful choices, best guess first; at least one if applicable.
    std::vector<Choice> (*choices)(const Formula& nonterminal);
    /// The right-hand side; its nonterminals are the children to expand next.
    Formula (*build)(const Formula& nonterminal, const Choice& choice);
};

/// All rules, sorted by name.
std::span<const BreakdownRule> registry();
/// Throws UserError listing the names for an unknown name.
const BreakdownRule& rule_named(std::string_view name);

/// The rule and choice at each nonterminal. A node without a rule does not expand its transform, which becomes a
/// straight-line codelet. Children correspond to the distinct nonterminals of the rule's formula in order of first
/// appearance, left to right.
struct BreakdownTree {
    std::string rule; ///< empty: codelet
    Choice choice;
    std::vector<BreakdownTree> children;
    bool operator==(const BreakdownTree&) const = default;
};

/// Distinct nonterminals of a formula in order of first appearance, left to right.
std::vector<Formula> nonterminals(const Formula& formula);

/// Expands `nonterminal` by the tree. Throws UserError naming the rule and the reason if a rule does not apply. Appends
/// each application to `trace` if given, outermost first.
Formula expand(const Formula& nonterminal, const BreakdownTree& tree, formula::RewriteTrace* trace = nullptr);

/// Compact text, e.g. "stockham(32,32)[codelet, codelet]" with trailing codelet children omitted; round-trips.
std::string to_string(const BreakdownTree& tree);
BreakdownTree parse_tree(std::string_view text);

} // namespace swirl::rules
