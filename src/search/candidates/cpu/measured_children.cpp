#include "search/candidates/cpu/measured_children.hpp"

#include "search/candidates/cpu/subproblems.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::search {

namespace {

constexpr std::string_view rules_with_whole_children[] = {"bluestein", "rader", "rdft-half-size"};

bool has_whole_children(const rules::BreakdownTree& tree) {
    return std::find(std::begin(rules_with_whole_children), std::end(rules_with_whole_children), tree.rule) !=
           std::end(rules_with_whole_children);
}

bool contains_one(const rules::BreakdownTree& tree) {
    return has_whole_children(tree) || std::any_of(tree.children.begin(), tree.children.end(), contains_one);
}

} // namespace

rules::BreakdownTree with_measured_children(const formula::Formula& transform, rules::BreakdownTree tree,
                                            const MeasuredTree& measured) {
    if (!contains_one(tree)) return tree;
    const std::vector<formula::Formula> children = children_of(tree.rule, tree.choice, transform);
    const bool are_whole = has_whole_children(tree);
    const std::size_t count =
        std::min(children.size(), tree.children.size()); // codelets at the end may be left out
    for (std::size_t k = 0; k < count; ++k) {
        rules::BreakdownTree& child = tree.children[k];
        const bool is_dft = are_whole && children[k].is<formula::Dft>();
        if (auto known = is_dft ? measured(children[k].rows()) : std::nullopt)
            child = *std::move(known);
        else
            child = with_measured_children(children[k], std::move(child), measured);
    }
    return tree;
}

} // namespace swirl::search
