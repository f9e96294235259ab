#pragma once

#include "formula/pattern.hpp"
#include "formula/rewrite_trace.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::formula {

/// Depth-first, bottom-up: `f` receives each term after its operands were rewritten, and returns its replacement or
/// nothing. Unchanged subtrees keep their node.
template <class F> Formula rewrite(const Formula& formula, F&& f) {
    std::vector<Formula> children;
    bool changed = false;
    children.reserve(formula.children().size());
    for (const Formula& child : formula.children()) {
        children.push_back(rewrite(child, f));
        changed = changed || children.back().node() != child.node();
    }
    const Formula rebuilt = changed ? with_children(formula, std::move(children)) : formula;
    std::optional<Formula> replacement = f(rebuilt);
    return replacement ? *std::move(replacement) : rebuilt;
}

/// An identity, applied from left to right. If `match` is a product, Kronecker product or direct sum, it also matches
/// adjacent operands of such a chain.
struct RewriteRule {
    std::string name; ///< the identity: "I_m ⊗ I_n → I_mn"
    Pattern match;
    std::function<bool(const Match&)> when = {}; ///< side condition; empty: always
    /// The right-hand side, of the same shape; or nothing, if only constructing it shows that the rule does not apply.
    std::function<std::optional<Formula>(const Match&)> rewrite;
};

/// Applies the rules, earlier ones first, until none matches. Flattens nested products, Kronecker products and direct
/// sums that rewriting creates. Appends each step to `trace` if given. Throws InternalError showing the last steps
/// after more than `step_limit` steps.
Formula rewrite_to_fixpoint(const Formula& formula, std::span<const RewriteRule> rules,
                            RewriteTrace* trace = nullptr, std::size_t step_limit = 100000);

} // namespace swirl::formula
