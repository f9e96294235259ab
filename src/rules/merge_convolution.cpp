#include "rules/merge_convolution.hpp"

#include <iterator>
#include <optional>
#include <vector>

namespace swirl::rules {

using namespace formula;

namespace {

void add_operands(const Formula& term, std::vector<Formula>& factors) {
    if (!term.is<Product>()) return factors.push_back(term);
    for (const Formula& factor : term.children()) add_operands(factor, factors);
}

/// The factors of a pass; an unexpanded transform A counts as A ⊗ I_1.
std::optional<std::vector<Formula>> factors_of_pass(const Formula& term) {
    if (is_nonterminal(term)) return std::vector<Formula>{kron(term, I(1))};
    const auto* tagged = term.get_if<Tagged>();
    if (!tagged || tagged->tag != Tag::pass) return std::nullopt;
    std::vector<Formula> factors;
    add_operands(term.children()[0], factors);
    return factors;
}

/// c of A ⊗ I_c with a transform A; 0 for any other term.
Integer columns_of(const Formula& factor) {
    if (!factor.is<Kronecker>() || factor.children().size() != 2) return 0;
    const Formula &transform = factor.children()[0], &columns = factor.children()[1];
    return is_nonterminal(transform) && columns.is<Identity>() ? columns.rows() : 0;
}

bool is_argument(const Formula& factor) {
    const auto* diagonal = factor.get_if<Diagonal>();
    return diagonal && std::holds_alternative<ArgumentFunction>(diagonal->function);
}

} // namespace

Formula with_product_between_columns(const Formula& convolution) {
    std::vector<Formula> factors;
    add_operands(convolution, factors);
    for (std::size_t k = 1; k + 1 < factors.size(); ++k) {
        if (!is_argument(factors[k])) continue;
        auto back = factors_of_pass(factors[k - 1]);
        const auto there = factors_of_pass(factors[k + 1]);
        if (!back || !there) return convolution;
        const Integer columns = columns_of(back->back());
        if (columns == 0 || columns_of(there->front()) != columns) return convolution;
        back->push_back(factors[k]);
        back->insert(back->end(), there->begin(), there->end());
        const auto at = factors.begin() + static_cast<std::ptrdiff_t>(k);
        *std::prev(at) = pass(product(std::move(*back)));
        factors.erase(at, at + 2);
        return product(std::move(factors));
    }
    return convolution;
}

} // namespace swirl::rules
