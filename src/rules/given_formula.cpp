//   F = F'            formula:          F simplified by the identities of Kronecker products
//   F = codelet[F']   formula-codelet:  straight-line code throughout
//
// F is a user's formula; F' is computed factor by factor, and the transforms in it are broken down further. If F is the
// real matrix R(A) of a complex formula A that contains real transforms, these act on each component alone.

#include "rules/given_formula.hpp"

#include "formula/properties.hpp"
#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/real_row_column.hpp"
#include "rules/rewriting_rules.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

/// Largest circulant that is a matrix of straight-line code on real data.
constexpr Integer largest_dense_circulant = 64;

Formula dense_matrix(const Formula& f) { return matrix(f.rows(), f.columns(), dense(f)); }

/// Nothing for a circulant too long to be a matrix.
std::optional<Formula> with_real_leaves(const Formula& f) {
    if (f.is<RealOf>()) return f;
    if (f.is<Dft>()) return f.rows() == 1 ? I(1) : F2();
    if (f.is<Circulant>())
        return f.rows() <= largest_dense_circulant ? std::optional(dense_matrix(f)) : std::nullopt;
    std::vector<Formula> children;
    for (const Formula& child : f.children()) {
        auto real = with_real_leaves(child);
        if (!real) return std::nullopt;
        children.push_back(*std::move(real));
    }
    return with_children(f, std::move(children));
}

Formula of_components(const Formula& f);

/// R(A ⊗ I_k).
Formula spread_components(const Formula& a, Integer k) {
    if (k == 1) return of_components(a);
    if (a.is<Product>() || a.is<DirectSum>()) {
        std::vector<Formula> children;
        for (const Formula& child : a.children()) children.push_back(spread_components(child, k));
        return a.is<Product>() ? product(std::move(children)) : direct_sum(std::move(children));
    }
    if (!has_real_transform(a)) return real_of(kron(a, I(k)));
    if (const auto real = on_reals(a)) return kron(*real, I(2 * k));
    if (a.is<Kronecker>()) return of_components(kron(a, I(k)));
    return product_of(
        {repeat(a.rows(), L(2 * k, k)), spread(of_components(a), k), repeat(a.columns(), L(2 * k, 2))});
}

Formula of_components(const Formula& f) {
    if (f.is<Identity>()) return I(2 * f.rows());
    if (!has_real_transform(f)) return real_of(f);
    if (const auto real = on_reals(f)) return kron(*real, I(2));
    if (f.is<Kronecker>()) return kronecker_on_pairs(f.children(), spread_components);
    std::vector<Formula> children;
    for (const Formula& child : f.children()) children.push_back(of_components(child));
    return with_children(f, std::move(children));
}

Applicability applicable(const Formula& f) {
    if (is_nonterminal(f)) return rejected("{} is a transform, not a formula of transforms", name_of(f));
    if (f.is<Identity>()) return rejected("an identity computes nothing");
    const auto is_dft = [](const Formula& child) { return child.is<Dft>(); };
    if (f.is<Kronecker>() && std::all_of(f.children().begin(), f.children().end(), is_dft))
        return rejected("a DFT of several dimensions, not a formula that was given");
    if (is_rdft_multidimensional(f))
        return rejected("a real DFT of several dimensions, not a formula that was given");
    return accepted();
}

Applicability has_codelet(const Formula& f) {
    if (Applicability given = applicable(f); !given.ok()) return given;
    const Integer n = std::max(f.rows(), f.columns());
    if (n > largest_radix) return rejected("{} points are too many for straight-line code", n);
    for (const Formula& transform : nonterminals(f))
        if (largest_prime_factor(transform.rows()) > largest_base_prime)
            return rejected("{} has no straight-line code", name_of(transform));
    return accepted();
}

Formula simplified(const Formula& f) {
    if (!f.is<RealOf>()) return simplify(f);
    return simplify(componentwise(simplify(f.children().front())));
}

Formula build(const Formula& f, const Choice& choice) {
    require(formula_loops.name, f, applicable(f));
    require_choice(choice.empty(), formula_loops.name, f, choice, "no parameters");
    return simplified(f);
}

Formula build_codelet(const Formula& f, const Choice& choice) {
    require(formula_codelet.name, f, has_codelet(f));
    require_choice(choice.empty(), formula_codelet.name, f, choice, "no parameters");
    return codelet(simplified(f));
}

} // namespace

std::optional<Formula> on_reals(const Formula& formula) {
    return find_complex(formula) ? std::nullopt : with_real_leaves(formula);
}

bool is_given_formula(const Formula& formula) { return applicable(formula).ok(); }

Formula componentwise(const Formula& complex) { return of_components(complex); }

constinit const BreakdownRule formula_loops = {
    .name = "formula",
    .identity = "F = F simplified, factor by factor",
    .applicable = applicable,
    .choices = one_choice,
    .build = build,
};

constinit const BreakdownRule formula_codelet = {
    .name = "formula-codelet",
    .identity = "F = F simplified, as one straight-line codelet",
    .applicable = has_codelet,
    .choices = one_choice,
    .build = build_codelet,
};

} // namespace swirl::rules
