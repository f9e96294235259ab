#include "rules/building_blocks.hpp"
#include "rules/rule.hpp"

#include <algorithm>
#include <unordered_map>

namespace swirl::rules {

namespace {

void collect(const Formula& formula, std::vector<Formula>& found) {
    if (formula::is_nonterminal(formula)) {
        if (std::find(found.begin(), found.end(), formula) == found.end()) found.push_back(formula);
        return;
    }
    for (const Formula& child : formula.children()) collect(child, found);
}

/// `formula` with each nonterminal replaced; shared subterms are visited once and stay shared.
class Replacement {
public:
    Replacement(const std::vector<Formula>& from, const std::vector<Formula>& to) : from_(from), to_(to) {}

    Formula operator()(const Formula& formula) {
        if (formula::is_nonterminal(formula)) {
            const auto at = std::find(from_.begin(), from_.end(), formula);
            return to_[static_cast<std::size_t>(at - from_.begin())];
        }
        if (formula.children().empty()) return formula;
        if (const auto done = done_.find(formula.node()); done != done_.end()) return done->second;
        std::vector<Formula> children;
        bool changed = false;
        for (const Formula& child : formula.children()) {
            children.push_back((*this)(child));
            changed |= children.back().node() != child.node();
        }
        const Formula result = changed ? formula::with_children(formula, std::move(children)) : formula;
        done_.emplace(formula.node(), result);
        return result;
    }

private:
    const std::vector<Formula>& from_;
    const std::vector<Formula>& to_;
    std::unordered_map<const formula::FormulaNode*, Formula> done_;
};

} // namespace

std::vector<Formula> nonterminals(const Formula& formula) {
    std::vector<Formula> found;
    collect(formula, found);
    return found;
}

Formula expand(const Formula& nonterminal, const BreakdownTree& tree, formula::RewriteTrace* trace) {
    if (tree.rule.empty()) {
        if (!tree.children.empty())
            throw UserError("a codelet has no children, but {} are given for {}", tree.children.size(),
                            name_of(nonterminal));
        return nonterminal;
    }
    const BreakdownRule& rule = rule_named(tree.rule);
    Choice choice = tree.choice;
    if (choice.empty()) {
        require(rule.name, nonterminal, rule.applicable(nonterminal));
        choice = rule.choices(nonterminal).front();
    }
    const Formula right_hand_side = rule.build(nonterminal, choice);
    if (trace)
        trace->push_back({to_string(BreakdownTree{tree.rule, choice, {}}), nonterminal, right_hand_side});
    const std::vector<Formula> transforms = nonterminals(right_hand_side);
    if (tree.children.size() > transforms.size())
        throw UserError("rule {} breaks {} down into {} different transforms, but {} children are given",
                        rule.name, name_of(nonterminal), transforms.size(), tree.children.size());
    std::vector<Formula> expanded = transforms;
    for (std::size_t i = 0; i < tree.children.size(); ++i)
        expanded[i] = expand(transforms[i], tree.children[i], trace);
    return Replacement(transforms, expanded)(right_hand_side);
}

} // namespace swirl::rules
