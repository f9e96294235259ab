#pragma once

#include "formula/pattern.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::formula {

/// Depth-first, bottom-up: `f` sees each term after its operands were rewritten and returns its replacement or
/// nothing. Subtrees without a change keep their node.
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

/// An identity, used from left to right. Where `match` is a product, Kronecker product or direct sum, it stands for
/// any neighbouring operands of such a chain.
struct RewriteRule {
    std::string name; ///< the identity: "I_m ⊗ I_n → I_mn"
    Pattern match;
    std::function<bool(const Match&)> when = {}; ///< side condition; empty: always
    /// The right-hand side, of the same shape; or nothing, where only its construction shows that it does not apply.
    std::function<std::optional<Formula>(const Match&)> rewrite;
};

/// One application of a rule: `before` is the part of the term that matched.
struct RewriteStep {
    std::string rule;
    Formula before;
    Formula after;
};
using RewriteTrace = std::vector<RewriteStep>;

/// The term after one application of the rule, at the first place from the left and from below; or nothing.
std::optional<Formula> rewrite_once(const Formula& formula, const RewriteRule& rule);

/// Applies the rules, earlier ones first, until none applies anywhere. Products in products and the like, where
/// rewriting brings them about, are flattened. Appends each step to `trace` if given. Throws InternalError, which
/// shows the last steps, after more than `step_limit` of them.
Formula rewrite_to_fixpoint(const Formula& formula, std::span<const RewriteRule> rules,
                            RewriteTrace* trace = nullptr, std::size_t step_limit = 100000);

/// One line a step: "rule: before → after".
std::string to_text(const RewriteTrace& trace);

} // namespace swirl::formula
