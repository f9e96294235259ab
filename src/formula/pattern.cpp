#include "formula/pattern.hpp"

#include <algorithm>

namespace swirl::formula {

const Formula& Match::operator[](std::string_view name) const {
    const auto at =
        std::find_if(bound_.begin(), bound_.end(), [&](const auto& entry) { return entry.first == name; });
    ensure(at != bound_.end(), "a rewrite rule names '{}', which its pattern does not bind", name);
    return at->second;
}

Pattern any(std::string name) { return {std::move(name), nullptr}; }

namespace {

/// The operands first…last−1 of a chain as one term.
Formula section(const Formula& chain, std::size_t first, std::size_t last) {
    if (last == first + 1) return chain.children()[first];
    const auto begin = chain.children().begin();
    std::vector<Formula> operands(begin + static_cast<std::ptrdiff_t>(first),
                                  begin + static_cast<std::ptrdiff_t>(last));
    if (chain.is<Product>()) return product(std::move(operands));
    return chain.is<Kronecker>() ? kron(std::move(operands)) : direct_sum(std::move(operands));
}

} // namespace

bool Pattern::bind(const Formula& formula, Match& match) const {
    if (name_.empty()) return true;
    for (const auto& [name, bound] : match.bound_)
        if (name == name_) return bound == formula;
    match.bound_.emplace_back(name_, formula);
    return true;
}

bool Pattern::matches(const Formula& formula, Match& match) const {
    if (accepts_ && !accepts_(formula)) return false;
    const std::size_t bound = match.bound_.size();
    if ((operands_.empty() || matches_operands(formula, 0, 0, match)) && bind(formula, match)) return true;
    match.bound_.erase(match.bound_.begin() + static_cast<std::ptrdiff_t>(bound), match.bound_.end());
    return false;
}

bool Pattern::matches_operands(const Formula& chain, std::size_t operand, std::size_t at,
                               Match& match) const {
    const std::size_t count = chain.children().size();
    if (operand == operands_.size()) return at == count;
    const std::size_t after = operands_.size() - operand - 1;
    if (at + after >= count) return false;
    const Pattern& pattern = operands_[operand];
    const std::size_t longest = pattern.accepts_ ? 1 : count - after - at;
    for (std::size_t length = 1; length <= longest; ++length) {
        const std::size_t bound = match.bound_.size();
        if (pattern.matches(section(chain, at, at + length), match)) {
            if (matches_operands(chain, operand + 1, at + length, match)) return true;
            match.bound_.erase(match.bound_.begin() + static_cast<std::ptrdiff_t>(bound), match.bound_.end());
        }
    }
    return false;
}

bool Pattern::matches_window(const Formula& chain, std::size_t first, Match& match) const {
    const std::size_t bound = match.bound_.size();
    for (std::size_t i = 0; i < operands_.size(); ++i)
        if (!operands_[i].matches(chain.children()[first + i], match)) {
            match.bound_.erase(match.bound_.begin() + static_cast<std::ptrdiff_t>(bound), match.bound_.end());
            return false;
        }
    return true;
}

} // namespace swirl::formula
