#include "formula/rewrite.hpp"

#include "formula/print.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace swirl::formula {

namespace {

/// The node with new operands; operands that are chains of its own kind are flattened.
Formula spliced(const Formula& formula, const std::vector<Formula>& children) {
    const bool is_chain = formula.is<Product>() || formula.is<Kronecker>() || formula.is<DirectSum>();
    if (!is_chain) return with_children(formula, children);
    std::vector<Formula> flat;
    for (const Formula& child : children) {
        if (child.payload().index() == formula.payload().index())
            flat.insert(flat.end(), child.children().begin(), child.children().end());
        else
            flat.push_back(child);
    }
    if (formula.is<Product>()) return product(std::move(flat));
    return formula.is<Kronecker>() ? kron(std::move(flat)) : direct_sum(std::move(flat));
}

class Rewriter {
public:
    Rewriter(std::span<const RewriteRule> rules, RewriteTrace* trace, std::size_t step_limit)
        : rules_(rules), trace_(trace), step_limit_(step_limit) {}

    Formula normalise(Formula formula);

private:
    Formula with_normal_children(const Formula& formula);
    std::optional<Formula> step(const Formula& formula);
    std::optional<Formula> apply(const RewriteRule& rule, const Formula& formula);
    std::optional<Formula> replacement(const RewriteRule& rule, const Match& match, Shape shape) const;
    void record(const RewriteRule& rule, const Formula& before, const Formula& after);

    std::span<const RewriteRule> rules_;
    RewriteTrace* trace_;
    std::size_t step_limit_;
    std::size_t steps_ = 0;
    RewriteTrace recent_;
    /// Terms to which no rule applies; holding them keeps their addresses unique.
    std::unordered_map<const FormulaNode*, Formula> normal_;
};

Formula Rewriter::normalise(Formula formula) {
    if (normal_.contains(formula.node())) return formula;
    while (true) {
        formula = with_normal_children(formula);
        std::optional<Formula> next = step(formula);
        if (!next) break;
        formula = *std::move(next);
    }
    normal_.emplace(formula.node(), formula);
    return formula;
}

Formula Rewriter::with_normal_children(const Formula& formula) {
    std::vector<Formula> children;
    bool changed = false;
    for (const Formula& child : formula.children()) {
        children.push_back(normalise(child));
        changed = changed || children.back().node() != child.node();
    }
    if (!changed) return formula;
    return spliced(formula, children);
}

std::optional<Formula> Rewriter::step(const Formula& formula) {
    for (const RewriteRule& rule : rules_)
        if (auto result = apply(rule, formula)) return result;
    return std::nullopt;
}

std::optional<Formula> Rewriter::apply(const RewriteRule& rule, const Formula& formula) {
    if (!rule.match.accepts(formula)) return std::nullopt;
    if (!rule.match.is_chain_like(formula)) {
        Match match;
        if (!rule.match.matches(formula, match)) return std::nullopt;
        auto result = replacement(rule, match, formula.shape());
        if (result) record(rule, formula, *result);
        return result;
    }
    const std::size_t width = rule.match.operand_count();
    const std::vector<Formula>& operands = formula.children();
    for (std::size_t first = 0; first + width <= operands.size(); ++first) {
        Match match;
        if (!rule.match.matches_window(formula, first, match)) continue;
        const auto begin = operands.begin() + static_cast<std::ptrdiff_t>(first);
        std::vector<Formula> window(begin, begin + static_cast<std::ptrdiff_t>(width));
        const Formula before = spliced(formula, window);
        const auto result = replacement(rule, match, before.shape());
        if (!result) continue;
        record(rule, before, *result);
        std::vector<Formula> replaced(operands.begin(), begin);
        replaced.push_back(*result);
        replaced.insert(replaced.end(), begin + static_cast<std::ptrdiff_t>(width), operands.end());
        return spliced(formula, replaced);
    }
    return std::nullopt;
}

std::optional<Formula> Rewriter::replacement(const RewriteRule& rule, const Match& match, Shape shape) const {
    if (rule.when && !rule.when(match)) return std::nullopt;
    auto result = rule.rewrite(match);
    if (result && result->shape() != shape)
        throw InternalError("rule {} turns a {}×{} matrix into {}×{}: {}", rule.name, shape.rows,
                            shape.columns, result->rows(), result->columns(), to_short_text(*result));
    return result;
}

void Rewriter::record(const RewriteRule& rule, const Formula& before, const Formula& after) {
    constexpr std::size_t shown = 6;
    recent_.push_back({rule.name, before, after});
    if (recent_.size() > shown) recent_.erase(recent_.begin());
    if (trace_) trace_->push_back(recent_.back());
    if (++steps_ > step_limit_)
        throw InternalError("rewriting did not end within {} steps; the last ones were\n{}", step_limit_,
                            to_text(recent_));
}

} // namespace

Formula rewrite_to_fixpoint(const Formula& formula, std::span<const RewriteRule> rules, RewriteTrace* trace,
                            std::size_t step_limit) {
    return Rewriter(rules, trace, step_limit).normalise(formula);
}

std::string to_text(const RewriteTrace& trace) {
    std::string text;
    for (const RewriteStep& step : trace)
        text += fmt::format("{}: {} → {}\n", step.rule, to_text(step.before), to_text(step.after));
    return text;
}

} // namespace swirl::formula
