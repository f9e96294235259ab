#include "rules/replace_leaves.hpp"

#include <utility>
#include <vector>

namespace swirl::rules {

using namespace formula;

Formula replace_leaves(const Formula& f,
                       const std::function<std::optional<Formula>(const Formula& leaf)>& replacement) {
    if (f.children().empty()) return replacement(f).value_or(f);
    std::vector<Formula> children;
    bool changed = false;
    for (const Formula& child : f.children()) {
        children.push_back(replace_leaves(child, replacement));
        changed |= children.back().node() != child.node();
    }
    if (!changed) return f;
    if (f.is<Product>()) { // flattened: a replacement may be a product, too
        Formula whole = children.front();
        for (std::size_t k = 1; k < children.size(); ++k) whole = whole * children[k];
        return whole;
    }
    return with_children(f, std::move(children));
}

} // namespace swirl::rules
